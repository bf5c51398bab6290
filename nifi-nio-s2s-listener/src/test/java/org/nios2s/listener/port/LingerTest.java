// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How long a port task waits for more, by the pace of arrivals. Lives on the test's thread. */
class LingerTest {
    private static final int MANY = 200;

    private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1);
    private final Linger linger = new Linger(now);

    private void arriveEvery(final long micros, final int times) {
        for (int i = 0; i < times; i++) {
            now += TimeUnit.MICROSECONDS.toNanos(micros);
            linger.arrived(now);
        }
    }

    @Test
    @DisplayName("a port that has seen nothing yet is left at once")
    void coldAtFirst() {
        assertEquals(0, linger.nanos());
    }

    @Test
    @DisplayName("a slow pace is left at once, over the overflow of the clock too")
    void slow() {
        arriveEvery(100_000, MANY);
        assertEquals(0, linger.nanos());
    }

    @Test
    @DisplayName("a fast pace is waited for, at least two milliseconds")
    void fast() {
        arriveEvery(10, MANY);
        assertEquals(TimeUnit.MILLISECONDS.toNanos(2), linger.nanos());
    }

    @Test
    @DisplayName("a middling pace is waited for in proportion, up to fifty milliseconds")
    void middling() {
        arriveEvery(5_000, MANY);
        final long nanos = linger.nanos();
        assertTrue(
                nanos > TimeUnit.MILLISECONDS.toNanos(14) && nanos < TimeUnit.MILLISECONDS.toNanos(17),
                () -> "" + nanos);
        arriveEvery(20_000, MANY);
        assertEquals(TimeUnit.MILLISECONDS.toNanos(50), linger.nanos());
    }

    @Test
    @DisplayName("a pace that cools down is soon left at once")
    void coolsDown() {
        arriveEvery(10, MANY);
        arriveEvery(1_000_000, 10);
        assertEquals(0, linger.nanos());
    }
}
