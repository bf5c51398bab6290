// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi.security;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.nios2s.harness.HarnessException;

/**
 * What a TLS client trusts and who it is. Immutable, for any thread.
 */
public final class ClientTls {

    private final KeyManagerFactory keys;
    private final TrustManagerFactory trust;
    private final SSLContext context;

    private ClientTls(final KeyStore keyStore, final KeyStore trusted, final char[] password)
            throws GeneralSecurityException {
        keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(keyStore, password);
        trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    }

    /** What to trust and who to be. */
    public static ClientTls of(final Path keyStore, final Path trustStore, final char[] password) {
        return of(load(keyStore, password), load(trustStore, password), password, keyStore);
    }

    static ClientTls of(final KeyStore keyStore, final KeyStore trusted, final char[] password, final Path name) {
        try {
            return new ClientTls(keyStore, trusted, password);
        } catch (final GeneralSecurityException e) {
            throw new HarnessException("Cannot use the key store " + name + ": " + e.getMessage(), e);
        }
    }

    /** The client's key, for a TLS library that is not the JDK's. */
    public KeyManagerFactory keys() {
        return keys;
    }

    /** What the client trusts, for a TLS library that is not the JDK's. */
    public TrustManagerFactory trust() {
        return trust;
    }

    /** Both, for the JDK's TLS. */
    public SSLContext context() {
        return context;
    }

    private static KeyStore load(final Path file, final char[] password) {
        try {
            return KeyStore.getInstance(file.toFile(), password);
        } catch (final IOException | GeneralSecurityException e) {
            throw new HarnessException("Cannot read the store %s: %s".formatted(file, e.getMessage()), e);
        }
    }
}
