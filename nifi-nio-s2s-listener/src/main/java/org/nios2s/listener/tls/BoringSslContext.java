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
 * BoringSSL's TLS context on NiFi's key and trust manager. Thread-safe.
 *
 * <p>A BoringSSL context keeps the key that its first connection needed, and the list of authorities that were trusted when the
 * context was made, from which peers choose their certificate. So a new context is made when NiFi has reloaded its own certificate or
 * its authorities. Sessions of the old context are not resumed. If BoringSSL can't serve with the new certificates, the old context
 * stays, unless BoringSSL would refuse peers that have such keys.
 */
final class BoringSslContext implements Supplier<SslContext> {
    private static final byte[] SESSION_ID_CONTEXT = "nifi-nio-s2s".getBytes(StandardCharsets.US_ASCII);

    private static final Logger logger = LoggerFactory.getLogger(BoringSslContext.class);

    private final TlsParameters offer;
    private List<X509Certificate> certificates;
    /** Null while the JDK has to serve. */
    private SslContext context;

    BoringSslContext(final TlsParameters offer) throws SSLException {
        this.offer = offer;
        certificates = certificates();
        context = make();
    }

    /** @return the context for the next connection, or null where the JDK has to serve it */
    @Override
    public synchronized SslContext get() {
        final List<X509Certificate> now = certificates();
        if (!now.equals(certificates)) {
            // Before the attempt: this method runs for every connection, and must not try bad certificates each time.
            certificates = now;
            renew();
        }
        return context;
    }

    private void renew() {
        final String obstacle = PeerKeys.obstacle(certificates);
        if (obstacle != null) {
            context = null;
            logger.warn("From now on the JDK serves TLS, which takes more processor time: {}", obstacle);
            return;
        }
        try {
            context = make();
        } catch (final SSLException | RuntimeException e) {
            logger.warn(
                    "BoringSSL can't serve with the certificates that NiFi has reloaded: {}. RAW Site-to-Site still serves with the"
                            + " previous ones, while NiFi's HTTPS uses the new ones. Give NiFi other certificates, or set"
                            + " nifi.remote.input.nio.tls.provider=jdk and restart NiFi",
                    e.toString());
        }
    }

    /** @return NiFi's own certificates and those of the authorities that it trusts */
    static List<X509Certificate> certificates() {
        final X509ExtendedKeyManager keyManager = FrameworkSslContextHolder.getKeyManager();
        return Stream.concat(
                        TlsHandlerFactory.serverAliases(keyManager).map(keyManager::getCertificateChain),
                        Stream.<X509Certificate[]>of(
                                FrameworkSslContextHolder.getTrustManager().getAcceptedIssuers()))
                .filter(Objects::nonNull)
                .flatMap(Arrays::stream)
                .toList();
    }

    /** Does a handshake: BoringSSL refuses a key only when the key is used. */
    private void testHandshake(final SslContext made) throws SSLException {
        final SSLEngine server = made.newEngine(UnpooledByteBufAllocator.DEFAULT);
        try {
            TrialHandshake.with(server, offer.protocols());
        } finally {
            ReferenceCountUtil.release(server);
        }
    }

    private SslContext make() throws SSLException {
        // BoringSSL needs the key as PEM. This factory converts and parses the key once, and not in every handshake.
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
        // Without an id context OpenSSL resumes no session that has a client certificate.
        ((OpenSslServerSessionContext) made.sessionContext()).setSessionIdContext(SESSION_ID_CONTEXT);
        testHandshake(made);
        return made;
    }
}
