// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Measures how late the generator's own threads come to what is due, by a tick on each of them: a thread that comes late reads
 * answers late, which would look like the server's time. Ticks on those threads; opened and closed by the thread that drives a
 * run.
 */
final class LoopDelay implements AutoCloseable {

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final LongConsumer recorder;
    private final ScheduledExecutorService own;
    private final List<Future<?>> ticks;

    /**
     * Begins to tick.
     *
     * @param loops    of the clients; where they have none, a thread for it tells how late any thread of this process gets a
     *                 processor
     * @param recorder hears of the delay of each tick, in nanoseconds, on the loops
     */
    LoopDelay(final List<? extends ScheduledExecutorService> loops, final LongConsumer recorder) {
        this.recorder = recorder;
        if (loops.isEmpty()) {
            own = Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("loop-delay").daemon().factory());
            ticks = List.of(tick(own));
        } else {
            own = null;
            ticks = loops.stream().<Future<?>>map(this::tick).toList();
        }
    }

    private Future<?> tick(final ScheduledExecutorService loop) {
        return loop.scheduleAtFixedRate(new Tick(System.nanoTime()), PERIOD_NANOS, PERIOD_NANOS, TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        ticks.forEach(tick -> tick.cancel(false));
        if (own != null) {
            own.shutdownNow();
        }
    }

    /** A periodic task on one loop, which makes up for the runs that it missed. Lives there. */
    private final class Tick implements Runnable {

        private long dueNanos;

        Tick(final long startNanos) {
            this.dueNanos = startNanos;
        }

        @Override
        public void run() {
            dueNanos += PERIOD_NANOS;
            recorder.accept(Math.max(0, System.nanoTime() - dueNanos));
        }
    }
}
