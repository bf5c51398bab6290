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
    private long endNanos() {
        return clientStart(settings.clients() - 1) + settings.duration().toNanos();
    }

    /** When a client begins: nanoseconds of {@link System#nanoTime()}. */
    public long clientStart(final int client) {
        return startNanos + client * settings.stagger().toNanos();
    }

    /**
     * When a transaction should begin. A client that is late does not skip: it catches up: nanoseconds of {@link
     * System#nanoTime()}; flat out, the later of now and the client's start.
     */
    public long intendedStart(final int client, final int transaction, final long now) {
        final long start = clientStart(client);
        if (settings.paced()) {
            return start + transaction * settings.interval().toNanos();
        }
        return now - start > 0 ? now : start;
    }

    /** Whether a transaction belongs to the run: false when the client has done its share or the time is over. */
    public boolean includes(final int transaction, final long intended, final long now) {
        if (settings.transactions() != LoadSettings.UNLIMITED && transaction >= settings.transactions()) {
            return false;
        }
        return settings.duration().isZero() || (endNanos() - now > 0 && endNanos() - intended > 0);
    }

    /** Tells a meter of the transactions that the pace had asked of a client and that it did not come to. */
    public void neverBegun(final int client, final int transaction, final LoadMeter meter) {
        if (!settings.paced() || settings.duration().isZero()) {
            return;
        }
        int next = transaction;
        while ((settings.transactions() == LoadSettings.UNLIMITED || next < settings.transactions())
                && endNanos() - intendedStart(client, next, 0) > 0) {
            meter.neverBegun(intendedStart(client, next, 0));
            next++;
        }
    }
}
