// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.math.BigInteger;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.X509ExtendedKeyManager;
import org.junit.jupiter.api.Test;

/** What a cache of keys by alias relies on. Runs on one thread. */
class CertificateAliasKeyManagerTest {
    private static final String ALIAS = "nifi#key";

    private final X509ExtendedKeyManager reloading = mock(X509ExtendedKeyManager.class);
    private final X509ExtendedKeyManager keyManager = new CertificateAliasKeyManager(reloading);

    @Test
    void anAliasLeadsToItsCertificateAndKey() {
        final X509Certificate certificate = served(1);
        final PrivateKey key = mock(PrivateKey.class);
        when(reloading.getPrivateKey(ALIAS)).thenReturn(key);

        final String alias = keyManager.chooseEngineServerAlias("EC", null, null);

        assertEquals(alias, keyManager.chooseEngineServerAlias("EC", null, null));
        assertSame(certificate, keyManager.getCertificateChain(alias)[0]);
        assertSame(key, keyManager.getPrivateKey(alias));
    }

    @Test
    void aReloadedCertificateHasAnotherAliasAndTheFormerLeadsNowhere() {
        served(1);
        final String former = keyManager.chooseEngineServerAlias("EC", null, null);

        final X509Certificate certificate = served(2);
        final String alias = keyManager.chooseEngineServerAlias("EC", null, null);

        assertNotEquals(former, alias);
        assertNull(keyManager.getCertificateChain(former));
        assertSame(certificate, keyManager.getCertificateChain(alias)[0]);
    }

    @Test
    void noAliasStaysNone() {
        assertNull(keyManager.chooseEngineServerAlias("EC", null, null));
        assertNull(keyManager.getServerAliases("EC", null));
    }

    private X509Certificate served(final long serialNumber) {
        final X509Certificate certificate = mock(X509Certificate.class);
        when(certificate.getSerialNumber()).thenReturn(BigInteger.valueOf(serialNumber));
        when(reloading.chooseEngineServerAlias("EC", null, null)).thenReturn(ALIAS);
        when(reloading.getCertificateChain(ALIAS)).thenReturn(new X509Certificate[] {certificate});
        return certificate;
    }
}
