// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.BitSet;
import java.util.concurrent.TimeUnit;

/**
 * The counts of one logical client; passes them on to the run's recorder. Written on that client's thread only; read by others
 * after the run has ended.
 */
public final class ClientStats {

    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final int client;
    private final LoadRecorder recorder;
    private final BitSet acknowledged = new BitSet();
    private final long[] phaseNanos = new long[Phase.values().length];
    private long startMillis;
    private long endMillis;
    private long failures;
    private long successes;
    private long connectNanos;

    /** A client of this number, from 0, that has done nothing yet. */
    public ClientStats(final int client, final LoadRecorder recorder) {
        this.client = client;
        this.recorder = recorder;
    }

    public void begin() {
        startMillis = System.currentTimeMillis();
        endMillis = startMillis;
        recorder.clientBegins();
    }

    public void end() {
        endMillis = System.currentTimeMillis();
        recorder.clientEnds();
    }

    /** The transaction of this number was finished, and the server may have said that it is full now. */
    public void succeeded(
            final int transaction,
            final TransactionTimes times,
            final boolean full,
            final long flowFiles,
            final long contentBytes) {
        if (successes == 0) {
            connectNanos = times.nanos(Phase.CREATE);
        }
        successes++;
        acknowledged.set(transaction);
        for (final Phase phase : Phase.values()) {
            phaseNanos[phase.ordinal()] += times.nanos(phase);
        }
        recorder.succeeded(times, full, flowFiles, contentBytes);
    }

    /** A transaction failed, for a reason in words that are the same for the same cause. */
    public void failed(final String cause, final TransactionTimes times) {
        failures++;
        recorder.failed(cause, times.intendedNanos());
    }

    /** Number of the client, from 0. */
    public int client() {
        return client;
    }

    /** A bit for the number of each acknowledged transaction. */
    public BitSet acknowledged() {
        return acknowledged;
    }

    /** Begin of the client's work in milliseconds since the epoch. */
    public long startMillis() {
        return startMillis;
    }

    /** End of the client's work in milliseconds since the epoch. */
    public long endMillis() {
        return endMillis;
    }

    public long failures() {
        return failures;
    }

    /** Acknowledged transactions. */
    public long successes() {
        return successes;
    }

    /** How long the first acknowledged transaction waited for its connection: connecting and all handshakes. */
    public long connectMicros() {
        return TimeUnit.NANOSECONDS.toMicros(connectNanos);
    }

    /** Milliseconds spent in a phase by all acknowledged transactions together. */
    public long millis(final Phase phase) {
        return TimeUnit.NANOSECONDS.toMillis(phaseNanos[phase.ordinal()]);
    }

    /** Milliseconds of a phase per acknowledged transaction, 0 when there was none. */
    public double averageMillis(final Phase phase) {
        return successes == 0 ? 0 : phaseNanos[phase.ordinal()] / (double) successes / NANOS_PER_MILLI;
    }
}
