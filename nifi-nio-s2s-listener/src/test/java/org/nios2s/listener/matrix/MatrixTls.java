// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.nifi.framework.ssl.FrameworkSslContextHolder;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;

/** Keys, certificates and TLS contexts of both ends. Any thread. */
public final class MatrixTls {
    static final char[] PASSWORD = "not a secret".toCharArray();
    static final String OWN = "own";

    private static final Duration VALIDITY = Duration.ofDays(1);

    private MatrixTls() {}

    /** @return the context of both ends, which trust each other's only certificate, as {@link #nifiContext} */
    public static SSLContext create(final String name) throws Exception {
        return nifiContext(store(name));
    }

    /** @return NiFi's own context, as {@link #nifiContext}, and then those of peers with other names */
    public static List<SSLContext> create(final String nifi, final String... peers) throws Exception {
        final Authority authority = new Authority(KeyKind.P256, "CN=authority");
        final List<SSLContext> contexts = new ArrayList<>();
        contexts.add(nifiContext(authority.issue(KeyKind.P256, nifi)));
        for (final String peer : peers) {
            contexts.add(context(authority.issue(KeyKind.P256, peer)));
        }
        return contexts;
    }

    /** @return a key, and its certificate as the only one that is trusted */
    public static KeyStore store(final String name) throws Exception {
        return new Authority(KeyKind.P256, name).store();
    }

    /** @return a context of these keys; NiFi's holder of managers has been given them too, as NiFi's start does */
    public static SSLContext nifiContext(final KeyStore store) throws Exception {
        final KeyManager keyManager = keyManager(store, KeyManagerFactory.getDefaultAlgorithm());
        final TrustManager trustManager = trustManager(store);
        FrameworkSslContextHolder.setKeyManager((X509ExtendedKeyManager) keyManager);
        FrameworkSslContextHolder.setTrustManager((X509ExtendedTrustManager) trustManager);
        return context(keyManager, trustManager);
    }

    /** @return a context of these keys for a peer */
    static SSLContext context(final KeyStore store) throws Exception {
        return context(keyManager(store, KeyManagerFactory.getDefaultAlgorithm()), trustManager(store));
    }

    /** @return the same for a peer that sends no certificate whose signatures the other end has not asked for */
    static SSLContext strictContext(final KeyStore store) throws Exception {
        return context(keyManager(store, "PKIX"), trustManager(store));
    }

    private static SSLContext context(final KeyManager keyManager, final TrustManager trustManager) throws Exception {
        final SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {keyManager}, new TrustManager[] {trustManager}, null);
        return context;
    }

    private static KeyManager keyManager(final KeyStore store, final String algorithm) throws Exception {
        final KeyManagerFactory own = KeyManagerFactory.getInstance(algorithm);
        own.init(store, PASSWORD);
        return own.getKeyManagers()[0];
    }

    private static TrustManager trustManager(final KeyStore store) throws Exception {
        final TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        return trusted.getTrustManagers()[0];
    }

    static void save(final KeyStore store, final Path file) throws Exception {
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD);
        }
    }

    static KeyStore load(final Path file) throws Exception {
        return KeyStore.getInstance(file.toFile(), PASSWORD);
    }

    /** An authority and its key. Immutable; any thread. */
    static final class Authority {
        private final KeyKind kind;
        private final X500Name name;
        private final KeyPair keys;
        /** Its own first, and the one that is trusted last. */
        private final List<X509Certificate> certificates;

        Authority(final KeyKind kind, final String name) throws Exception {
            this.kind = kind;
            this.name = new X500Name(name);
            this.keys = kind.generate();
            this.certificates = List.of(certify(this.name, keys.getPublic(), true));
        }

        /** An authority that another one certifies. */
        Authority(final Authority higher, final KeyKind kind, final String name) throws Exception {
            this.kind = kind;
            this.name = new X500Name(name);
            this.keys = kind.generate();
            this.certificates = higher.chain(higher.certify(this.name, keys.getPublic(), true));
        }

        private List<X509Certificate> chain(final X509Certificate issued) {
            return Stream.concat(Stream.of(issued), certificates.stream()).toList();
        }

        /** @return the authority's own key, for both ends */
        KeyStore store() throws Exception {
            return store(keys, certificates);
        }

        /** @return a new key of some kind with a certificate of this authority, which is trusted */
        KeyStore issue(final KeyKind ofKey, final String subject) throws Exception {
            final KeyPair issued = ofKey.generate();
            return store(issued, chain(certify(new X500Name(subject), issued.getPublic(), false)));
        }

        private KeyStore store(final KeyPair own, final List<X509Certificate> chain) throws Exception {
            final KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry(OWN, own.getPrivate(), PASSWORD, chain.toArray(X509Certificate[]::new));
            store.setCertificateEntry("trusted", certificates.getLast());
            return store;
        }

        private X509Certificate certify(final X500Name subject, final PublicKey key, final boolean isAuthority)
                throws Exception {
            final Instant now = Instant.now();
            final JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    name,
                    BigInteger.valueOf(now.toEpochMilli()),
                    Date.from(now.minus(VALIDITY)),
                    Date.from(now.plus(VALIDITY)),
                    subject,
                    key);
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority));
            return new JcaX509CertificateConverter().getCertificate(builder.build(kind.signer(keys.getPrivate())));
        }
    }
}
