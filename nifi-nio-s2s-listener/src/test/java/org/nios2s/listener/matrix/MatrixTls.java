// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.nifi.framework.ssl.FrameworkSslContextHolder;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** One self-signed identity for both ends, each of which trusts it. Any thread. */
public final class MatrixTls {
    private static final char[] PASSWORD = "not a secret".toCharArray();
    private static final int KEY_BITS = 256;
    private static final Duration VALIDITY = Duration.ofDays(1);

    private MatrixTls() {}

    static SSLContext create() throws Exception {
        return create("CN=matrix, OU=Tests");
    }

    /** @return the context of both ends; NiFi's holder of managers has been given them too, as NiFi's start does */
    public static SSLContext create(final String name) throws Exception {
        final KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        final KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(KEY_BITS);
        final KeyPair keys = generator.generateKeyPair();
        final X509Certificate certificate = certificate(keys, new X500Name(name));
        store.setKeyEntry("own", keys.getPrivate(), PASSWORD, new Certificate[] {certificate});
        store.setCertificateEntry("trusted", certificate);
        final KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(store, PASSWORD);
        final TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        final KeyManager keyManager = own.getKeyManagers()[0];
        final TrustManager trustManager = trusted.getTrustManagers()[0];
        FrameworkSslContextHolder.setKeyManager((X509ExtendedKeyManager) keyManager);
        FrameworkSslContextHolder.setTrustManager((X509ExtendedTrustManager) trustManager);
        final SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {keyManager}, new TrustManager[] {trustManager}, null);
        return context;
    }

    private static X509Certificate certificate(final KeyPair keys, final X500Name name) throws Exception {
        final Instant now = Instant.now();
        return new JcaX509CertificateConverter()
                .getCertificate(new JcaX509v3CertificateBuilder(
                                name,
                                BigInteger.ONE,
                                Date.from(now.minus(VALIDITY)),
                                Date.from(now.plus(VALIDITY)),
                                name,
                                keys.getPublic())
                        .build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
    }
}
