// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.metrics;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The peers with the most of something, in bounded memory: the Space-Saving algorithm of Metwally, Agrawal and El Abbadi.
 * Thread-safe; each call takes as long as the logarithm of the bound.
 *
 * <p>Up to {@link #MAX_PEERS} peers are counted exactly. A further one takes the place of the peer with the least, and inherits its
 * count. So a peer's count may be too high by what it inherited, and never too low; a peer that has more than one part in
 * {@link #MAX_PEERS} of all is always here.
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

    /** Guarded by the lock of the ranking. */
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

    /** @return the count of the peer whose place is taken; 0 where there is a free one */
    private long evictLeast() {
        if (order.size() < MAX_PEERS) {
            return 0;
        }
        final Tally least = order.pollFirst();
        tallies.remove(least.peer);
        return least.count;
    }

    /** @return so many peers with the most, those first */
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
