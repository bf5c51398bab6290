// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.time.Duration;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.matrix.MatrixTls;
import org.nios2s.listener.tls.TlsHandlerFactory.Provider;

/** What is learnt from handshakes that fail. Lives on the test's thread. */
class TlsHandlerFactoryTest {
    private final InetAddress address = InetAddress.getLoopbackAddress();

    /** @return whether something was learnt from a failure of the next handshake, which BoringSSL serves, or the JDK */
    private boolean learns(final TlsHandlerFactory handlers, final boolean isBoringSsl) {
        final SSLEngine engine = handlers.create(new EmbeddedChannel(), address, Duration.ofSeconds(1), new TlsTasks())
                .engine();
        try {
            assertEquals(isBoringSsl, engine instanceof ReferenceCountedOpenSslEngine);
            return handlers.learnFromHandshake(engine, address, new SSLException("NO_SHARED_GROUP"));
        } finally {
            ReferenceCountUtil.release(engine);
        }
    }

    @Test
    @DisplayName("a handshake that the JDK served does not show that BoringSSL may be the cause")
    void servedByJdk() throws Exception {
        try (TlsHandlerFactory handlers =
                TlsHandlerFactory.create(MatrixTls.create("CN=server"), Provider.OPENSSL, 1)) {
            assertTrue(learns(handlers, true));
            assertFalse(learns(handlers, false));
        }
    }
}
