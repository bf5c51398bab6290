// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.concurrent.TimeUnit;

/**
 * When each transaction of a run should begin, and whether it should at all. Immutable, read by every client's thread.
 */
public final class RunPlan {

    private final LoadSettings settings;
    private final long startNanos;
    private final long endNanos;

    /**
     * A plan that starts now.
     *
     * @param settings what the run sends
     */
    public RunPlan(final LoadSettings settings) {
        this(settings, System.nanoTime());
    }

    RunPlan(final LoadSettings settings, final long startNanos) {
        this.settings = settings;
        this.startNanos = startNanos;
        this.endNanos = startNanos + settings.duration().toNanos();
    }

    /**
     * When a client begins.
     *
     * @param client number of the logical client, from 0
     * @return nanoseconds of {@link System#nanoTime()}
     */
    public long clientStart(final int client) {
        return startNanos + client * settings.stagger().toNanos();
    }

    /**
     * When a transaction should begin. A client that is late does not skip: it catches up.
     *
     * @param client      number of the logical client, from 0
     * @param transaction number of its transaction, from 0
     * @param now         nanoseconds of {@link System#nanoTime()}
     * @return nanoseconds of {@link System#nanoTime()}; flat out, the later of now and the client's start
     */
    public long intendedStart(final int client, final int transaction, final long now) {
        final long start = clientStart(client);
        if (settings.paced()) {
            return start + transaction * settings.interval().toNanos();
        }
        return now - start > 0 ? now : start;
    }

    /**
     * Whether a transaction belongs to the run.
     *
     * @param transaction number of a client's transaction, from 0
     * @param intended    when it should begin
     * @param now         nanoseconds of {@link System#nanoTime()}
     * @return false when the client has done its share or the time is over
     */
    public boolean includes(final int transaction, final long intended, final long now) {
        if (settings.transactions() != LoadSettings.UNLIMITED && transaction >= settings.transactions()) {
            return false;
        }
        return settings.duration().isZero() || (endNanos - now > 0 && endNanos - intended > 0);
    }

    /**
     * Time since the start of the run.
     *
     * @return milliseconds
     */
    public long elapsedMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    }
}
