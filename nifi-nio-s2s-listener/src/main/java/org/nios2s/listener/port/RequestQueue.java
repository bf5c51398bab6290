// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.nios2s.listener.limits.Holder;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.SharedResource.Grant;
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
    private final SequencedMap<BufferedPush, Size> ready = new LinkedHashMap<>();
    /** The first of the ready ones, for readers that hold other locks. */
    private volatile BufferedPush oldest;

    /**
     * The size of a transaction in a commit; taken while its connection still owns the transaction.
     *
     * @param memory that the transaction holds, in bytes
     */
    private record Size(int flowFiles, long memory) {}

    /**
     * The limits of one commit.
     *
     * @param transactions maximum number
     * @param memory in bytes, after which no further transaction is taken
     */
    record CommitLimits(int transactions, long memory) {}

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
        ready.putLast(transaction, new Size(transaction.packets().size(), transaction.bytes()));
        oldest = ready.firstEntry().getKey();
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
            oldest = ready.firstEntry().getKey();
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
    synchronized void claimInto(final List<BufferedPush> batch, final CommitLimits limits) {
        try {
            claimWhatFits(batch, limits);
        } finally {
            updateOldest();
        }
    }

    private void claimWhatFits(final List<BufferedPush> batch, final CommitLimits limits) {
        final long nowNanos = clock.nanoTime();
        long flowFiles = 0;
        long memory = 0;
        while (!ready.isEmpty() && batch.size() < limits.transactions) {
            final BufferedPush next = ready.firstEntry().getKey();
            final Size size = ready.firstEntry().getValue();
            flowFiles += size.flowFiles;
            memory += size.memory;
            final boolean fits = flowFiles <= COMMIT_FLOW_FILES && memory <= limits.memory;
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
            ready.pollFirstEntry();
        }
    }

    /** @return transactions that are ready */
    synchronized int size() {
        return ready.size();
    }
}
