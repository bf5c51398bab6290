// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.nios2s.listener.time.NanoClock;

/**
 * One rate of one peer, as a token bucket that lends: the bytes that have arrived are spent, and the meter tells how long to wait
 * until the rate is kept again. Thread-safe, without a lock.
 *
 * <p>All connections of a peer spend from the same meter. Each is told a time of its own, after those of the connections that spent
 * before it. So the connections take turns, and none wakes up to find that another one was faster.
 */
final class RateMeter {
    private final double nanosPerUnit;
    private final long burstNanos;
    private final NanoClock clock;
    /** The time until which the rate is used up. */
    private final AtomicLong usedUntilNanos;

    /**
     * @param unitsPerSecond the rate
     * @param burstNanos how much may come at once, as the time in which that would have come evenly
     */
    RateMeter(final long unitsPerSecond, final long burstNanos, final NanoClock clock) {
        this.nanosPerUnit = (double) TimeUnit.SECONDS.toNanos(1) / unitsPerSecond;
        this.burstNanos = burstNanos;
        this.clock = clock;
        this.usedUntilNanos = new AtomicLong(clock.nanoTime());
    }

    /** @return nanoseconds until the caller may go on */
    long spend(final long units) {
        final long now = clock.nanoTime();
        final long cost = cost(units);
        final long used = usedUntilNanos.updateAndGet(before -> before + Math.max(0, now - before) + cost);
        return Math.max(0, used - now - burstNanos);
    }

    /** Takes back units that were spent and not used: other connections need not wait for them. */
    void giveBack(final long units) {
        usedUntilNanos.addAndGet(-cost(units));
    }

    private long cost(final long units) {
        return (long) (units * nanosPerUnit);
    }

    /** @return whether the rate is kept: then the meter is as a new one */
    boolean isQuiet() {
        return clock.nanoTime() - usedUntilNanos.get() >= 0;
    }
}
