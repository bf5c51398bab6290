// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.metrics;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The peers with the highest counts, in bounded memory: the Space-Saving algorithm of Metwally, Agrawal and El Abbadi for heavy
 * hitters. Thread-safe; a call takes time in the logarithm of the bound.
 *
 * <p>Up to {@link #MAX_PEERS} peers are counted exactly. A further peer takes the place of the one with the lowest count, and
 * inherits that count. So a count may be too high by the inherited part, and is never too low. A peer with more than one part in
 * {@link #MAX_PEERS} of the total is always here.
 */
final class TopPeers {
    static final int MAX_PEERS = 1_000;

    private static final Comparator<Tally> LEAST_FIRST =
            Comparator.<Tally>comparingLong(tally -> tally.count).thenComparing(tally -> tally.peer);

    /**
     * A peer and its count.
     *
     * @param inherited by how much the count may be too high
     */
    record Ranked(String peer, long count, long overestimate) {}

    /** A peer's count. Guarded by the lock of the list. */
    private static final class Tally {
        private final String peer;
        private final long overestimate;
        private long count;

        private Tally(final String peer, final long overestimate) {
            this.peer = peer;
            this.overestimate = overestimate;
            this.count = overestimate;
        }
    }

    private final Map<String, Tally> tallies = new HashMap<>();
    private final NavigableSet<Tally> order = new TreeSet<>(LEAST_FIRST);

    synchronized void add(final String peer, final long more) {
        if (more <= 0) {
            return;
        }
        Tally tally = tallies.get(peer);
        if (tally == null) {
            tally = new Tally(peer, evictLeast());
            tallies.put(peer, tally);
        } else {
            order.remove(tally);
        }
        tally.count += more;
        order.add(tally);
    }

    /** @return the count of the peer that had to go; 0 if there is a free place */
    private long evictLeast() {
        if (order.size() < MAX_PEERS) {
            return 0;
        }
        final Tally least = order.pollFirst();
        tallies.remove(least.peer);
        return least.count;
    }

    /** @return the peers with the highest counts, in that order */
    synchronized List<Ranked> top(final int max) {
        return order.descendingSet().stream()
                .limit(max)
                .map(tally -> new Ranked(tally.peer, tally.count, tally.overestimate))
                .toList();
    }

    synchronized int size() {
        return tallies.size();
    }
}
