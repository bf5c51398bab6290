// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;

import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.nifi.remote.RemoteSiteListener;
import org.apache.nifi.remote.SocketRemoteSiteListener;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.ServedListener;

/** A NiFi that makes its listener by the name of the class gets this one, or its own. Lives on the test's thread. */
class NamedSiteListenerTest {
    private final int port = ServedListener.freePort();
    private final RemoteSiteListener stock = mock(RemoteSiteListener.class);

    NamedSiteListenerTest() throws Exception {}

    /** In this module the class with the name of NiFi's listener is the shim, which stands for NiFi's own here. */
    @BeforeEach
    void giveNifiAListenerOfItsOwn() {
        SocketRemoteSiteListener.setFactory(arguments -> stock);
    }

    @AfterEach
    void takeItAway() {
        SocketRemoteSiteListener.setFactory(null);
    }

    private NamedSiteListener initialized(final Map<String, String> more) throws Exception {
        final Map<String, String> lines = new HashMap<>(
                Map.of("nifi.remote.input.socket.port", Integer.toString(port), "nifi.remote.input.secure", "false"));
        lines.putAll(more);
        final NamedSiteListener listener = new NamedSiteListener(new NiFiProperties(lines));
        listener.initialize(port, null, null);
        return listener;
    }

    @Test
    void servesWithTheNonBlockingListener() throws Exception {
        final NamedSiteListener listener = initialized(Map.of());
        listener.start();
        try {
            new Socket("127.0.0.1", port).close();
        } finally {
            listener.stop();
        }
        verifyNoInteractions(stock);
    }

    @Test
    void servesWithNifisOwnWhereItIsSwitchedOff() throws Exception {
        initialized(Map.of("nifi.remote.input.nio.enabled", "false")).start();
        verify(stock).start();
    }

    @Test
    void servesWithNifisOwnWhereItCantServe() throws Exception {
        initialized(Map.of("nifi.remote.input.nio.worker.threads", "many")).start();
        verify(stock).start();
    }

    /** As NiFi finds it: no instance is made, since its constructor takes NiFi's properties. */
    @Test
    void isAService() throws Exception {
        try (InputStream listed = RemoteSiteListener.class
                .getClassLoader()
                .getResourceAsStream("META-INF/services/" + RemoteSiteListener.class.getName())) {
            assertEquals(
                    NamedSiteListener.class.getName(),
                    new String(listed.readAllBytes(), StandardCharsets.UTF_8).strip());
        }
    }
}
