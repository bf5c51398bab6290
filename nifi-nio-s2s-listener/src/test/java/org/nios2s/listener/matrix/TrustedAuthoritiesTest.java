// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import org.apache.nifi.framework.ssl.FrameworkSslContextHolder;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.tls.TlsHandlerFactory;
import org.nios2s.listener.tls.TrialHandshake;

/** By which authorities a peer is to choose its certificate, where NiFi has read its trust store again. Runs on one thread. */
class TrustedAuthoritiesTest {

    @Test
    void aPeerIsToldTheAuthoritiesThatNifiTrustsNow() throws Exception {
        try (TlsHandlerFactory handlers =
                TlsHandlerFactory.create(MatrixTls.create("CN=former"), TlsHandlerFactory.Provider.OPENSSL, 1)) {
            final X509ExtendedKeyManager key = FrameworkSslContextHolder.getKeyManager();
            final TrustManager trust = FrameworkSslContextHolder.getTrustManager();
            assertEquals(List.of("CN=former"), told(handlers, trust));

            MatrixTls.create("CN=next");
            FrameworkSslContextHolder.setKeyManager(key);

            assertEquals(List.of("CN=next"), told(handlers, trust));
        }
    }

    private static List<String> told(final TlsHandlerFactory handlers, final TrustManager trust) throws Exception {
        final Listening keys = new Listening();
        final SSLContext peer = SSLContext.getInstance("TLS");
        peer.init(new KeyManager[] {keys}, new TrustManager[] {trust}, null);
        final SSLEngine client = peer.createSSLEngine();
        client.setUseClientMode(true);
        final SSLEngine server =
                handlers.create(new EmbeddedChannel(), Duration.ofSeconds(1)).engine();
        try {
            TrialHandshake.exchange(client, server, () -> !keys.issuers.isEmpty());
        } finally {
            ReferenceCountUtil.release(server);
        }
        return keys.issuers;
    }

    /** Has no key, and hears by which authorities it is to be chosen. */
    private static final class Listening extends X509ExtendedKeyManager {
        private final List<String> issuers = new ArrayList<>();

        @Override
        public String chooseEngineClientAlias(
                final String[] keyType, final Principal[] authorities, final SSLEngine engine) {
            if (issuers.isEmpty()) {
                Arrays.stream(authorities).map(Principal::getName).forEach(issuers::add);
            }
            return null;
        }

        @Override
        public String[] getClientAliases(final String keyType, final Principal[] authorities) {
            return new String[0];
        }

        @Override
        public String chooseClientAlias(final String[] keyType, final Principal[] authorities, final Socket socket) {
            return null;
        }

        @Override
        public String[] getServerAliases(final String keyType, final Principal[] authorities) {
            return new String[0];
        }

        @Override
        public String chooseServerAlias(final String keyType, final Principal[] authorities, final Socket socket) {
            return null;
        }

        @Override
        public X509Certificate[] getCertificateChain(final String alias) {
            return new X509Certificate[0];
        }

        @Override
        public PrivateKey getPrivateKey(final String alias) {
            return null;
        }
    }
}
