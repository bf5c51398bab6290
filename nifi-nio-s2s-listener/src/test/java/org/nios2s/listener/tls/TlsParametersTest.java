// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.NoSuchAlgorithmException;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is offered to TLS clients, and when BoringSSL can't offer just that. Runs on one thread. */
class TlsParametersTest {
    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");
    private static final List<String> SUITES = List.of(
            "TLS_AES_256_GCM_SHA384",
            "TLS_AES_128_GCM_SHA256",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");

    @Test
    void onlySuitesThatJavaAllowsAreOfferedAndNoneThatJettyLeavesOut() throws NoSuchAlgorithmException {
        final SSLContext context = SSLContext.getDefault();

        final TlsParameters offer = TlsParameters.ofHttps(context);

        assertTrue(offer.suites().contains("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"), offer::toString);
        assertTrue(List.of(context.createSSLEngine().getEnabledCipherSuites()).containsAll(offer.suites()));
        assertEquals(
                List.of(),
                offer.suites().stream()
                        .filter(suite -> suite.startsWith("TLS_RSA_") || suite.endsWith("_SHA"))
                        .toList());
        assertTrue(offer.groups().contains("secp256r1"), offer::toString);
    }

    @Test
    void boringSslIsToldTheGroupsThatItKnowsInTheOrderOfJava() {
        final TlsParameters offer =
                new TlsParameters(PROTOCOLS, SUITES, List.of("x448", "secp384r1", "x25519", "ffdhe2048"), null);

        assertArrayEquals(new String[] {"secp384r1", "x25519"}, offer.groupsOfBoringSsl());
        assertNull(offer.obstacleToBoringSsl());
    }

    @Test
    void boringSslDoesNotServeWhereJavaForbidsWhatItAlwaysOffers() {
        final TlsParameters offer = new TlsParameters(PROTOCOLS, SUITES.subList(0, 2), List.of("x25519"), null);

        assertEquals(
                "it always offers [TLS_CHACHA20_POLY1305_SHA256], which this Java forbids",
                offer.obstacleToBoringSsl());
        assertNull(new TlsParameters(List.of("TLSv1.2"), SUITES.subList(3, 4), List.of("x25519"), null)
                .obstacleToBoringSsl());
    }

    @Test
    void boringSslDoesNotServeWithoutAGroupOfJava() {
        assertEquals(
                "it has none of this Java's groups [x448]",
                new TlsParameters(PROTOCOLS, SUITES, List.of("x448"), null).obstacleToBoringSsl());
    }

    @ParameterizedTest
    @CsvSource({
        "'AES/GCM/NoPadding KeyUpdate 2^37, ChaCha20-Poly1305 KeyUpdate 2^37', false",
        "'AES/GCM/NoPadding KeyUpdate 2^37, ChaCha20-Poly1305 KeyUpdate 2^20', true",
        "'aes/gcm/nopadding keyupdate 1048576', true",
        "AES/GCM/NoPadding KeyUpdate 99999999999999999999, false",
        "AES/GCM/NoPadding Something 2^20, false",
        "'', false",
        ", false"
    })
    void boringSslDoesNotServeWhereThisJavaRenewsKeysOftenerThanByDefault(final String keyLimits, final boolean often) {
        final List<String> groups = List.of("x25519");

        final String obstacle = new TlsParameters(PROTOCOLS, SUITES, groups, keyLimits).obstacleToBoringSsl();

        assertEquals(often, obstacle != null, () -> obstacle);
        assertNull(new TlsParameters(List.of("TLSv1.2"), SUITES, groups, keyLimits).obstacleToBoringSsl());
    }
}
