// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.metrics;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** What the listener counts. Thread-safe: written by IO workers and port tasks, read by whoever reports. */
public final class ListenerMetrics {
    /** What is counted, since the start. */
    public enum Count {
        CONNECTIONS_ACCEPTED,
        CONNECTIONS_CLOSED,
        /** Connections closed for a fault. */
        FAULTS,
        /** Push transactions committed. */
        PUSHES,
        FLOW_FILES_RECEIVED,
        BYTES_RECEIVED,
        /** Commits that it took to receive them. */
        COMMITS,
        /** Pull transactions committed. */
        PULLS,
        FLOW_FILES_SENT,
        BYTES_SENT
    }

    /** By the ordinal of what is counted. */
    private final List<LongAdder> counts =
            Stream.generate(LongAdder::new).limit(Count.values().length).toList();

    /** For so long after a commit of several pushes small ones are taken to crowd. */
    private static final long CROWDED_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private volatile long sharedCommitNanos = System.nanoTime() - CROWDED_NANOS;
    private final LongAccumulator longestWorkerDelay = new LongAccumulator(Math::max, 0);

    public void add(final Count count, final long more) {
        counts.get(count.ordinal()).add(more);
    }

    public long get(final Count count) {
        return counts.get(count.ordinal()).sum();
    }

    public long open() {
        return get(Count.CONNECTIONS_ACCEPTED) - get(Count.CONNECTIONS_CLOSED);
    }

    /** A commit of pushes returned. */
    public void committed(final int transactions, final int flowFiles, final long contentBytes) {
        if (transactions > 1) {
            sharedCommitNanos = System.nanoTime();
        }
        add(Count.COMMITS, 1);
        add(Count.PUSHES, transactions);
        add(Count.FLOW_FILES_RECEIVED, flowFiles);
        add(Count.BYTES_RECEIVED, contentBytes);
    }

    /** @return whether pushes come faster than they could be committed one by one */
    public boolean isCrowded() {
        return System.nanoTime() - sharedCommitNanos < CROWDED_NANOS;
    }

    /** A pull was committed. */
    public void sent(final int flowFiles, final long contentBytes) {
        add(Count.PULLS, 1);
        add(Count.FLOW_FILES_SENT, flowFiles);
        add(Count.BYTES_SENT, contentBytes);
    }

    /** @param nanos how much later than due an IO worker came round to its deadlines */
    public void workerLate(final long nanos) {
        longestWorkerDelay.accumulate(nanos);
    }

    /** @return the longest such delay since this was asked last, in nanoseconds */
    public long takeLongestWorkerDelay() {
        return longestWorkerDelay.getThenReset();
    }
}
