// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi.security;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.nios2s.harness.HarnessException;

/**
 * Issues the certificates of a NiFi and of its clients: for tests and measurements on loopback, not for anything else.
 * Immutable; any thread.
 *
 * @param authority its own key and certificate
 */
public record CertificateAuthority(X509Bundle authority) {

    /** The name under which the key of a key store is found, and the authority in a trust store. */
    public static final String ALIAS = "s2s-harness";

    private static final Duration CLOCK_TOLERANCE = Duration.ofHours(1);
    private static final Duration VALIDITY = Duration.ofDays(365);

    public static CertificateAuthority create(final String distinguishedName) {
        return made("the authority " + distinguishedName, () -> {
            final CertificateBuilder own = validNow().subject(distinguishedName).ecp256();
            own.setIsCertificateAuthority(true).setKeyUsage(true, KeyUsage.keyCertSign, KeyUsage.cRLSign);
            return new CertificateAuthority(own.buildSelfSigned());
        });
    }

    /** The authority that a key store made by {@link #keyStore} holds. */
    static CertificateAuthority of(final KeyStore keyStore, final char[] password) {
        return made("an authority from its key store", () -> {
            final X509Certificate certificate = (X509Certificate) keyStore.getCertificate(ALIAS);
            final PrivateKey key = (PrivateKey) keyStore.getKey(ALIAS, password);
            return new CertificateAuthority(
                    X509Bundle.fromRootCertificateAuthority(certificate, new KeyPair(certificate.getPublicKey(), key)));
        });
    }

    /** A key store with the authority's own key. */
    KeyStore keyStore(final char[] password) {
        return made("the key store", () -> keyStore(authority, password, authority.getCertificate()));
    }

    public KeyStore trustStore() {
        return made("the trust store", () -> {
            final KeyStore store = emptyStore();
            store.setCertificateEntry(ALIAS, authority.getCertificate());
            return store;
        });
    }

    /** A key store with a new key and a certificate, for both ends of a connection, that is valid now. */
    public KeyStore issue(final String distinguishedName, final char[] password) {
        return issue(validNow().ecp256().setKeyUsage(true, KeyUsage.digitalSignature), distinguishedName, password);
    }

    /** The same, valid at another time. */
    public KeyStore issue(
            final String distinguishedName, final char[] password, final Instant from, final Instant until) {
        final CertificateBuilder then = new CertificateBuilder().notBefore(from).notAfter(until);
        return issue(then.ecp256().setKeyUsage(true, KeyUsage.digitalSignature), distinguishedName, password);
    }

    /** The same with a key and for a time that a builder says. */
    public KeyStore issue(final CertificateBuilder builder, final String distinguishedName, final char[] password) {
        return made("a certificate of " + distinguishedName, () -> {
            final X509Bundle issued = builder.subject(distinguishedName)
                    .addExtendedKeyUsageClientAuth()
                    .addExtendedKeyUsageServerAuth()
                    .addSanDnsName("localhost")
                    .addSanIpAddress("127.0.0.1")
                    .buildIssuedBy(authority);
            return keyStore(issued, password, issued.getCertificate(), authority.getCertificate());
        });
    }

    private static CertificateBuilder validNow() {
        return new CertificateBuilder()
                .notBefore(Instant.now().minus(CLOCK_TOLERANCE))
                .notAfter(Instant.now().plus(VALIDITY));
    }

    private static KeyStore keyStore(final X509Bundle bundle, final char[] password, final X509Certificate... chain)
            throws IOException, GeneralSecurityException {
        final KeyStore store = emptyStore();
        store.setKeyEntry(ALIAS, bundle.getKeyPair().getPrivate(), password, chain);
        return store;
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        final KeyStore store = KeyStore.getInstance(SecurityFiles.STORE_TYPE);
        store.load(null, null);
        return store;
    }

    private static <T> T made(final String what, final Callable<T> work) {
        try {
            return work.call();
        } catch (final Exception e) {
            throw new HarnessException("Cannot make " + what, e);
        }
    }
}
