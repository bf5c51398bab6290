/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
 * Makes of key and trust stores what a TLS client needs.
 * Stateless, for any thread.
 */
public final class ClientTls {

    private ClientTls() {}

    /**
     * What to trust and who to be.
     *
     * @param keyStore file with the client's key, PKCS12 or JKS
     * @param trustStore file with the authority that issued the server's certificate
     * @param password of both stores and of the key
     * @throws HarnessException when a store can't be read with that password
     */
    public static SSLContext of(final Path keyStore, final Path trustStore, final char[] password) {
        return of(load(keyStore, password), load(trustStore, password), password, keyStore);
    }

    static SSLContext of(final KeyStore keys, final KeyStore trusted, final char[] password, final Path name) {
        try {
            final KeyManagerFactory keyManagers =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keyManagers.init(keys, password);
            final TrustManagerFactory trustManagers =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trustManagers.init(trusted);
            final SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers.getKeyManagers(), trustManagers.getTrustManagers(), null);
            return context;
        } catch (final GeneralSecurityException e) {
            throw new HarnessException("Cannot use the key store " + name + ": " + e.getMessage(), e);
        }
    }

    private static KeyStore load(final Path file, final char[] password) {
        try {
            return KeyStore.getInstance(file.toFile(), password);
        } catch (final IOException | GeneralSecurityException e) {
            throw new HarnessException("Cannot read the store %s: %s".formatted(file, e.getMessage()), e);
        }
    }
}
