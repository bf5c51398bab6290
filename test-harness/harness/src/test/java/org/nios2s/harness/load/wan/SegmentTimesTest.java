// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.load.Wan;

/** When segments arrive, by a clock that the test sets. Runs on the test's thread. */
class SegmentTimesTest {

    private static final int SEGMENTS = 10_000;
    private static final long MILLI = Duration.ofMillis(1).toNanos();
    private static final long DELAY = 40 * MILLI;

    private static SegmentTimes times(final int jitterMillis, final double lossPercent) {
        return times(jitterMillis, lossPercent, 1, 0);
    }

    private static SegmentTimes times(
            final int jitterMillis, final double lossPercent, final long seed, final long nowNanos) {
        final Wan wan = new Wan(Duration.ofNanos(DELAY), Duration.ofMillis(jitterMillis), lossPercent);
        return new SegmentTimes(wan, new SplittableRandom(seed), nowNanos);
    }

    private static List<Long> arrivals(final SegmentTimes times, final long apartNanos) {
        return LongStream.range(0, SEGMENTS)
                .map(segment -> times.arrivalNanos(segment * apartNanos))
                .boxed()
                .toList();
    }

    @Test
    void everySegmentIsOnItsWayForTheDelay() {
        final SegmentTimes times = times(0, 0);

        assertEquals(DELAY, times.arrivalNanos(0));
        assertEquals(DELAY, times.arrivalNanos(0), "sent together, they arrive together");
        assertEquals(DELAY + 7, times.arrivalNanos(7));
    }

    @Test
    void theClockMayOverflow() {
        final long now = Long.MAX_VALUE - DELAY / 2;

        assertEquals(now + DELAY, times(0, 0, 1, now).arrivalNanos(now));
    }

    @Test
    void jitterMakesSegmentsLaterAndNeverChangesTheirOrder() {
        final List<Long> arrivals = arrivals(times(5, 0), MILLI);

        for (int segment = 0; segment < SEGMENTS; segment++) {
            final long onItsWay = arrivals.get(segment) - segment * MILLI;
            assertTrue(onItsWay >= DELAY && onItsWay <= DELAY + 5 * MILLI, () -> "on its way for " + onItsWay);
            assertTrue(segment == 0 || arrivals.get(segment) >= arrivals.get(segment - 1));
        }
        final long latest = arrivals.getLast();
        assertTrue(arrivals.stream().distinct().count() > SEGMENTS / 4, "they differ, up to " + latest);
    }

    @Test
    void aLostSegmentHoldsUpAllBehindIt() {
        final SegmentTimes times = times(0, 1);
        int segment = 0;
        long arrival = times.arrivalNanos(0);
        while (arrival == segment * MILLI + DELAY) {
            segment++;
            arrival = times.arrivalNanos(segment * MILLI);
        }

        assertEquals(segment * MILLI + DELAY + SegmentTimes.RETRANSMISSION_NANOS, arrival);
        assertTrue(times.arrivalNanos((segment + 1) * MILLI) >= arrival, "it waits for the one that was lost");
    }

    @Test
    void asManySegmentsAreLostAsTheShareSays() {
        // So far apart that none waits for another.
        final long apart = 2 * SegmentTimes.RETRANSMISSION_NANOS;
        final List<Long> arrivals = arrivals(times(0, 1), apart);
        long lost = 0;
        for (int segment = 0; segment < SEGMENTS; segment++) {
            if (arrivals.get(segment) != segment * apart + DELAY) {
                lost++;
            }
        }

        // By a seed, always the same number; 100 of 10,000 on average, and in a lifetime of tests not 50 or 150.
        final long seen = lost;
        assertTrue(lost > 50 && lost < 150, () -> seen + " were lost");
    }

    @Test
    void aSeedLosesTheSameSegmentsAgain() {
        assertEquals(arrivals(times(5, 1, 3, 0), MILLI), arrivals(times(5, 1, 3, 0), MILLI));
        assertTrue(!arrivals(times(5, 1, 3, 0), MILLI).equals(arrivals(times(5, 1, 4, 0), MILLI)));
    }
}
