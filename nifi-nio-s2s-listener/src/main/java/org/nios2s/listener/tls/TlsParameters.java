// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import java.security.Security;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.apache.nifi.security.util.TlsPlatform;

/**
 * The TLS parameters that NiFi's own HTTPS offers to clients: the RAW port offers the same. Immutable; any thread.
 *
 * <p>They are those that Java's security properties allow, {@code jdk.tls.disabledAlgorithms} above all, without the suites that
 * Jetty excludes.
 *
 * @param protocols versions of TLS
 * @param suites cipher suites by their Java names, best first
 * @param groups for the key agreement, by their Java names, best first
 * @param keyLimits {@code jdk.tls.keyLimits}: the bytes after which a key of TLS 1.3 is renewed; may be null
 */
record TlsParameters(List<String> protocols, List<String> suites, List<String> groups, String keyLimits) {
    /** The suites that Jetty's {@code SslContextFactory} excludes: digests by MD5 or SHA-1, keys sent by RSA, no keys. */
    private static final Pattern EXCLUDED =
            Pattern.compile(".*_(MD5|SHA|SHA1)|TLS_RSA_.*|SSL_.*|.*_NULL_.*|.*_anon_.*");

    /** The groups that BoringSSL has, by their Java names. */
    private static final Set<String> GROUPS_OF_BORINGSSL =
            Set.of("x25519", "secp256r1", "secp384r1", "secp521r1", "X25519MLKEM768");

    /** The suites that BoringSSL always offers with TLS 1.3; its API can't exclude them. */
    private static final List<String> FIXED_SUITES_OF_BORINGSSL =
            List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");

    static final String TLS_1_3 = "TLSv1.3";

    /** The security property with the bytes after which Java renews a key. */
    static final String KEY_LIMITS = "jdk.tls.keyLimits";

    private static final Pattern KEY_LIMIT = Pattern.compile("\\bKeyUpdate\\s+(2\\^)?(\\d+)", Pattern.CASE_INSENSITIVE);

    /** @param sslContext NiFi's own, on which its HTTPS works */
    static TlsParameters ofHttps(final SSLContext sslContext) {
        final SSLEngine engine = sslContext.createSSLEngine();
        engine.setUseClientMode(false);
        final List<String> suites = Arrays.stream(engine.getEnabledCipherSuites())
                .filter(suite -> !EXCLUDED.matcher(suite).matches())
                .toList();
        final String[] groups = engine.getSSLParameters().getNamedGroups();
        List<String> offered = List.of();
        if (groups != null) {
            offered = List.of(groups);
        }
        return new TlsParameters(
                List.copyOf(TlsPlatform.getPreferredProtocols()), suites, offered, Security.getProperty(KEY_LIMITS));
    }

    /** @return the offered groups that BoringSSL has */
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
        if (groupsOfBoringSsl().length == 0) {
            return "it has none of this Java's groups " + groups;
        }
        if (protocols.contains(TLS_1_3) && renewsKeysOften()) {
            return "it never renews a key, and this Java does so more often than by default (jdk.tls.keyLimits="
                    + keyLimits + ")";
        }
        return null;
    }

    /** @return whether a limit is lower than Java's own: where NiFi's Java has such a limit, the peers' Java often has it, too */
    private boolean renewsKeysOften() {
        return keyLimitBytes(keyLimits) < ReadKey.DEFAULT_LIMIT_BYTES;
    }

    /** @return the lowest of these limits, or {@link Long#MAX_VALUE} for none */
    static long keyLimitBytes(final String keyLimits) {
        if (keyLimits == null) {
            return Long.MAX_VALUE;
        }
        return (long) KEY_LIMIT
                .matcher(keyLimits)
                .results()
                .mapToDouble(TlsParameters::bytes)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private static double bytes(final MatchResult limit) {
        final double number = Double.parseDouble(limit.group(2));
        if (limit.group(1) == null) {
            return number;
        }
        return Math.pow(2, number);
    }
}
