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
 * The queue for one limited resource. Guarded by the lock of the limit that owns the queue.
 *
 * <p>First comes the peer that holds least of the resource; among peers that hold the same, and among the waiters of one peer, the
 * waiter that has waited longest. So a single peer, or many peers that hold the same, are served in the order in which they came,
 * and a peer with many waiters delays nobody but itself.
 */
class WaitQueue<W> {
    private static final Comparator<PeerQueue<?>> LEAST_HELD_FIRST = Comparator.<PeerQueue<?>>comparingLong(
                    queue -> queue.holder.held())
            .thenComparingLong(PeerQueue::firstTicket);

    /** The waiters of one peer, in the order in which they came, each with its ticket. Never empty while it is in the order. */
    private static final class PeerQueue<W> {
        private final Holder holder;
        private final SequencedMap<W, Long> waiting = new LinkedHashMap<>();

        PeerQueue(final Holder holder) {
            this.holder = holder;
        }

        long firstTicket() {
            return waiting.firstEntry().getValue();
        }
    }

    private final Map<Holder, PeerQueue<W>> peerQueues = new IdentityHashMap<>();
    private final NavigableSet<PeerQueue<W>> order = new TreeSet<>(LEAST_HELD_FIRST);
    private long tickets;

    void add(final Holder holder, final W waiter) {
        final PeerQueue<W> queue = peerQueues.computeIfAbsent(holder, PeerQueue::new);
        queue.waiting.putLast(waiter, tickets++);
        // The queue of a peer that is in the order already keeps its place: its first ticket is the same.
        order.add(queue);
    }

    final boolean isEmpty() {
        return order.isEmpty();
    }

    /** @return the waiter whose turn it is, or null if there is none */
    W first() {
        if (order.isEmpty()) {
            return null;
        }
        return order.first().waiting.firstEntry().getKey();
    }

    boolean remove(final Holder holder, final W waiter) {
        final PeerQueue<W> queue = peerQueues.get(holder);
        if (queue == null || !queue.waiting.containsKey(waiter)) {
            return false;
        }
        order.remove(queue);
        queue.waiting.remove(waiter);
        if (queue.waiting.isEmpty()) {
            peerQueues.remove(holder);
        } else {
            order.add(queue);
        }
        return true;
    }

    /** Takes a peer out of the order before its amount changes, by which the order is sorted; {@link #putBack} has to follow. */
    void takeOut(final Holder holder) {
        final PeerQueue<W> queue = peerQueues.get(holder);
        if (queue != null) {
            order.remove(queue);
        }
    }

    void putBack(final Holder holder) {
        final PeerQueue<W> queue = peerQueues.get(holder);
        if (queue != null) {
            order.add(queue);
        }
    }
}
