// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;

/**
 * Reports on standard error how far the transfer is, at most once a second, and why it has to wait. Used by the main thread,
 * and by IO workers for attempts that failed.
 */
final class Progress implements ClientObserver {
    private static final long INTERVAL_NANOS = 1_000_000_000L;
    private static final double MEBIBYTE = 1 << 20;

    private final PrintWriter err;
    private final String what;
    private final boolean quiet;
    private final LongSupplier nanoTime;
    private final long startedNanos;
    private long saidNanos;
    private long done;
    private long bytes;
    private FailureReason waitsFor;

    /** @param what is counted, such as {@code files sent} */
    Progress(final PrintWriter err, final String what, final boolean quiet, final LongSupplier nanoTime) {
        this.err = err;
        this.what = what;
        this.quiet = quiet;
        this.nanoTime = nanoTime;
        this.startedNanos = nanoTime.getAsLong();
        this.saidNanos = startedNanos;
    }

    synchronized void transferred(final long more, final long moreBytes) {
        done += more;
        bytes += moreBytes;
        waitsFor = null;
        final long now = nanoTime.getAsLong();
        if (now - saidNanos >= INTERVAL_NANOS) {
            saidNanos = now;
            say();
        }
    }

    /** Prints the sums. */
    synchronized void end() {
        say();
    }

    private void say() {
        if (!quiet) {
            final long millis =
                    Duration.ofNanos(nanoTime.getAsLong() - startedNanos).toMillis();
            err.printf(Locale.ROOT, "%d %s, %.1f MiB in %.1f s%n", done, what, bytes / MEBIBYTE, millis / 1e3);
            err.flush();
        }
    }

    @Override
    public synchronized void retrying(
            final Direction direction, final TransactionException failure, final int attempts, final Duration pause) {
        if (!quiet && failure.reason() != waitsFor) {
            waitsFor = failure.reason();
            err.println("trying again: " + failure.getMessage());
            err.flush();
        }
    }
}
