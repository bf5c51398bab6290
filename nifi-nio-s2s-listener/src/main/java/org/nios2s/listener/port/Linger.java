// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.concurrent.TimeUnit;

/**
 * How long a port task waits for more before it leaves: as long as the pace of the traffic promises another transaction
 * soon, and not at all when traffic is cold. Thread-safe: IO workers report arrivals, port tasks ask.
 *
 * <p>Leaving costs the next transaction up to {@code nifi.bored.yield.duration}, since NiFi yields a port whose queue it
 * found empty. Staying costs a thread of the timer-driven pool.
 */
final class Linger {
    /** A pace slower than this is cold: the task leaves at once. */
    private static final long COLD_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /** How many intervals to stay. */
    private static final int INTERVALS = 3;

    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Weight of the newest interval in the mean is 1 / 2^this. */
    private static final int MEAN_SHIFT = 3;

    private volatile long lastArrivalNanos;
    private volatile long meanIntervalNanos = COLD_INTERVAL_NANOS;

    Linger(final long nowNanos) {
        lastArrivalNanos = nowNanos;
    }

    /** A transaction became ready. Two at once may overwrite each other's share of the mean; it is an estimate. */
    void arrived(final long nowNanos) {
        final long interval = Math.min(nowNanos - lastArrivalNanos, 2 * COLD_INTERVAL_NANOS);
        lastArrivalNanos = nowNanos;
        meanIntervalNanos += (interval - meanIntervalNanos) >> MEAN_SHIFT;
    }

    /** @return how long to wait for more, in nanoseconds; 0 for not at all */
    long nanos() {
        final long interval = meanIntervalNanos;
        return interval < COLD_INTERVAL_NANOS ? Math.clamp(INTERVALS * interval, SHORTEST_NANOS, LONGEST_NANOS) : 0;
    }
}
