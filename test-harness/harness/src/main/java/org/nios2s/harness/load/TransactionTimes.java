// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

/**
 * The moments of one transaction, in nanoseconds of {@link System#nanoTime()}. Belongs to one logical client and lives
 * on that client's thread; used again for every transaction.
 */
public final class TransactionTimes {

    private final long[] ends = new long[Phase.values().length];
    private long intended;
    private long started;

    public void start(final long intendedNanos) {
        intended = intendedNanos;
        started = System.nanoTime();
    }

    /** One of the four phases that follow each other ends. */
    public void ended(final Phase phase) {
        ended(phase, System.nanoTime());
    }

    /** The same, at a moment that somebody else measured. */
    public void ended(final Phase phase, final long nanos) {
        ends[phase.ordinal()] = nanos;
    }

    /** When it should have begun; flat out when it began. */
    public long intendedNanos() {
        return intended;
    }

    /** When the server had finished it. */
    public long completedNanos() {
        return ends[Phase.COMPLETE.ordinal()];
    }

    /** How long a phase took: nanoseconds, never negative. */
    public long nanos(final Phase phase) {
        final int number = phase.ordinal();
        final long nanos =
                switch (phase) {
                    case CREATE -> ends[number] - started;
                    case SEND, CONFIRM, COMPLETE -> ends[number] - ends[number - 1];
                    case TOTAL -> completedNanos() - started;
                    case RESPONSE -> completedNanos() - intended;
                };
        return Math.max(0, nanos);
    }
}
