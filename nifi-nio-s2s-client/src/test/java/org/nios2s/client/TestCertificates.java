// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.OutputStream;
import java.math.BigInteger;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Self-signed identities that trust who they are told to. Lives on the test's thread. */
public final class TestCertificates {
    private static final char[] PASSWORD = "not a secret".toCharArray();

    /**
     * An identity.
     *
     * @param keys its keys
     * @param certificate its certificate
     */
    public record Identity(KeyPair keys, X509Certificate certificate) {}

    private TestCertificates() {}

    /** @return an identity of that name on this machine */
    public static Identity identity(final String name) throws Exception {
        return identity(
                name,
                new GeneralName(GeneralName.dNSName, "localhost"),
                new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
    }

    public static Identity identity(final String name, final GeneralName... hosts) throws Exception {
        final KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        final KeyPair keys = generator.generateKeyPair();
        final X500Name subject = new X500Name("CN=" + name + ", OU=Tests");
        final X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                subject,
                new BigInteger(64, new SecureRandom()),
                Date.from(Instant.now().minus(Duration.ofDays(2))),
                Date.from(Instant.now().plus(Duration.ofDays(1))),
                subject,
                keys.getPublic());
        builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(hosts));
        final X509Certificate certificate = new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
        return new Identity(keys, certificate);
    }

    /** @return what shows the identity, or none if null, and trusts one certificate */
    public static SSLContext context(final Identity own, final Identity trusted) throws Exception {
        return context(own, trust(trusted));
    }

    public static SSLContext context(final Identity own, final TrustManager trust) throws Exception {
        final SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {keys(own)}, new TrustManager[] {trust}, null);
        return context;
    }

    /** @return what shows the identity, or none if null */
    public static KeyManager keys(final Identity own) throws Exception {
        final KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        final KeyStore keyStore = emptyStore();
        if (own != null) {
            keyStore.setKeyEntry("own", own.keys().getPrivate(), PASSWORD, new Certificate[] {own.certificate()});
        }
        keys.init(keyStore, PASSWORD);
        return keys.getKeyManagers()[0];
    }

    /** @return what trusts one certificate */
    public static CountingTrust trust(final Identity trusted) throws Exception {
        final TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        final KeyStore trustStore = emptyStore();
        trustStore.setCertificateEntry("trusted", trusted.certificate());
        trust.init(trustStore);
        return new CountingTrust((X509ExtendedTrustManager) trust.getTrustManagers()[0]);
    }

    /** Writes key and trust in one store, as NiFi's configuration names them. */
    public static void write(final Path file, final Identity own, final Identity trusted) throws Exception {
        final KeyStore store = emptyStore();
        store.setKeyEntry("own", own.keys().getPrivate(), PASSWORD, new Certificate[] {own.certificate()});
        store.setCertificateEntry("trusted", trusted.certificate());
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD);
        }
    }

    public static String password() {
        return new String(PASSWORD);
    }

    private static KeyStore emptyStore() throws Exception {
        final KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    /** Counts how often a certificate is looked at: once per full handshake, never when a session is resumed. */
    public static final class CountingTrust extends X509ExtendedTrustManager {
        final AtomicInteger checks = new AtomicInteger();
        private final X509ExtendedTrustManager trust;

        private CountingTrust(final X509ExtendedTrustManager trust) {
            this.trust = trust;
        }

        @Override
        public void checkClientTrusted(final X509Certificate[] chain, final String type, final Socket socket)
                throws CertificateException {
            checks.incrementAndGet();
            trust.checkClientTrusted(chain, type, socket);
        }

        @Override
        public void checkClientTrusted(final X509Certificate[] chain, final String type, final SSLEngine engine)
                throws CertificateException {
            checks.incrementAndGet();
            trust.checkClientTrusted(chain, type, engine);
        }

        @Override
        public void checkClientTrusted(final X509Certificate[] chain, final String type) throws CertificateException {
            checks.incrementAndGet();
            trust.checkClientTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(final X509Certificate[] chain, final String type, final Socket socket)
                throws CertificateException {
            checks.incrementAndGet();
            trust.checkServerTrusted(chain, type, socket);
        }

        @Override
        public void checkServerTrusted(final X509Certificate[] chain, final String type, final SSLEngine engine)
                throws CertificateException {
            checks.incrementAndGet();
            trust.checkServerTrusted(chain, type, engine);
        }

        @Override
        public void checkServerTrusted(final X509Certificate[] chain, final String type) throws CertificateException {
            checks.incrementAndGet();
            trust.checkServerTrusted(chain, type);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return trust.getAcceptedIssuers();
        }
    }
}
