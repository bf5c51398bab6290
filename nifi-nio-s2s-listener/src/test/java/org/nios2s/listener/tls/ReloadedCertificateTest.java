// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;
import org.apache.nifi.framework.ssl.FrameworkSslContextHolder;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.listener.matrix.MatrixTls;
import org.nios2s.listener.tls.TlsHandlerFactory.Provider;
import org.nios2s.peers.LogLines;

/** Certificates with which BoringSSL can't serve, at the start and after NiFi has reloaded them. Lives on the test's thread. */
class ReloadedCertificateTest {
    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

    @AutoClose
    private final LogLines log = new LogLines(TlsHandlerFactory.class.getPackageName(), Level.INFO);

    private static void serve(final TlsHandlerFactory handlers, final String... protocols) throws SSLException {
        final SSLEngine server =
                handlers.create(new EmbeddedChannel(), Duration.ofSeconds(1)).engine();
        try {
            TrialHandshake.with(server, protocols.length == 0 ? PROTOCOLS : List.of(protocols));
        } finally {
            ReferenceCountUtil.release(server);
        }
    }

    /** Certificate and key of NiFi don't belong together, as far as BoringSSL sees. */
    private static SSLContext mismatched() throws Exception {
        MatrixTls.create("CN=other");
        final X509ExtendedKeyManager other = FrameworkSslContextHolder.getKeyManager();
        final SSLContext context = MatrixTls.create("CN=next");
        FrameworkSslContextHolder.setKeyManager(new Mismatched(FrameworkSslContextHolder.getKeyManager(), other));
        return context;
    }

    @Test
    @DisplayName(
            "after a reload the former certificate stays in force, one line says so, and the next good one is taken")
    void reloaded() throws Exception {
        try (TlsHandlerFactory handlers =
                TlsHandlerFactory.create(MatrixTls.create("CN=former"), Provider.OPENSSL, 1)) {
            assertNotEquals("JDK", handlers.provider());
            mismatched();
            for (int connection = 0; connection < 3; connection++) {
                assertDoesNotThrow(() -> serve(handlers));
            }
            assertEquals(1, log.lines(Level.WARN).size(), log.lines(Level.WARN)::toString);
            assertTrue(log.lines(Level.WARN).get(0).contains("still serves with the previous ones"));
            MatrixTls.create("CN=good");
            assertDoesNotThrow(() -> serve(handlers));
            assertEquals(1, log.lines(Level.WARN).size(), log.lines(Level.WARN)::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({"AUTO, WARN", "OPENSSL, ERROR"})
    @DisplayName("at the start the JDK serves in place of BoringSSL, and one line says why")
    void atTheStart(final Provider choice, final String level) throws Exception {
        try (TlsHandlerFactory handlers = TlsHandlerFactory.create(mismatched(), choice, 1)) {
            assertEquals("JDK", handlers.provider());
            assertDoesNotThrow(() -> serve(handlers));
            assertEquals(List.of(), log.lines());
            handlers.reportObstacle();
            assertEquals(1, log.lines().size(), log.lines()::toString);
            assertEquals(1, log.lines(Level.toLevel(level)).size());
        }
    }

    @ParameterizedTest
    @CsvSource({"JDK, TLSv1.2", "JDK, TLSv1.3", "OPENSSL, TLSv1.2", "OPENSSL, TLSv1.3"})
    @DisplayName("a server that can use its key passes the trial, and nothing is reported")
    void good(final Provider provider, final String protocol) throws Exception {
        try (TlsHandlerFactory handlers = TlsHandlerFactory.create(MatrixTls.create("CN=good"), provider, 1)) {
            assertDoesNotThrow(() -> serve(handlers, protocol));
            handlers.reportObstacle();
            assertEquals(List.of(), log.lines());
        }
    }

    @Test
    @DisplayName("a server without a key does not")
    void noKey() throws Exception {
        try (TlsHandlerFactory handlers = TlsHandlerFactory.create(SSLContext.getDefault(), Provider.JDK, 1)) {
            assertThrows(SSLException.class, () -> serve(handlers));
        }
    }

    /** Shows the certificates of one, and signs with the key of another. */
    private static final class Mismatched extends X509ExtendedKeyManager {
        private final X509ExtendedKeyManager certificates;
        private final X509ExtendedKeyManager keys;

        Mismatched(final X509ExtendedKeyManager certificates, final X509ExtendedKeyManager keys) {
            this.certificates = certificates;
            this.keys = keys;
        }

        @Override
        public String[] getServerAliases(final String keyType, final Principal[] issuers) {
            return certificates.getServerAliases(keyType, issuers);
        }

        @Override
        public String chooseServerAlias(final String keyType, final Principal[] issuers, final Socket socket) {
            return certificates.chooseServerAlias(keyType, issuers, socket);
        }

        @Override
        public String chooseEngineServerAlias(final String keyType, final Principal[] issuers, final SSLEngine engine) {
            return certificates.chooseEngineServerAlias(keyType, issuers, engine);
        }

        @Override
        public X509Certificate[] getCertificateChain(final String alias) {
            return certificates.getCertificateChain(alias);
        }

        @Override
        public PrivateKey getPrivateKey(final String alias) {
            return keys.getPrivateKey(alias);
        }

        @Override
        public String[] getClientAliases(final String keyType, final Principal[] issuers) {
            return null;
        }

        @Override
        public String chooseClientAlias(final String[] keyTypes, final Principal[] issuers, final Socket socket) {
            return null;
        }
    }
}
