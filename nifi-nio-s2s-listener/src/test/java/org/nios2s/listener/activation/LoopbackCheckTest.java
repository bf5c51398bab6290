// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.socket.nio.NioServerSocketChannel;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.matrix.MatrixTls;
import org.nios2s.listener.settings.TransportSelection;
import org.nios2s.listener.settings.TransportSelection.Choice;
import org.nios2s.listener.tls.TlsHandlerFactory.Provider;

/** What is tried before the take-over. Lives on the test's thread. */
class LoopbackCheckTest {
    @ParameterizedTest
    @EnumSource(names = {"AUTO", "NIO"})
    @DisplayName("a transport that serves is good, with TLS and without")
    void good(final Choice choice) throws Exception {
        final TransportSelection transport = TransportSelection.select(choice);
        final SSLContext ssl = MatrixTls.create("CN=rehearsal");
        assertDoesNotThrow(() -> LoopbackCheck.perform(transport, Provider.AUTO, null));
        assertDoesNotThrow(() -> LoopbackCheck.perform(transport, Provider.AUTO, ssl));
        assertDoesNotThrow(() -> LoopbackCheck.perform(transport, Provider.JDK, ssl));
    }

    @Test
    @DisplayName("a key that can't be used shows")
    void unusableKey() throws Exception {
        final SSLContext keyless = SSLContext.getDefault();
        final TransportSelection transport = TransportSelection.select(Choice.AUTO);
        final IllegalStateException refusal = assertThrows(
                IllegalStateException.class, () -> LoopbackCheck.perform(transport, Provider.JDK, keyless));
        assertTrue(refusal.getMessage().startsWith("TLS (JDK) can't be served with NiFi's key"), refusal::getMessage);
    }

    @Test
    @DisplayName("a transport whose workers can't be made is not")
    void noWorkers() {
        final TransportSelection good = TransportSelection.select(Choice.NIO);
        final TransportSelection bad = new TransportSelection("bad", good.channel(), context -> {
            throw new UnsupportedOperationException("no such kernel");
        });
        assertThrows(IllegalStateException.class, () -> LoopbackCheck.perform(bad, Provider.AUTO, null));
    }

    @Test
    @DisplayName("a transport that can't listen is not")
    void noPort() {
        final TransportSelection good = TransportSelection.select(Choice.NIO);
        final TransportSelection bad = new TransportSelection("bad", NoSocket.class, good.handler());
        assertThrows(Exception.class, () -> LoopbackCheck.perform(bad, Provider.AUTO, null));
    }

    /** Can't be made. */
    public static final class NoSocket extends NioServerSocketChannel {
        public NoSocket() {
            throw new UnsupportedOperationException("no such socket");
        }
    }
}
