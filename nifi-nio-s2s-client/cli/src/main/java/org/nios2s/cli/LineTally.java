// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.nios2s.client.TransactionException;

/** Counts what became of lines. Any thread. */
final class LineTally {
    private final PrintWriter err;
    private final Progress progress;
    /** All of these are guarded by this object. */
    private long read;

    private long delivered;
    private long unknown;
    private long failed;
    private String complaint;
    private boolean told;

    LineTally(final PrintWriter err, final Progress progress) {
        this.err = err;
        this.progress = progress;
    }

    synchronized void read() {
        read++;
    }

    /** A line that was not read to its end. */
    synchronized void leftOut() {
        read++;
        failed++;
    }

    synchronized void delivered(final int bytes) {
        delivered++;
        progress.transferred(1, bytes);
        notifyAll();
    }

    synchronized void failed(final Throwable failure) {
        complain(failure.getMessage());
        if (failure instanceof final TransactionException known && known.isOutcomeUnknown()) {
            unknown++;
        } else {
            failed++;
        }
        notifyAll();
    }

    /** The first thing that went wrong is told. */
    synchronized void complain(final String message) {
        if (complaint == null) {
            complaint = message;
        }
    }

    /** Futures tell a moment after the sender is closed. */
    synchronized void awaitAll(final Duration max) throws InterruptedException {
        final long deadline = System.nanoTime() + max.toNanos();
        for (long left = max.toNanos(); pending() > 0 && left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    private long pending() {
        return read - delivered - unknown - failed;
    }

    synchronized Outcome outcome() {
        if (unknown + pending() > 0) {
            return Outcome.UNKNOWN;
        }
        return complaint == null && failed == 0 ? Outcome.DONE : Outcome.FAILED;
    }

    /** Says, once, what became of the lines, if it is not that all were delivered. What is pending still is unknown. */
    synchronized void tell() {
        if (told) {
            return;
        }
        told = true;
        progress.end();
        if (complaint != null) {
            err.println("s2s: " + complaint);
        }
        if (outcome() != Outcome.DONE) {
            err.printf("s2s: %d lines delivered, %d not, %d unknown%n", delivered, failed, unknown + pending());
        }
        err.flush();
    }
}
