// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.net.InetAddress;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A rule that limits the rate of each peer that it fits. Immutable; any thread.
 *
 * @param name of the rule in the settings
 * @param identity the pattern that the whole identity of a peer has to match; a peer without TLS has no identity
 * @param addresses from which a peer has to come
 * @param bytesPerSecond bytes of FlowFiles, both directions together; 0 for no limit
 * @param transactionsPerSecond pushes and pulls that begin; 0 for no limit
 */
public record RateRule(
        String name,
        Optional<Pattern> identity,
        Optional<Predicate<InetAddress>> addresses,
        long bytesPerSecond,
        long transactionsPerSecond) {
    boolean fits(final String peer, final InetAddress address) {
        return identity.map(pattern -> peer != null && pattern.matcher(peer).matches())
                        .orElse(true)
                && addresses.map(range -> range.test(address)).orElse(true);
    }
}
