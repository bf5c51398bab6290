// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.nios2s.harness.nifi.security.CertificateAuthority;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;

/**
 * The TLS contexts of clients of a secured NiFi, good ones and bad ones; each call makes a new one, without sessions.
 * Immutable, for any thread.
 */
final class TlsClients {

    private static final Duration ONE_DAY = Duration.ofDays(1);

    private final SecurityFiles security;

    TlsClients(final SecurityFiles security) {
        this.security = security;
    }

    /** One that may use every port. */
    SSLContext authorized() {
        return security.context(security.keyStore(Identity.CLIENT));
    }

    /** One with a valid certificate but no policy. */
    SSLContext stranger() {
        return security.context(security.keyStore(Identity.STRANGER));
    }

    /** One that shows no certificate. */
    SSLContext withoutCertificate() throws GeneralSecurityException {
        return context(null);
    }

    /** One that claims to be the authorized client with a certificate of an authority that NiFi does not know. */
    SSLContext untrusted() throws GeneralSecurityException {
        final CertificateAuthority other = CertificateAuthority.create("CN=another authority");
        return insisting(other.issue(Identity.CLIENT.distinguishedName(), password()));
    }

    /** The authorized client with a certificate that ended to be valid. */
    SSLContext expired() throws GeneralSecurityException {
        final Instant now = Instant.now();
        return insisting(security.authority()
                .issue(
                        Identity.CLIENT.distinguishedName(),
                        password(),
                        now.minus(ONE_DAY.multipliedBy(2)),
                        now.minus(ONE_DAY)));
    }

    /** One of a name, with a certificate that NiFi trusts. */
    SSLContext named(final String distinguishedName) throws GeneralSecurityException {
        return insisting(security.authority().issue(distinguishedName, password()));
    }

    /** The authorized client with a certificate that will end to be valid. */
    SSLContext validUntil(final Instant end) throws GeneralSecurityException {
        return insisting(security.authority()
                .issue(
                        Identity.CLIENT.distinguishedName(),
                        password(),
                        Instant.now().minus(ONE_DAY),
                        end));
    }

    private char[] password() {
        return security.password().toCharArray();
    }

    private SSLContext insisting(final KeyStore store) throws GeneralSecurityException {
        final PrivateKey key = (PrivateKey) store.getKey(CertificateAuthority.ALIAS, password());
        final X509Certificate[] chain = Arrays.stream(store.getCertificateChain(CertificateAuthority.ALIAS))
                .map(X509Certificate.class::cast)
                .toArray(X509Certificate[]::new);
        return context(new KeyManager[] {new InsistentKeyManager(key, chain)});
    }

    private static SSLContext context(final KeyManager[] keys) throws GeneralSecurityException {
        final SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, new TrustManager[] {new TrustAnyServer()}, new SecureRandom());
        return context;
    }

    /** Shows its certificate whether or not the server asks for one like it. Immutable, for any thread. */
    private static final class InsistentKeyManager extends X509ExtendedKeyManager {
        private static final String[] ALIASES = {CertificateAuthority.ALIAS};

        private final PrivateKey key;
        private final X509Certificate[] chain;

        InsistentKeyManager(final PrivateKey key, final X509Certificate[] chain) {
            this.key = key;
            this.chain = chain;
        }

        @Override
        public String[] getClientAliases(final String keyType, final Principal[] issuers) {
            return ALIASES.clone();
        }

        @Override
        public String chooseClientAlias(final String[] keyType, final Principal[] issuers, final Socket socket) {
            return CertificateAuthority.ALIAS;
        }

        @Override
        public String chooseEngineClientAlias(
                final String[] keyType, final Principal[] issuers, final SSLEngine engine) {
            return CertificateAuthority.ALIAS;
        }

        @Override
        public String[] getServerAliases(final String keyType, final Principal[] issuers) {
            return ALIASES.clone();
        }

        @Override
        public String chooseServerAlias(final String keyType, final Principal[] issuers, final Socket socket) {
            return CertificateAuthority.ALIAS;
        }

        @Override
        public X509Certificate[] getCertificateChain(final String alias) {
            return chain.clone();
        }

        @Override
        public PrivateKey getPrivateKey(final String alias) {
            return key;
        }
    }

    /** Leaves it to the server to refuse. Immutable, for any thread. */
    private static final class TrustAnyServer extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(final X509Certificate[] chain, final String type, final Socket socket) {}

        @Override
        public void checkServerTrusted(final X509Certificate[] chain, final String type, final Socket socket) {}

        @Override
        public void checkClientTrusted(final X509Certificate[] chain, final String type, final SSLEngine engine) {}

        @Override
        public void checkServerTrusted(final X509Certificate[] chain, final String type, final SSLEngine engine) {}

        @Override
        public void checkClientTrusted(final X509Certificate[] chain, final String type) {}

        @Override
        public void checkServerTrusted(final X509Certificate[] chain, final String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
