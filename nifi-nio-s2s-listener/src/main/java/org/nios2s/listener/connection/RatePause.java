// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The time in which nothing is read of a connection, since its peer has used up its rate. Lives on the connection's IO worker.
 */
final class RatePause {
    private final Supplier<EventExecutor> worker;
    private final Runnable resume;
    private long endNanos;
    private boolean isOn;

    /** @param resume runs on the worker when the pause is over */
    RatePause(final Supplier<EventExecutor> worker, final Runnable resume) {
        this.worker = worker;
        this.resume = resume;
    }

    boolean isOn() {
        return isOn;
    }

    /** From now on for so long; no pause for 0. */
    void begin(final long nanos) {
        if (nanos == 0) {
            return;
        }
        endNanos = System.nanoTime() + nanos;
        if (!isOn) {
            isOn = true;
            worker.get().schedule(this::end, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void end() {
        final long left = endNanos - System.nanoTime();
        if (left > 0) {
            worker.get().schedule(this::end, left, TimeUnit.NANOSECONDS);
            return;
        }
        isOn = false;
        resume.run();
    }
}
