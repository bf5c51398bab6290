// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.nios2s.listener.limits.Holder;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.BufferedPush;

/**
 * The requests of peers to push to one port: bounded by {@code request.queue.size}, each from its admission to the end of its
 * transaction. Thread-safe: IO workers acquire places and add, port tasks take.
 *
 * <p>A push acquires a place before its first packet is read. The peers for which there is none wait in turn, their sockets
 * unread, so the queue never holds more than its capacity. A push whose both sides have confirmed is <i>ready</i>; what is ready
 * waits for a port task, in the order in which it became so.
 */
public final class RequestQueue {
    /** Maximum number of FlowFiles in one commit: NiFi looks at back pressure only between commits. */
    static final int COMMIT_FLOW_FILES = 10_000;

    private final SharedResource placesInAll;
    private final SharedResource.Part places;
    private final NanoClock clock;
    private final SequencedSet<BufferedPush> ready = new LinkedHashSet<>();
    /** The first of the ready ones, for readers that hold other locks. */
    private volatile BufferedPush oldest;

    /** @param capacity maximum number of pushes in progress */
    RequestQueue(final int capacity, final NanoClock clock) {
        this.placesInAll = new SharedResource("a place in the request queue", capacity, 0, clock);
        this.places = placesInAll.commonPart();
        this.clock = clock;
    }

    /**
     * Acquires a place for a push that is about to begin. The place is given back when the push has ended, wherever it was by
     * then.
     *
     * @param granted called once, on any thread, when there is a place, if there is none now; must not block
     */
    public Grant acquirePlace(final Holder peer, final Runnable granted) {
        return places.request(peer, granted);
    }

    /** @return the places, for which peers wait */
    SharedResource places() {
        return placesInAll;
    }

    /** @return pushes that have a place: those whose packets arrive, the ready ones, and those in a commit */
    int inProgress() {
        return (int) places.held();
    }

    /** Adds a transaction that is ready. */
    synchronized void add(final BufferedPush transaction) {
        ready.addLast(transaction);
        oldest = ready.getFirst();
    }

    /** Takes out a transaction that its peer has given up. */
    synchronized void remove(final BufferedPush transaction) {
        ready.remove(transaction);
        updateOldest();
    }

    private void updateOldest() {
        if (ready.isEmpty()) {
            oldest = null;
        } else {
            oldest = ready.getFirst();
        }
    }

    /** @return the oldest of the ready ones, which stays, or null. Takes no lock */
    BufferedPush first() {
        return oldest;
    }

    /**
     * Takes the oldest transactions that fit into one commit and claims them for the caller, a port task; drops those that their
     * peers have given up. A single transaction may be larger than a commit.
     *
     * @param batch empty; has every transaction that is claimed, whatever is thrown
     */
    synchronized void claimInto(final List<BufferedPush> batch, final ListenerSettings.Commits limits) {
        try {
            claimWhatFits(batch, limits);
        } finally {
            updateOldest();
        }
    }

    private void claimWhatFits(final List<BufferedPush> batch, final ListenerSettings.Commits limits) {
        final long nowNanos = clock.nanoTime();
        long flowFiles = 0;
        long memory = 0;
        while (!ready.isEmpty() && batch.size() < limits.transactions()) {
            final BufferedPush next = ready.getFirst();
            flowFiles += next.packets().size();
            memory += next.bytes();
            final boolean fits = flowFiles <= COMMIT_FLOW_FILES && memory <= limits.bytes();
            if (!fits && !batch.isEmpty()) {
                return;
            }
            // Added before it is claimed: if the claim or what follows
            // throws, the caller finds the transaction in the batch.
            batch.addLast(next);
            // Past its deadline a transaction stays unclaimed: its
            // own connection ends it, and tells the peer by closing.
            if (next.isPastDeadline(nowNanos) || !next.claim()) {
                batch.removeLast();
            }
            ready.removeFirst();
        }
    }

    /** @return transactions that are ready */
    synchronized int size() {
        return ready.size();
    }
}
