// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.nios2s.listener.time.NanoClock;

/**
 * The rates of all peers, each by the first rule that fits the peer. Thread-safe.
 *
 * <p>A peer is known here as long as it has a connection or has exceeded its rate: it gets no new start by reconnecting, and a quiet
 * peer takes no memory.
 */
public final class RateLimits {
    private final List<RateRule> rules;
    private final NanoClock clock;
    private final Map<Key, PeerRate> rates = new HashMap<>();

    /** The key of a rate: a peer that comes from several addresses may be under several rules. */
    record Key(RateRule rule, PeerKey peer) {}

    /**
     * @param rules in their order
     */
    public RateLimits(final List<RateRule> rules, final NanoClock clock) {
        this.rules = rules;
        this.clock = clock;
    }

    /**
     * @param identity the distinguished name, or null without TLS
     * @return the rate from which a connection of the peer spends, to be given back with {@link #release}
     */
    public PeerRate acquire(final String identity, final InetAddress address) {
        final Optional<RateRule> first =
                rules.stream().filter(rule -> rule.fits(identity, address)).findFirst();
        if (first.isEmpty()) {
            return PeerRate.UNLIMITED;
        }
        final Key key = new Key(first.get(), PeerKey.of(identity, address));
        synchronized (this) {
            final PeerRate rate = rates.computeIfAbsent(key, unknown -> PeerRate.of(unknown, clock));
            rate.use(1);
            return rate;
        }
    }

    /** Gives a rate back: a connection has closed. */
    public void release(final PeerRate rate) {
        if (rate == PeerRate.UNLIMITED) {
            return;
        }
        synchronized (this) {
            rate.use(-1);
            if (rate.isForgettable()) {
                rates.remove(rate.key());
            }
        }
    }

    /** Forgets peers that had exceeded their rate when their last connection closed, and may go on by now. Called once a minute. */
    public synchronized void forgetQuiet() {
        rates.values().removeIf(PeerRate::isForgettable);
    }

    /** @return peers that are known here */
    public synchronized int peers() {
        return rates.size();
    }
}
