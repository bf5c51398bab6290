// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SequencedMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.limits.SharedResource.Peer;

/**
 * Those that wait at one part of a {@link SharedResource}, in turn. Used under the resource's lock.
 *
 * <p>Of the peers the one comes first that holds least, then the one that has held something longest ago, or has waited longest. What
 * one peer waits for comes in the order in which it was asked for. Lines compare by their first waiters; an empty one has no order.
 */
final class WaitingLine implements Comparable<WaitingLine> {
    private static final Comparator<OfPeer> TURNS = Comparator.<OfPeer>comparingLong(waiting -> waiting.peer.held())
            .thenComparingLong(OfPeer::turn)
            .thenComparingLong(OfPeer::firstTicket);

    private final NavigableSet<OfPeer> order = new TreeSet<>(TURNS);
    private final Map<Peer, OfPeer> peers = new IdentityHashMap<>();

    /** What one peer waits for in this line, each with its ticket. */
    final class OfPeer {
        private final Peer peer;
        private final SequencedMap<Grant, Long> grants = new LinkedHashMap<>();

        private OfPeer(final Peer peer) {
            this.peer = peer;
        }

        private Grant first() {
            return grants.firstEntry().getKey();
        }

        private long firstTicket() {
            return grants.firstEntry().getValue();
        }

        private long turn() {
            return Math.max(peer.lastReturn(), firstTicket());
        }

        /** Before that changes by which it is sorted. */
        void takeOut() {
            order.remove(this);
        }

        void putBack() {
            order.add(this);
        }
    }

    /** @param ticket higher than all before */
    void add(final Grant grant, final long ticket) {
        final OfPeer waiting = peers.computeIfAbsent(grant.peer(), peer -> {
            final OfPeer added = new OfPeer(peer);
            peer.inLines().add(added);
            return added;
        });
        final boolean isNew = waiting.grants.isEmpty();
        waiting.grants.putLast(grant, ticket);
        if (isNew) {
            order.add(waiting);
        }
    }

    void remove(final Grant grant) {
        final OfPeer waiting = peers.get(grant.peer());
        order.remove(waiting);
        waiting.grants.remove(grant);
        if (waiting.grants.isEmpty()) {
            peers.remove(grant.peer());
            grant.peer().inLines().remove(waiting);
        } else {
            order.add(waiting);
        }
    }

    /** @return whose turn it is, or null if nobody waits */
    Grant first() {
        return order.isEmpty() ? null : order.first().first();
    }

    /** @return what each peer waits for first, in turn */
    Stream<Grant> firstOfEach() {
        return order.stream().map(OfPeer::first);
    }

    @Override
    public int compareTo(final WaitingLine other) {
        return TURNS.compare(order.first(), other.order.first());
    }
}
