// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.nios2s.listener.time.NanoClock;

/**
 * One rate of one peer, as a token bucket that lends: what has come is spent, and the meter says how long to wait until that is
 * made up for. Thread-safe, without a lock.
 *
 * <p>All connections of a peer spend from the same meter. Each is told a time of its own, behind those that spent before it, so they
 * take turns, and none wakes only to find that another one was faster.
 */
final class RateMeter {
    private final double nanosPerUnit;
    private final long burstNanos;
    private final NanoClock clock;
    /** Until when the rate is used up. */
    private final AtomicLong usedUntilNanos;

    /**
     * @param unitsPerSecond the rate
     * @param burstNanos how much of it may come at once, as the time in which it would have come evenly
     */
    RateMeter(final long unitsPerSecond, final long burstNanos, final NanoClock clock) {
        this.nanosPerUnit = (double) TimeUnit.SECONDS.toNanos(1) / unitsPerSecond;
        this.burstNanos = burstNanos;
        this.clock = clock;
        this.usedUntilNanos = new AtomicLong(clock.nanoTime());
    }

    /** @return nanoseconds until the one who spends may go on */
    long spend(final long units) {
        final long now = clock.nanoTime();
        final long cost = cost(units);
        final long used = usedUntilNanos.updateAndGet(before -> before + Math.max(0, now - before) + cost);
        return Math.max(0, used - now - burstNanos);
    }

    /** What was spent has not been used after all: others need not wait for it. */
    void giveBack(final long units) {
        usedUntilNanos.addAndGet(-cost(units));
    }

    private long cost(final long units) {
        return (long) (units * nanosPerUnit);
    }

    /** @return whether nothing has yet to be made up for: then it is as a new one */
    boolean isQuiet() {
        return clock.nanoTime() - usedUntilNanos.get() >= 0;
    }
}
