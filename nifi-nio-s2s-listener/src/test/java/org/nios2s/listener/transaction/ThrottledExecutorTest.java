// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.time.NanoClock;

/** When a thread rests, and how long. Lives on the test's thread. */
class ThrottledExecutorTest {
    private static final long TASK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long DEADLINE_SECONDS = 60;

    @Test
    @DisplayName("while small transactions share commits it rests five times as long as its task took")
    void restsWhileSmallOnesCrowd() throws Exception {
        final AtomicLong nanos = new AtomicLong();
        final NanoClock clock = nanos::get;
        final ListenerMetrics metrics = new ListenerMetrics(0, clock);
        metrics.committed(1, 1, 1);
        assertFalse(metrics.isBusy(), "one that has a commit for itself is no crowd");
        final AtomicLong taskEndsNanos = new AtomicLong();
        final AtomicLong restEndsNanos = new AtomicLong();
        final ExecutorService thread = Executors.newSingleThreadExecutor();
        new ThrottledExecutor(thread, metrics, clock).execute(() -> {
            nanos.addAndGet(TASK_NANOS);
            metrics.committed(2, 2, 2);
            assertTrue(metrics.isBusy(), "two that share a commit are");
            taskEndsNanos.set(System.nanoTime());
        });
        thread.execute(() -> restEndsNanos.set(System.nanoTime()));
        thread.shutdown();
        assertTrue(thread.awaitTermination(DEADLINE_SECONDS, TimeUnit.SECONDS));
        final long restNanos = restEndsNanos.get() - taskEndsNanos.get();
        assertTrue(restNanos >= 5 * TASK_NANOS, () -> "rested for " + restNanos + " ns");
    }
}
