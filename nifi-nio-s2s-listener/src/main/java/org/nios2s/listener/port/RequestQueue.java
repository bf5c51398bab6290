// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.nios2s.listener.transaction.InboundTransaction;

/**
 * The transactions of one port that both sides have confirmed and that wait for a port task, in order. Thread-safe: IO
 * workers add, port tasks take.
 */
final class RequestQueue {
    /** Most FlowFiles in one commit: NiFi looks at back pressure only between commits. */
    static final int COMMIT_FLOW_FILES = 10_000;

    private final SequencedMap<InboundTransaction, Size> ready = new LinkedHashMap<>();

    /** What a transaction puts into a commit; taken while its connection still owns it. */
    private record Size(int flowFiles, long bytes) {}

    synchronized void add(final InboundTransaction transaction) {
        ready.putLast(transaction, new Size(transaction.packets().size(), transaction.bytes()));
        notify();
    }

    /** Takes out what its peer gave up. */
    synchronized void remove(final InboundTransaction transaction) {
        ready.remove(transaction);
    }

    /** @return the oldest one, which stays, or null */
    synchronized InboundTransaction first() {
        return ready.isEmpty() ? null : ready.firstEntry().getKey();
    }

    /**
     * Takes the oldest ones that fit into one commit and claims them for the caller, a port task; drops those that their
     * peers gave up. One alone may be larger than a commit.
     *
     * @param batch empty; has every transaction that is claimed, whatever is thrown
     */
    synchronized void claimInto(final List<InboundTransaction> batch, final int maxTransactions, final long maxBytes) {
        int flowFiles = 0;
        long bytes = 0;
        while (!ready.isEmpty() && batch.size() < maxTransactions) {
            final Map.Entry<InboundTransaction, Size> next = ready.firstEntry();
            flowFiles += next.getValue().flowFiles;
            bytes += next.getValue().bytes;
            if (!batch.isEmpty() && (flowFiles > COMMIT_FLOW_FILES || bytes > maxBytes)) {
                return;
            }
            batch.addLast(next.getKey());
            if (!next.getKey().claim()) {
                batch.removeLast();
            }
            ready.pollFirstEntry();
        }
    }

    /** Waits until there is one, or something else to do, which {@link #wake} has it ask again; says whether there is. */
    synchronized boolean await(final long nanos, final BooleanSupplier somethingElse) throws InterruptedException {
        final long deadline = System.nanoTime() + nanos;
        long left = nanos;
        while (ready.isEmpty() && !somethingElse.getAsBoolean() && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = deadline - System.nanoTime();
        }
        return !ready.isEmpty() || somethingElse.getAsBoolean();
    }

    /** Lets one who waits look whether there is something else to do. */
    synchronized void wake() {
        notify();
    }

    synchronized int size() {
        return ready.size();
    }
}
