// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.metrics;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** What the listener counts. Thread-safe: written by IO workers and port tasks, read by whoever reports. */
public final class ListenerMetrics {
    private final LongAdder connectionsAccepted = new LongAdder();
    private final LongAdder connectionsClosed = new LongAdder();
    private final LongAdder transactions = new LongAdder();
    private final LongAdder flowFiles = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder commits = new LongAdder();
    private final LongAdder pulls = new LongAdder();
    private final LongAdder flowFilesSent = new LongAdder();
    private final LongAdder bytesSent = new LongAdder();
    private final LongAdder faults = new LongAdder();
    private final LongAccumulator longestWorkerDelay = new LongAccumulator(Math::max, 0);

    /** A connection was accepted. */
    public void accepted() {
        connectionsAccepted.increment();
    }

    /** A connection is gone. */
    public void closed() {
        connectionsClosed.increment();
    }

    /** A connection was closed for a fault. */
    public void faulted() {
        faults.increment();
    }

    /**
     * A group commit returned.
     *
     * @param transactionCount transactions in it
     * @param flowFileCount FlowFiles in it
     * @param contentBytes bytes of content in it
     */
    public void committed(final int transactionCount, final int flowFileCount, final long contentBytes) {
        commits.increment();
        transactions.add(transactionCount);
        flowFiles.add(flowFileCount);
        bytes.add(contentBytes);
    }

    /**
     * A pull transaction was committed.
     *
     * @param flowFileCount FlowFiles in it
     * @param contentBytes bytes of content in it
     */
    public void sent(final int flowFileCount, final long contentBytes) {
        pulls.increment();
        flowFilesSent.add(flowFileCount);
        bytesSent.add(contentBytes);
    }

    /** @param nanos how much later than due an IO worker came round to its deadlines */
    public void workerLate(final long nanos) {
        longestWorkerDelay.accumulate(nanos);
    }

    /** @return the longest such delay since this was asked last, in nanoseconds */
    public long takeLongestWorkerDelay() {
        return longestWorkerDelay.getThenReset();
    }

    /** @return the counts as they are now */
    public Snapshot snapshot() {
        return new Snapshot(
                connectionsAccepted.sum(),
                connectionsAccepted.sum() - connectionsClosed.sum(),
                transactions.sum(),
                flowFiles.sum(),
                bytes.sum(),
                commits.sum(),
                pulls.sum(),
                flowFilesSent.sum(),
                bytesSent.sum(),
                faults.sum());
    }

    /**
     * Counts since the start.
     *
     * @param accepted connections accepted
     * @param open connections open now
     * @param transactions push transactions committed
     * @param flowFiles FlowFiles in them
     * @param bytes bytes of content in them
     * @param commits commits that it took
     * @param pulls pull transactions committed
     * @param flowFilesSent FlowFiles in them
     * @param bytesSent bytes of content in them
     * @param faults connections closed for a fault
     */
    public record Snapshot(
            long accepted,
            long open,
            long transactions,
            long flowFiles,
            long bytes,
            long commits,
            long pulls,
            long flowFilesSent,
            long bytesSent,
            long faults) {}
}
