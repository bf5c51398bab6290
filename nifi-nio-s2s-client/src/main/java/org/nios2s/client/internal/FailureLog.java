// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the packets of a batching sender that failed: the first at once, then those of ten seconds together, with their number
 * and the first cause. Any thread.
 */
final class FailureLog {
    private static final Logger logger = LoggerFactory.getLogger(FailureLog.class);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String port;
    private final String item;
    private final LongSupplier clock;
    private final ObjLongConsumer<Runnable> timer;
    /** All of these are guarded by this object. */
    private long failed;

    private String firstCause;
    private long loggedNanos;
    private boolean logged;
    private boolean scheduled;

    /**
     * @param item what fails: a packet or a record
     * @param clock as {@link System#nanoTime}
     * @param timer runs something after so many nanoseconds
     */
    FailureLog(final String port, final String item, final LongSupplier clock, final ObjLongConsumer<Runnable> timer) {
        this.port = port;
        this.item = item;
        this.clock = clock;
        this.timer = timer;
    }

    synchronized void failed(final int count, final Throwable cause) {
        if (failed == 0) {
            firstCause = cause.getMessage();
        }
        failed += count;
        logOrSchedule();
    }

    private void logOrSchedule() {
        final long left = logged ? PAUSE_NANOS - (clock.getAsLong() - loggedNanos) : 0;
        if (left <= 0) {
            logRest();
        } else if (failed > 0 && !scheduled) {
            schedule(left);
        }
    }

    private void schedule(final long nanos) {
        try {
            timer.accept(this::look, nanos);
            scheduled = true;
        } catch (final RejectedExecutionException e) {
            logger.debug("The client of {} is closed, and logs the rest then", port);
        }
    }

    private synchronized void look() {
        scheduled = false;
        logOrSchedule();
    }

    /** Logs what has not been logged yet. */
    synchronized void logRest() {
        if (failed > 0) {
            logger.error("{} {}s to {} have failed. The first cause: {}", failed, item, port, firstCause);
            failed = 0;
            logged = true;
            loggedNanos = clock.getAsLong();
        }
    }
}
