// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslCachingX509KeyManagerFactory;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.handler.ssl.util.KeyManagerFactoryWrapper;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;
import org.apache.nifi.framework.ssl.FrameworkSslContextHolder;

/**
 * BoringSSL on NiFi's key and trust manager. Thread-safe.
 *
 * <p>Peers choose their certificate by the authorities that they are told, and are told those of the time at which the context
 * was made: so it is made anew when NiFi has begun to trust others. Sessions of the former are not resumed.
 */
final class BoringSslContext implements Supplier<SslContext> {
    private static final byte[] SESSION_ID_CONTEXT = "nifi-nio-s2s".getBytes(StandardCharsets.US_ASCII);

    private final TlsOffer offer;
    private List<X509Certificate> authorities;
    private SslContext context;

    BoringSslContext(final TlsOffer offer) throws SSLException {
        this.offer = offer;
        authorities = trusted();
        context = make();
    }

    @Override
    public synchronized SslContext get() {
        final List<X509Certificate> now = trusted();
        if (!now.equals(authorities)) {
            try {
                context = make();
                authorities = now;
            } catch (final SSLException e) {
                throw new IllegalStateException("BoringSSL does not take the authorities that NiFi trusts now", e);
            }
        }
        return context;
    }

    private static List<X509Certificate> trusted() {
        return List.of(FrameworkSslContextHolder.getTrustManager().getAcceptedIssuers());
    }

    private SslContext make() throws SSLException {
        final SslContext made = SslContextBuilder.forServer(
                        parsedOncePerCertificate(FrameworkSslContextHolder.getKeyManager()))
                .sslProvider(SslProvider.OPENSSL)
                .trustManager(FrameworkSslContextHolder.getTrustManager())
                .clientAuth(ClientAuth.REQUIRE)
                .protocols(offer.protocols())
                .ciphers(offer.suites(), SupportedCipherSuiteFilter.INSTANCE)
                .option(OpenSslContextOption.GROUPS, offer.groupsOfBoringSsl())
                .build();
        // Without it a session with a client certificate is not resumed.
        ((OpenSslServerSessionContext) made.sessionContext()).setSessionIdContext(SESSION_ID_CONTEXT);
        return made;
    }

    /** BoringSSL wants the key as PEM: turned into that and parsed once, not in every handshake. */
    private static KeyManagerFactory parsedOncePerCertificate(final X509ExtendedKeyManager keyManager) {
        return new OpenSslCachingX509KeyManagerFactory(
                new KeyManagerFactoryWrapper(new CertificateAliasKeyManager(keyManager)));
    }
}
