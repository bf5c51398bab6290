// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How late the generator's threads come. Runs on the test's thread. */
@Timeout(300)
class LoopDelayTest {

    private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final Queue<Long> delays = new ConcurrentLinkedQueue<>();

    @Test
    void aLoopThatIsHeldUpIsAsLateAsThat() {
        final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor();
        final CountDownLatch held = new CountDownLatch(1);
        final long begunNanos = System.nanoTime();
        final LoopDelay ticks = new LoopDelay(List.of(loop), delays::add);
        try (ticks) {
            loop.execute(() -> await().forever().until(() -> held.getCount() == 0));
            await().until(() -> System.nanoTime() - begunNanos > STALL_NANOS);
            held.countDown();
            await().forever().until(() -> delays.stream().anyMatch(delay -> delay > STALL_NANOS / 2));
        } finally {
            loop.shutdownNow();
        }
    }

    @Test
    void clientsWithoutLoopsHaveOneThatTicksForThem() {
        final LoopDelay ticks = new LoopDelay(List.of(), delays::add);
        try (ticks) {
            await().forever().until(() -> delays.size() > 3);
        }
    }

    @Test
    void whatIsRecordedIsThere() {
        final LoadRecorder recorder = new LoadRecorder(LoadRecorderTest.load(1, Duration.ZERO));
        recorder.loopWasLate(TimeUnit.MILLISECONDS.toNanos(70));
        assertEquals(70_000, recorder.loopDelay().getMaxValue(), 100);
    }
}
