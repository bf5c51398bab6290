// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How fast one peer may be. Lives on the test's thread, with a clock of its own. */
class RateMeterTest {
    private static final long MEGABYTE = 1_000_000;
    private static final int READ = 64 * 1024;
    private static final long BURST_NANOS = Duration.ofMillis(250).toNanos();
    private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long MOST_LATE_NANOS = Duration.ofMillis(20).toNanos();

    /** Near the end of what a clock can say. */
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - SECOND_NANOS);

    /** A connection, and when it may read again, in nanoseconds since the beginning. */
    private static final class Reader implements Comparable<Reader> {
        private long nextNanos;
        private long bytes;

        @Override
        public int compareTo(final Reader other) {
            return Long.compare(nextNanos, other.nextNanos);
        }
    }

    @Test
    @DisplayName("what is given back is there for the next")
    void givesBack() {
        final RateMeter meter = new RateMeter(1, SECOND_NANOS, clock::get);
        assertEquals(0, meter.spend(1));
        assertEquals(SECOND_NANOS, meter.spend(1));
        meter.giveBack(1);
        assertEquals(SECOND_NANOS, meter.spend(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 50})
    @DisplayName(
            "a megabyte a second is that, over however many connections, each of which wakes late, and gets its share")
    void megabyte(final int connections) {
        final long began = clock.get();
        final RateMeter meter = new RateMeter(MEGABYTE, BURST_NANOS, clock::get);
        final Random late = new Random(connections);
        final PriorityQueue<Reader> readers = new PriorityQueue<>();
        for (int reader = 0; reader < connections; reader++) {
            readers.add(new Reader());
        }
        final int seconds = 60;
        long bytes = 0;
        while (readers.peek().nextNanos < seconds * SECOND_NANOS) {
            final Reader reader = readers.poll();
            final long now = Math.max(clock.get() - began, reader.nextNanos + late.nextLong(MOST_LATE_NANOS));
            clock.set(began + now);
            reader.bytes += READ;
            bytes += READ;
            reader.nextNanos = now + meter.spend(READ);
            readers.add(reader);
        }
        final double rate = (double) bytes / seconds;
        // All have read once before any of them waits.
        assertTrue(rate > 0.9 * MEGABYTE && rate < 1.1 * MEGABYTE, connections + " connections: " + rate);
        final long fair = bytes / connections;
        for (final Reader reader : readers) {
            assertTrue(Math.abs(reader.bytes - fair) <= Math.max(2 * READ, fair / 5), reader.bytes + " of " + fair);
        }
    }

    @Test
    @DisplayName("what was not used is not saved up beyond the burst")
    void burst() {
        final RateMeter meter = new RateMeter(10, SECOND_NANOS, clock::get);
        clock.addAndGet(100 * SECOND_NANOS);
        for (int begun = 0; begun < 10; begun++) {
            assertEquals(0, meter.spend(1));
        }
        assertEquals(SECOND_NANOS / 10, meter.spend(1));
        assertEquals(2 * SECOND_NANOS / 10, meter.spend(1));
    }

    @Test
    @DisplayName("once a second is not less than that")
    void oneASecond() {
        final RateMeter meter = new RateMeter(1, SECOND_NANOS, clock::get);
        assertEquals(0, meter.spend(1));
        assertEquals(SECOND_NANOS, meter.spend(1));
    }

    @Test
    @DisplayName("a meter is quiet when all is made up for")
    void quiet() {
        final RateMeter meter = new RateMeter(1, SECOND_NANOS, clock::get);
        assertTrue(meter.isQuiet());
        meter.spend(2);
        assertFalse(meter.isQuiet());
        clock.addAndGet(2 * SECOND_NANOS);
        assertTrue(meter.isQuiet());
    }

    @Test
    @DisplayName("what many threads spend at once is all counted")
    void threads() throws Exception {
        final RateMeter meter = new RateMeter(1_000, 0, clock::get);
        final int threads = 4;
        final int spends = 10_000;
        final CountDownLatch go = new CountDownLatch(1);
        final Thread[] all = new Thread[threads];
        for (int thread = 0; thread < threads; thread++) {
            all[thread] = Thread.ofPlatform().start(() -> {
                awaitGo(go);
                for (int spend = 0; spend < spends; spend++) {
                    meter.spend(1);
                }
            });
        }
        go.countDown();
        for (final Thread thread : all) {
            thread.join();
        }
        assertEquals((threads * spends + 1) * (SECOND_NANOS / 1_000), meter.spend(1));
    }

    private static void awaitGo(final CountDownLatch go) {
        try {
            go.await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
