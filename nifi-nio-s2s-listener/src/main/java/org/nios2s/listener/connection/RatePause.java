// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.time.NanoClock;

/**
 * The time in which nothing is read of a connection, since its peer has used up its rate. Lives on the connection's IO worker.
 */
final class RatePause {
    private final EventExecutor worker;
    private final Runnable resume;
    private final NanoClock clock;
    private long endNanos;
    /** Null while there is no pause. */
    private ScheduledFuture<?> end;

    /** @param resume runs on the worker when the pause is over */
    RatePause(final EventExecutor worker, final Runnable resume, final NanoClock clock) {
        this.worker = worker;
        this.resume = resume;
        this.clock = clock;
    }

    boolean isOn() {
        return end != null;
    }

    /** Pauses for so long from now on; not at all for 0. */
    void begin(final long nanos) {
        if (nanos == 0) {
            return;
        }
        endNanos = clock.nanoTime() + nanos;
        if (end == null) {
            scheduleEnd(nanos);
        }
    }

    private void scheduleEnd(final long nanos) {
        end = worker.schedule(this::end, nanos, TimeUnit.NANOSECONDS);
    }

    private void end() {
        final long left = endNanos - clock.nanoTime();
        if (left > 0) {
            // The pause was extended since the timer was set.
            scheduleEnd(left);
            return;
        }
        end = null;
        resume.run();
    }

    /** The connection is gone: nothing is to keep it in memory until the pause would have ended. */
    void cancel() {
        if (end != null) {
            end.cancel(false);
            end = null;
        }
    }
}
