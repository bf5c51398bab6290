// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.nios2s.listener.port.DestinationRoom.CommitClaim;
import org.nios2s.listener.port.DestinationRoom.Load;
import org.nios2s.listener.transaction.BufferedPush;

/**
 * The transactions of one port that both sides have confirmed and that wait for a port task, in order. Thread-safe: IO
 * workers add, port tasks take.
 */
final class RequestQueue {
    /** Most FlowFiles in one commit: NiFi looks at back pressure only between commits. */
    static final int COMMIT_FLOW_FILES = 10_000;

    private final SequencedMap<BufferedPush, Size> ready = new LinkedHashMap<>();
    /** The first of them, for readers that hold other locks. */
    private volatile BufferedPush oldest;

    /**
     * What a transaction puts into a commit; taken while its connection still owns it.
     *
     * @param load on the destination
     * @param memory that it holds, in bytes
     */
    private record Size(Load load, long memory) {}

    /**
     * How much one commit takes.
     *
     * @param transactions at most
     * @param memory in bytes, after which no further transaction is taken
     */
    record CommitLimits(int transactions, long memory) {}

    synchronized void add(final BufferedPush transaction) {
        ready.putLast(transaction, new Size(loadOf(transaction), transaction.bytes()));
        oldest = ready.firstEntry().getKey();
    }

    /** Takes out what its peer gave up. */
    synchronized void remove(final BufferedPush transaction) {
        ready.remove(transaction);
        updateOldest();
    }

    private void updateOldest() {
        oldest = ready.isEmpty() ? null : ready.firstEntry().getKey();
    }

    /** @return the oldest one, which stays, or null. Takes no lock */
    BufferedPush first() {
        return oldest;
    }

    static Load loadOf(final BufferedPush transaction) {
        return new Load(transaction.packets().size(), transaction.contentBytes());
    }

    /**
     * Takes the oldest ones that fit into one commit and claims them for the caller, a port task; drops those that their
     * peers gave up. One alone may be larger than a commit.
     *
     * @param batch empty; has every transaction that is claimed, whatever is thrown
     * @param destination claims the room that they take, and has no more where the destination is full
     */
    synchronized void claimInto(
            final List<BufferedPush> batch, final CommitLimits limits, final CommitClaim destination) {
        try {
            claimWhatFits(batch, limits, destination);
        } finally {
            updateOldest();
        }
    }

    private void claimWhatFits(
            final List<BufferedPush> batch, final CommitLimits limits, final CommitClaim destination) {
        final long nowNanos = System.nanoTime();
        long flowFiles = 0;
        long memory = 0;
        while (!ready.isEmpty() && batch.size() < limits.transactions) {
            final BufferedPush next = ready.firstEntry().getKey();
            final Size size = ready.firstEntry().getValue();
            flowFiles += size.load.flowFiles();
            memory += size.memory;
            final boolean fits = batch.isEmpty() || flowFiles <= COMMIT_FLOW_FILES && memory <= limits.memory;
            if (!fits || !destination.tryAdd(size.load)) {
                return;
            }
            batch.addLast(next);
            // Past its deadline it stays unclaimed: its own connection ends it, and tells the peer by closing.
            if (next.isPastDeadline(nowNanos) || !next.claim()) {
                batch.removeLast();
                destination.remove(size.load);
            }
            ready.pollFirstEntry();
        }
    }

    synchronized int size() {
        return ready.size();
    }
}
