// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.time.NanoClock;

/**
 * Makes a thread rest after each task while many small transactions are committed, and so leaves them most of the processors and
 * the disk. For work that costs its peer nothing. Thread-safe.
 */
public record ThrottledExecutor(Executor thread, ListenerMetrics metrics, NanoClock clock) implements Executor {
    /** It rests so many times as long as the task took: it works for a sixth of the time. */
    private static final int RESTS = 5;

    /** A task that took long waited for the disk, and left the processors to others. */
    private static final long MAX_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    @Override
    public void execute(final Runnable task) {
        thread.execute(() -> {
            final long beganNanos = clock.nanoTime();
            task.run();
            if (metrics.isBusy()) {
                LockSupport.parkNanos(Math.min(RESTS * (clock.nanoTime() - beganNanos), MAX_REST_NANOS));
            }
        });
    }
}
