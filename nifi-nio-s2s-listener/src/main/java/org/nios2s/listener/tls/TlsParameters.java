// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.apache.nifi.security.util.TlsPlatform;

/**
 * What NiFi's own HTTPS offers to clients, so that the RAW port offers no more and no less. Immutable, for any thread.
 *
 * <p>That is what Java allows by its security properties, {@code jdk.tls.disabledAlgorithms} above all, but for the suites
 * that Jetty leaves out.
 *
 * @param protocols versions of TLS
 * @param suites cipher suites by the names that Java has for them, best first
 * @param groups for the key agreement, by the names that Java has for them, best first
 */
record TlsParameters(List<String> protocols, List<String> suites, List<String> groups) {
    /** Jetty's {@code SslContextFactory} leaves these out: message digests by MD5 or SHA-1, keys sent by RSA, no keys. */
    private static final Pattern LEFT_OUT =
            Pattern.compile(".*_(MD5|SHA|SHA1)|TLS_RSA_.*|SSL_.*|.*_NULL_.*|.*_anon_.*");

    /** The groups of Java's names that BoringSSL has. */
    private static final Set<String> GROUPS_OF_BORINGSSL =
            Set.of("x25519", "secp256r1", "secp384r1", "secp521r1", "X25519MLKEM768");

    /** What BoringSSL offers with TLS 1.3, whatever it is told. */
    private static final List<String> FIXED_SUITES_OF_BORINGSSL =
            List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");

    private static final String TLS_1_3 = "TLSv1.3";

    /** @param sslContext NiFi's own, on which its HTTPS works */
    static TlsParameters ofHttps(final SSLContext sslContext) {
        final SSLEngine engine = sslContext.createSSLEngine();
        engine.setUseClientMode(false);
        final List<String> suites = Arrays.stream(engine.getEnabledCipherSuites())
                .filter(suite -> !LEFT_OUT.matcher(suite).matches())
                .toList();
        final String[] groups = engine.getSSLParameters().getNamedGroups();
        return new TlsParameters(
                List.copyOf(TlsPlatform.getPreferredProtocols()), suites, groups == null ? List.of() : List.of(groups));
    }

    /** @return the groups that BoringSSL has of these */
    String[] groupsOfBoringSsl() {
        return groups.stream().filter(GROUPS_OF_BORINGSSL::contains).toArray(String[]::new);
    }

    /** @return why BoringSSL can't offer this, or null if it can */
    String obstacleToBoringSsl() {
        final List<String> forbidden = FIXED_SUITES_OF_BORINGSSL.stream()
                .filter(suite -> !suites.contains(suite))
                .toList();
        if (protocols.contains(TLS_1_3) && !forbidden.isEmpty()) {
            return "it always offers " + forbidden + ", which this Java forbids";
        }
        return groupsOfBoringSsl().length == 0 ? "it has none of this Java's groups " + groups : null;
    }
}
