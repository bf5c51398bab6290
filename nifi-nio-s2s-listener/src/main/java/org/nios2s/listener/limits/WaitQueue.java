// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SequencedMap;
import java.util.TreeSet;
import org.nios2s.listener.limits.PeerUsage.Holder;

/**
 * Requests that wait for one limited thing. Guarded by the lock of the limit that owns it.
 *
 * <p>The next one is of the peer that holds least of the thing; among peers that hold the same, and within a peer, the one
 * that has waited longest. So a single peer, or many that hold the same, are served in the order in which they came, and a
 * peer with many requests holds up nobody but itself.
 */
class WaitQueue<W> {
    private static final Comparator<Line<?>> LEAST_HELD_FIRST =
            Comparator.<Line<?>>comparingLong(line -> line.holder.held()).thenComparingLong(Line::firstTicket);

    /** The requests of one peer, in the order in which they came, each with its ticket. Never empty in the order. */
    private static final class Line<W> {
        private final Holder holder;
        private final SequencedMap<W, Long> waiting = new LinkedHashMap<>();

        Line(final Holder holder) {
            this.holder = holder;
        }

        long firstTicket() {
            return waiting.firstEntry().getValue();
        }
    }

    private final Map<Holder, Line<W>> lines = new IdentityHashMap<>();
    private final NavigableSet<Line<W>> order = new TreeSet<>(LEAST_HELD_FIRST);
    private long tickets;

    void add(final Holder holder, final W request) {
        final Line<W> line = lines.computeIfAbsent(holder, Line::new);
        line.waiting.putLast(request, tickets++);
        // A line that is in the order already keeps its place: its first ticket is the same.
        order.add(line);
    }

    final boolean isEmpty() {
        return order.isEmpty();
    }

    /** @return whose turn it is, or null where nobody waits */
    W first() {
        return order.isEmpty() ? null : order.first().waiting.firstEntry().getKey();
    }

    boolean remove(final Holder holder, final W request) {
        final Line<W> line = lines.get(holder);
        if (line == null || !line.waiting.containsKey(request)) {
            return false;
        }
        order.remove(line);
        line.waiting.remove(request);
        if (line.waiting.isEmpty()) {
            lines.remove(holder);
        } else {
            order.add(line);
        }
        return true;
    }

    /** What a peer holds is about to change, and with that its place in the order; {@link #putBack} is to follow. */
    void takeOut(final Holder holder) {
        final Line<W> line = lines.get(holder);
        if (line != null) {
            order.remove(line);
        }
    }

    void putBack(final Holder holder) {
        final Line<W> line = lines.get(holder);
        if (line != null) {
            order.add(line);
        }
    }
}
