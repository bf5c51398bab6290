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
 * <p>Up to {@link #MOST_PEERS} peers are counted exactly. A further one takes the place of the peer with the least, and inherits its
 * count. So a peer's count may be too high by what it inherited, and never too low; a peer that has more than one part in
 * {@link #MOST_PEERS} of all is always here.
 */
final class PeerRanking {
    static final int MOST_PEERS = 1_000;

    private static final Comparator<Tally> LEAST_FIRST =
            Comparator.<Tally>comparingLong(tally -> tally.count).thenComparing(tally -> tally.peer);

    /**
     * A peer and its count.
     *
     * @param inherited by how much the count may be too high
     */
    record Ranked(String peer, long count, long inherited) {}

    /** Guarded by the lock of the ranking. */
    private static final class Tally {
        private final String peer;
        private final long inherited;
        private long count;

        private Tally(final String peer, final long inherited) {
            this.peer = peer;
            this.inherited = inherited;
            this.count = inherited;
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
            tally = new Tally(peer, inheritance());
            tallies.put(peer, tally);
        } else {
            order.remove(tally);
        }
        tally.count += more;
        order.add(tally);
    }

    /** @return the count of the peer whose place is taken; 0 where there is a free one */
    private long inheritance() {
        if (order.size() < MOST_PEERS) {
            return 0;
        }
        final Tally least = order.pollFirst();
        tallies.remove(least.peer);
        return least.count;
    }

    /** @return so many peers with the most, those first */
    synchronized List<Ranked> first(final int most) {
        return order.descendingSet().stream()
                .limit(most)
                .map(tally -> new Ranked(tally.peer, tally.count, tally.inherited))
                .toList();
    }

    synchronized int size() {
        return tallies.size();
    }
}
