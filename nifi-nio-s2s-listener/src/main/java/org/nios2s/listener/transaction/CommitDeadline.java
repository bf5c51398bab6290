// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.util.concurrent.TimeUnit;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;

/**
 * The time until which a transaction that its peer has confirmed may be committed. Immutable; any thread.
 *
 * <p>A peer waits for its answer as long as the request expiration of its handshake says, counted from the moment in which the
 * peer sent its confirmation. After that the peer sends the transaction again, so a commit would make duplicates. The
 * confirmation was on its way for a while before we counted, and a commit takes a while, so the deadline keeps a margin.
 */
public final class CommitDeadline {
    /** For a peer that waits for ever. */
    public static final CommitDeadline NONE = new CommitDeadline(0);

    /** Part of the expiration that is kept as a margin. */
    private static final int MARGIN_PART = 10;

    /** Upper bound of the margin. */
    private static final long MAX_MARGIN_MILLIS = 1_000;

    private final long nanos;

    private CommitDeadline(final long nanos) {
        this.nanos = nanos;
    }

    /**
     * @param expirationMillis the peer's request expiration; 0 or less for ever
     * @param nowNanos when the confirmation arrived, as {@link System#nanoTime}
     */
    public static CommitDeadline of(final long expirationMillis, final long nowNanos) {
        if (expirationMillis <= 0) {
            return NONE;
        }
        final long marginMillis = Math.min(expirationMillis / MARGIN_PART, MAX_MARGIN_MILLIS);
        return new CommitDeadline(nowNanos + TimeUnit.MILLISECONDS.toNanos(expirationMillis - marginMillis));
    }

    /** @return what a peer hears that stopped waiting before its transaction could be committed */
    public static ConnectionFault expired() {
        return Kind.REQUEST_EXPIRED.fault(
                "The peer stopped waiting before the transaction could be committed; the transaction is"
                        + " rolled back, and the peer will send it again");
    }

    public boolean hasPassed(final long nowNanos) {
        return this != NONE && nowNanos - nanos >= 0;
    }
}
