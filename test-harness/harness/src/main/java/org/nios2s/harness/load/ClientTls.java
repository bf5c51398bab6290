// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.nios2s.harness.HarnessException;

/**
 * A TLS client's trust and its own certificate. Immutable; any thread.
 *
 * @param keys    the client's key, for a TLS library that is not the JDK's
 * @param trust   what it trusts, likewise
 * @param context both, for the JDK's TLS
 */
public record ClientTls(KeyManagerFactory keys, TrustManagerFactory trust, SSLContext context) {

    /** Trust and own certificate; the key has the password of both stores. */
    public static ClientTls of(final Path keyStore, final Path trustStore, final char[] password) {
        final KeyStore key = load(keyStore, password);
        final KeyStore trusted = load(trustStore, password);
        try {
            final KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(key, password);
            final TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            final SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return new ClientTls(keys, trust, context);
        } catch (final GeneralSecurityException e) {
            throw new HarnessException("Cannot use the key store " + keyStore + ": " + e.getMessage(), e);
        }
    }

    /** The store in a file, of whichever type it is. */
    public static KeyStore load(final Path file, final char[] password) {
        try {
            return KeyStore.getInstance(file.toFile(), password);
        } catch (final IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new HarnessException("Cannot read the store %s: %s".formatted(file, e.getMessage()), e);
        }
    }
}
