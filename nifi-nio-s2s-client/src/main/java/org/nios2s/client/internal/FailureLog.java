// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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
    private final LongSupplier clock;
    /** All of these are guarded by this object. */
    private long failed;

    private String firstCause;
    private long loggedNanos;
    private boolean logged;

    /** @param clock as {@link System#nanoTime} */
    FailureLog(final String port, final LongSupplier clock) {
        this.port = port;
        this.clock = clock;
    }

    synchronized void failed(final int packets, final Throwable cause) {
        if (failed == 0) {
            firstCause = cause.getMessage();
        }
        failed += packets;
        if (!logged || clock.getAsLong() - loggedNanos >= PAUSE_NANOS) {
            logRest();
        }
    }

    /** Logs what has not been logged yet. */
    synchronized void logRest() {
        if (failed > 0) {
            logger.error("{} packets to {} have failed. The first cause: {}", failed, port, firstCause);
            failed = 0;
            logged = true;
            loggedNanos = clock.getAsLong();
        }
    }
}
