// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.util.concurrent.TimeUnit;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.limits.Contention;

/**
 * Bounds how long a peer that a rule slows down may hold more than its share of what others wait for. Lives on the connection's IO
 * worker.
 *
 * <p>No deadline counts the time in which we do not read such a peer. So without this one, many transactions that share a low
 * rate could keep others out for ever.
 */
final class OverShareDeadline {
    /** Several times what a transaction of usual size takes at a usual rate. */
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(10);

    private boolean isBeyond;
    private long sinceNanos;

    /**
     * Called a few times a second.
     *
     * @throws ConnectionFault if it has been so for too long
     */
    void check(final Step step, final long nowNanos) throws ConnectionFault {
        if (!isSlowedBeyondShare(step)) {
            isBeyond = false;
            return;
        }
        if (!isBeyond) {
            isBeyond = true;
            sinceNanos = nowNanos;
        }
        if (nowNanos - sinceNanos > MAX_NANOS) {
            throw Kind.SLOW_PEER.fault(
                    "The peer's rate is limited by a rule, and for " + TimeUnit.NANOSECONDS.toSeconds(MAX_NANOS)
                            + " s it has held more than its share of what others wait for, in step " + step.name());
        }
    }

    private static boolean isSlowedBeyondShare(final Step step) {
        return step instanceof final TransactionStep inTransaction
                && step.isDelayedByRate()
                && inTransaction.transaction().scarcity() == Contention.BEYOND_SHARE;
    }
}
