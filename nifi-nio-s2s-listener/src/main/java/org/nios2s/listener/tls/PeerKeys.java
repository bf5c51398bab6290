// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The kinds of keys of which BoringSSL accepts no client certificate. Stateless; any thread.
 *
 * <p>As a server it asks for signatures by RSA keys and by those of two curves. Netty's binding has no call to widen the list.
 */
final class PeerKeys {
    /** The curves whose signatures BoringSSL asks for, by the bits of their order: secp256r1 and secp384r1. */
    private static final Set<Integer> CURVES_OF_BORINGSSL = Set.of(256, 384);

    private PeerKeys() {}

    /** @return the kind of a key with which BoringSSL refuses a peer, or null if it takes such keys */
    static String unknownToBoringSsl(final PublicKey key) {
        if (key instanceof final ECPublicKey ec) {
            final int bits = ec.getParams().getOrder().bitLength();
            if (CURVES_OF_BORINGSSL.contains(bits)) {
                return null;
            }
            return "EC of " + bits + " bits";
        }
        if ("RSA".equals(key.getAlgorithm())) {
            return null;
        }
        return key.getAlgorithm();
    }

    /** @return why BoringSSL would refuse peers that have keys as these certificates, or null if it would not */
    static String obstacle(final List<X509Certificate> ownAndTrusted) {
        return ownAndTrusted.stream()
                .map(certificate -> unknownToBoringSsl(certificate.getPublicKey()))
                .filter(Objects::nonNull)
                .findFirst()
                .map(kind -> "NiFi's certificate, or one that it trusts, has a key of the kind " + kind
                        + ", and OpenSSL refuses peers with such keys")
                .orElse(null);
    }
}
