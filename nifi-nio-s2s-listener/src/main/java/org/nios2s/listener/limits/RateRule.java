// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.net.InetAddress;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * How fast each of some peers may be. Immutable; any thread.
 *
 * @param name of the rule, in the settings
 * @param identity what the whole identity of a peer has to match; a peer without TLS has none
 * @param addresses from where a peer has to come
 * @param bytesPerSecond of FlowFiles, both directions together; 0 for no limit
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
