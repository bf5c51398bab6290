// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi.security;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.nios2s.harness.HarnessException;

/**
 * Issues the certificates of a NiFi and of its clients: for tests and measurements on loopback, not for anything else.
 * Immutable, for any thread.
 */
public final class CertificateAuthority {

    /** The name under which the key of a key store is found, and the authority in a trust store. */
    public static final String ALIAS = "s2s-harness";

    private static final String CURVE = "secp256r1";
    private static final String SIGNATURE = "SHA256withECDSA";
    private static final int RSA_BITS = 2048;
    private static final int SERIAL_BITS = 64;
    private static final Duration CLOCK_TOLERANCE = Duration.ofHours(1);
    private static final Duration VALIDITY = Duration.ofDays(365);

    private final X509Certificate certificate;
    private final PrivateKey key;

    private CertificateAuthority(final X509Certificate certificate, final PrivateKey key) {
        this.certificate = certificate;
        this.key = key;
    }

    /** A new authority of that name. */
    public static CertificateAuthority create(final String distinguishedName) {
        final KeyPair pair = newKeyPair();
        final X500Principal name = new X500Principal(distinguishedName);
        try {
            final JcaX509v3CertificateBuilder builder = builder(
                    name,
                    name,
                    pair.getPublic(),
                    Instant.now().minus(CLOCK_TOLERANCE),
                    Instant.now().plus(VALIDITY));
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            return new CertificateAuthority(sign(builder, pair.getPrivate()), pair.getPrivate());
        } catch (final CertIOException e) {
            throw failed(distinguishedName, e);
        }
    }

    /** The authority that a key store made by {@link #keyStore} holds. */
    static CertificateAuthority of(final KeyStore keyStore, final char[] password) {
        try {
            return new CertificateAuthority(
                    (X509Certificate) keyStore.getCertificate(ALIAS), (PrivateKey) keyStore.getKey(ALIAS, password));
        } catch (final GeneralSecurityException e) {
            throw new HarnessException("The key store holds no certificate authority", e);
        }
    }

    /** A key store with the authority's own key. */
    KeyStore keyStore(final char[] password) {
        return keyStore(key, List.of(certificate), password);
    }

    /** A trust store that holds this authority. */
    public KeyStore trustStore() {
        try {
            final KeyStore store = emptyStore();
            store.setCertificateEntry(ALIAS, certificate);
            return store;
        } catch (final GeneralSecurityException e) {
            throw failed("the trust store", e);
        }
    }

    /** A key store with a new key and a certificate, for both ends of a connection, that is valid now. */
    public KeyStore issue(final String distinguishedName, final char[] password) {
        return issue(
                distinguishedName,
                password,
                Instant.now().minus(CLOCK_TOLERANCE),
                Instant.now().plus(VALIDITY));
    }

    /** A key store with a new key and a certificate for both ends of a connection. */
    public KeyStore issue(
            final String distinguishedName, final char[] password, final Instant from, final Instant until) {
        return issue(distinguishedName, password, from, until, newKeyPair(), KeyUsage.digitalSignature);
    }

    /** A key store with a new RSA key and a certificate that is valid now. */
    public KeyStore issueRsa(final String distinguishedName, final char[] password) {
        return issue(
                distinguishedName,
                password,
                Instant.now().minus(CLOCK_TOLERANCE),
                Instant.now().plus(VALIDITY),
                newRsaKeyPair(),
                KeyUsage.digitalSignature | KeyUsage.keyEncipherment);
    }

    private KeyStore issue(
            final String distinguishedName,
            final char[] password,
            final Instant from,
            final Instant until,
            final KeyPair pair,
            final int usage) {
        try {
            final JcaX509v3CertificateBuilder builder = builder(
                    certificate.getSubjectX500Principal(),
                    new X500Principal(distinguishedName),
                    pair.getPublic(),
                    from,
                    until);
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(usage));
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(new KeyPurposeId[] {
                KeyPurposeId.id_kp_clientAuth, KeyPurposeId.id_kp_serverAuth
            }));
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName[] {
                new GeneralName(GeneralName.dNSName, "localhost"), new GeneralName(GeneralName.iPAddress, "127.0.0.1")
            }));
            return keyStore(pair.getPrivate(), List.of(sign(builder, key), certificate), password);
        } catch (final CertIOException e) {
            throw failed(distinguishedName, e);
        }
    }

    private static KeyPair newKeyPair() {
        try {
            final KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec(CURVE));
            return generator.generateKeyPair();
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("This Java cannot make keys on " + CURVE, e);
        }
    }

    private static KeyPair newRsaKeyPair() {
        try {
            final KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(RSA_BITS);
            return generator.generateKeyPair();
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("This Java cannot make RSA keys", e);
        }
    }

    private static JcaX509v3CertificateBuilder builder(
            final X500Principal issuer,
            final X500Principal subject,
            final PublicKey subjectKey,
            final Instant from,
            final Instant until) {
        final BigInteger serial = new BigInteger(SERIAL_BITS, new SecureRandom());
        return new JcaX509v3CertificateBuilder(issuer, serial, Date.from(from), Date.from(until), subject, subjectKey);
    }

    private static X509Certificate sign(final JcaX509v3CertificateBuilder builder, final PrivateKey key) {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(key)));
        } catch (final OperatorCreationException | GeneralSecurityException e) {
            throw failed("it", e);
        }
    }

    private static KeyStore keyStore(final PrivateKey key, final List<X509Certificate> chain, final char[] password) {
        try {
            final KeyStore store = emptyStore();
            store.setKeyEntry(ALIAS, key, password, new ArrayList<Certificate>(chain).toArray(Certificate[]::new));
            return store;
        } catch (final GeneralSecurityException e) {
            throw failed("the key store", e);
        }
    }

    /** A key or trust store of the type that all files here have. */
    static KeyStore emptyStore() throws GeneralSecurityException {
        final KeyStore store = KeyStore.getInstance(SecurityFiles.STORE_TYPE);
        try {
            store.load(null, null);
        } catch (final IOException e) {
            throw new IllegalStateException("Making a store in memory reads nothing", e);
        }
        return store;
    }

    private static HarnessException failed(final String what, final Exception cause) {
        return new HarnessException("Cannot make a certificate of " + what, cause);
    }
}
