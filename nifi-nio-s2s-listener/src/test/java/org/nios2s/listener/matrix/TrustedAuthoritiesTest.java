// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.Socket;
import java.nio.ByteBuffer;
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
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import org.apache.nifi.framework.ssl.FrameworkSslContextHolder;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.tls.TlsHandlers;

/** By which authorities a peer is to choose its certificate, where NiFi has read its trust store again. Runs on one thread. */
class TrustedAuthoritiesTest {
    private static final int MOST_FLIGHTS = 20;
    private static final int BUFFER_BYTES = 64 * 1024;

    @Test
    void aPeerIsToldTheAuthoritiesThatNifiTrustsNow() throws Exception {
        try (TlsHandlers handlers =
                TlsHandlers.create(MatrixTls.create("CN=former"), TlsHandlers.Provider.OPENSSL, 1)) {
            final X509ExtendedKeyManager key = FrameworkSslContextHolder.getKeyManager();
            final TrustManager trust = FrameworkSslContextHolder.getTrustManager();
            assertEquals(List.of("CN=former"), told(handlers, trust));

            MatrixTls.create("CN=next");
            FrameworkSslContextHolder.setKeyManager(key);

            assertEquals(List.of("CN=next"), told(handlers, trust));
        }
    }

    private static List<String> told(final TlsHandlers handlers, final TrustManager trust) throws Exception {
        final Listening keys = new Listening();
        final SSLContext peer = SSLContext.getInstance("TLS");
        peer.init(new KeyManager[] {keys}, new TrustManager[] {trust}, null);
        final SSLEngine client = peer.createSSLEngine();
        client.setUseClientMode(true);
        final SSLEngine server =
                handlers.create(new EmbeddedChannel(), Duration.ofSeconds(1)).engine();
        final ByteBuffer toServer = ByteBuffer.allocate(BUFFER_BYTES);
        final ByteBuffer toClient = ByteBuffer.allocate(BUFFER_BYTES);
        try {
            for (int flight = 0; flight < MOST_FLIGHTS && keys.issuers.isEmpty(); flight++) {
                pass(client, server, toServer);
                pass(server, client, toClient);
            }
        } finally {
            ReferenceCountUtil.release(server);
        }
        return keys.issuers;
    }

    /** What one has to say, to the other; what that one does not take yet stays. */
    private static void pass(final SSLEngine from, final SSLEngine to, final ByteBuffer records) throws SSLException {
        int before = -1;
        while (records.position() > before) {
            before = records.position();
            from.wrap(ByteBuffer.allocate(0), records);
            runTasks(from);
        }
        records.flip();
        int left = records.remaining() + 1;
        while (records.remaining() < left) {
            left = records.remaining();
            to.unwrap(records, ByteBuffer.allocate(BUFFER_BYTES));
            runTasks(to);
        }
        records.compact();
    }

    private static void runTasks(final SSLEngine engine) {
        while (engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
            final Runnable task = engine.getDelegatedTask();
            if (task == null) {
                return;
            }
            task.run();
        }
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
