// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.time.Duration;

/**
 * The moments of one transaction, in nanoseconds of {@link System#nanoTime()}. Belongs to one logical client and lives
 * on that client's thread; used again for every transaction.
 */
public final class TransactionTimes {

    private long intended;
    private long started;
    private long created;
    private long sent;
    private long confirmed;
    private long completed;

    /** A transaction begins. */
    public void start(final long intendedNanos) {
        intended = intendedNanos;
        started = System.nanoTime();
    }

    /** There is a connection that is ready for it. */
    public void created() {
        created = System.nanoTime();
    }

    /** Its packets have been handed to the socket. */
    public void sent() {
        sent = System.nanoTime();
    }

    /** The server has confirmed the checksum. */
    public void confirmed() {
        confirmed = System.nanoTime();
    }

    /** The server has finished it. */
    public void completed() {
        completed = System.nanoTime();
    }

    /** The transaction has ended, and somebody else measured it from its begin on. */
    public void reached(
            final long begun,
            final Duration untilCreated,
            final Duration untilSent,
            final Duration untilConfirmed,
            final Duration untilCompleted) {
        created = begun + untilCreated.toNanos();
        sent = begun + untilSent.toNanos();
        confirmed = begun + untilConfirmed.toNanos();
        completed = begun + untilCompleted.toNanos();
    }

    /** When it should have begun; flat out when it began. */
    public long intendedNanos() {
        return intended;
    }

    /** When the server had finished it. */
    public long completedNanos() {
        return completed;
    }

    /** How long a phase took: nanoseconds, never negative. */
    public long nanos(final Phase phase) {
        final long nanos =
                switch (phase) {
                    case CREATE -> created - started;
                    case SEND -> sent - created;
                    case CONFIRM -> confirmed - sent;
                    case COMPLETE -> completed - confirmed;
                    case TOTAL -> completed - started;
                    case RESPONSE -> completed - intended;
                };
        return Math.max(0, nanos);
    }
}
