// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

/**
 * When each transaction of a run should begin, and whether it should at all. Immutable, read by every client's thread.
 */
public record RunPlan(LoadSettings settings, long startNanos) {

    /** A plan that starts now. */
    public RunPlan(final LoadSettings settings) {
        this(settings, System.nanoTime());
    }

    /** From the last client's begin on, so that all are at work for as long as was asked for. */
    long endNanos() {
        return clientStart(settings.clients() - 1) + settings.duration().toNanos();
    }

    /** When a client begins: nanoseconds of {@link System#nanoTime()}. */
    public long clientStart(final int client) {
        return startNanos + client * settings.stagger().toNanos();
    }

    /** From the intended start of a paced client's transaction to that of its next. */
    public long gap(final int client, final int transaction) {
        return settings.arrivals().gap(client, transaction, settings.interval().toNanos());
    }

    /**
     * When a transaction should begin: with a pace where that has put it, however late the client is, which then catches up;
     * flat out, the later of now and where it was put. Nanoseconds of {@link System#nanoTime()}.
     */
    public long intendedStart(final long put, final long now) {
        return settings.paced() || put - now > 0 ? put : now;
    }

    /** Whether a transaction belongs to the run: false when the client has done its share or the time is over. */
    public boolean includes(final int transaction, final long intended, final long now) {
        if (settings.transactions() != LoadSettings.UNLIMITED && transaction >= settings.transactions()) {
            return false;
        }
        return settings.duration().isZero() || (endNanos() - now > 0 && endNanos() - intended > 0);
    }

    /**
     * Tells a recorder of the transactions that the pace had asked of a client and that it did not come to, from one on that was
     * to begin at a moment.
     */
    public void missed(final int client, final int transaction, final long intended, final LoadRecorder recorder) {
        if (!settings.paced() || settings.duration().isZero()) {
            return;
        }
        int next = transaction;
        long start = intended;
        while ((settings.transactions() == LoadSettings.UNLIMITED || next < settings.transactions())
                && endNanos() - start > 0) {
            recorder.missed(start);
            start += gap(client, next);
            next++;
        }
    }
}
