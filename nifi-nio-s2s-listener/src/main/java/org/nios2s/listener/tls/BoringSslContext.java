// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslCachingX509KeyManagerFactory;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.handler.ssl.util.KeyManagerFactoryWrapper;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;
import org.apache.nifi.framework.ssl.FrameworkSslContextHolder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * BoringSSL on NiFi's key and trust manager. Thread-safe.
 *
 * <p>It keeps the key as it was when a connection first needed it, and tells peers, which choose their certificate by that, the
 * authorities that were trusted when it was made. So it is made again when NiFi has loaded another certificate of its own or
 * begun to trust other authorities. Sessions of the former are not resumed. A certificate with which BoringSSL can't serve does not
 * come into force: the former stays.
 */
final class BoringSslContext implements Supplier<SslContext> {
    private static final byte[] SESSION_ID_CONTEXT = "nifi-nio-s2s".getBytes(StandardCharsets.US_ASCII);

    private static final Logger logger = LoggerFactory.getLogger(BoringSslContext.class);

    private final TlsParameters offer;
    private List<X509Certificate> certificates;
    private SslContext context;

    BoringSslContext(final TlsParameters offer) throws SSLException {
        this.offer = offer;
        certificates = certificates();
        context = make();
    }

    @Override
    public synchronized SslContext get() {
        final List<X509Certificate> now = certificates();
        if (!now.equals(certificates)) {
            // Tried once, whatever comes of it: this runs for every connection.
            certificates = now;
            try {
                context = make();
            } catch (final SSLException | RuntimeException e) {
                logger.warn(
                        "BoringSSL can't serve with the certificates that NiFi has loaded: {}. RAW Site-to-Site goes on with the"
                                + " former ones; give NiFi others, or set nifi.remote.input.nio.tls.provider=jdk and restart",
                        e.toString());
            }
        }
        return context;
    }

    /** NiFi's own and those of the authorities that it trusts. */
    private static List<X509Certificate> certificates() {
        final X509ExtendedKeyManager keyManager = FrameworkSslContextHolder.getKeyManager();
        return Stream.concat(
                        TlsHandlerFactory.serverAliases(keyManager).map(keyManager::getCertificateChain),
                        Stream.<X509Certificate[]>of(
                                FrameworkSslContextHolder.getTrustManager().getAcceptedIssuers()))
                .filter(Objects::nonNull)
                .flatMap(Arrays::stream)
                .toList();
    }

    /** A key that BoringSSL does not take shows only when it is used. */
    private void tryOut(final SslContext made) throws SSLException {
        final SSLEngine server = made.newEngine(UnpooledByteBufAllocator.DEFAULT);
        try {
            TrialHandshake.with(server, offer.protocols());
        } finally {
            ReferenceCountUtil.release(server);
        }
    }

    private SslContext make() throws SSLException {
        // BoringSSL wants the key as PEM: turned into that and parsed once, not in every handshake.
        final KeyManagerFactory parsedOnce = new OpenSslCachingX509KeyManagerFactory(
                new KeyManagerFactoryWrapper(FrameworkSslContextHolder.getKeyManager()));
        final SslContext made = SslContextBuilder.forServer(parsedOnce)
                .sslProvider(SslProvider.OPENSSL)
                .trustManager(FrameworkSslContextHolder.getTrustManager())
                .clientAuth(ClientAuth.REQUIRE)
                .protocols(offer.protocols())
                .ciphers(offer.suites(), SupportedCipherSuiteFilter.INSTANCE)
                .option(OpenSslContextOption.GROUPS, offer.groupsOfBoringSsl())
                .build();
        // Without it a session with a client certificate is not resumed.
        ((OpenSslServerSessionContext) made.sessionContext()).setSessionIdContext(SESSION_ID_CONTEXT);
        tryOut(made);
        return made;
    }
}
