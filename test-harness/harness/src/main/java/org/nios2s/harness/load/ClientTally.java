// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.BitSet;
import java.util.concurrent.TimeUnit;

/**
 * What one logical client did. Written on that client's thread only; read by others after the run has ended.
 */
public final class ClientTally {

    private final int client;
    private final BitSet acknowledged = new BitSet();
    private final long[] phaseNanos = new long[Phase.values().length];
    private long startMillis;
    private long endMillis;
    private long failures;
    private long successes;
    private long connectNanos;

    /**
     * A client that has done nothing yet.
     *
     * @param client number of the logical client, from 0
     */
    public ClientTally(final int client) {
        this.client = client;
    }

    /** The client begins its work. */
    public void begin() {
        startMillis = System.currentTimeMillis();
        endMillis = startMillis;
    }

    /** The client ends its work. */
    public void end() {
        endMillis = System.currentTimeMillis();
    }

    /**
     * The server acknowledged a transaction.
     *
     * @param transaction its number, from 0
     * @param times       its moments
     */
    public void succeeded(final int transaction, final TransactionTimes times) {
        if (successes == 0) {
            connectNanos = times.nanos(Phase.CREATE);
        }
        successes++;
        acknowledged.set(transaction);
        for (final Phase phase : Phase.values()) {
            phaseNanos[phase.ordinal()] += times.nanos(phase);
        }
    }

    /** A transaction failed. */
    public void failed() {
        failures++;
    }

    /**
     * Which client this is.
     *
     * @return its number, from 0
     */
    public int client() {
        return client;
    }

    /**
     * The transactions that the server acknowledged.
     *
     * @return a bit for each transaction's number
     */
    public BitSet acknowledged() {
        return acknowledged;
    }

    /**
     * Begin of the client's work.
     *
     * @return milliseconds since the epoch
     */
    public long startMillis() {
        return startMillis;
    }

    /**
     * End of the client's work.
     *
     * @return milliseconds since the epoch
     */
    public long endMillis() {
        return endMillis;
    }

    /**
     * Transactions that failed.
     *
     * @return their number
     */
    public long failures() {
        return failures;
    }

    /**
     * Transactions that the server acknowledged.
     *
     * @return their number
     */
    public long successes() {
        return successes;
    }

    /**
     * How long the first acknowledged transaction waited for its connection: connecting and all handshakes.
     *
     * @return milliseconds, 0 when no transaction was acknowledged
     */
    public double connectMillis() {
        return connectNanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }

    /**
     * Time spent in a phase by all acknowledged transactions together.
     *
     * @param phase the phase
     * @return milliseconds
     */
    public long millis(final Phase phase) {
        return TimeUnit.NANOSECONDS.toMillis(phaseNanos[phase.ordinal()]);
    }

    /**
     * Average time of a phase per acknowledged transaction.
     *
     * @param phase the phase
     * @return milliseconds, 0 when no transaction was acknowledged
     */
    public double averageMillis(final Phase phase) {
        return successes == 0 ? 0 : phaseNanos[phase.ordinal()] / (double) successes / TimeUnit.MILLISECONDS.toNanos(1);
    }
}
