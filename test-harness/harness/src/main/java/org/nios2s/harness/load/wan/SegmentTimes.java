// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wan;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.nios2s.harness.load.Wan;

/**
 * Says when the segments of one direction of a connection arrive: after the delay, and never before one that was sent earlier.
 * For one thread.
 */
final class SegmentTimes {

    /** What a segment carries in an Ethernet frame of 1,500 bytes, with TCP's time stamps. */
    static final int SEGMENT_BYTES = 1_448;

    /** The least of Linux, which most connections have. */
    static final long RETRANSMISSION_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final double PERCENT = 100;

    private final long delayNanos;
    private final long jitterNanos;
    private final double loss;
    private final RandomGenerator random;
    /** When the last segment arrives. */
    private long lastNanos;

    /** Times of segments that are sent from now on. */
    SegmentTimes(final Wan wan, final RandomGenerator random, final long nowNanos) {
        this.delayNanos = wan.delay().toNanos();
        this.jitterNanos = wan.jitter().toNanos();
        this.loss = wan.lossPercent() / PERCENT;
        this.random = random;
        this.lastNanos = nowNanos;
    }

    /** When the next segment arrives, sent at a moment. One that is lost holds up all behind it, as TCP's order does. */
    long arrivalNanos(final long sentNanos) {
        final long alone = sentNanos + delayNanos + jitterNanos() + retransmissionNanos();
        if (alone - lastNanos > 0) {
            lastNanos = alone;
        }
        return lastNanos;
    }

    /** When its sender hears that a segment has arrived at a moment. */
    long acknowledgedNanos(final long arrivedNanos) {
        return arrivedNanos + delayNanos;
    }

    private long jitterNanos() {
        return jitterNanos == 0 ? 0 : random.nextLong(jitterNanos + 1);
    }

    private long retransmissionNanos() {
        return random.nextDouble() < loss ? RETRANSMISSION_NANOS : 0;
    }
}
