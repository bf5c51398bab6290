// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.nios2s.listener.time.NanoClock;

/**
 * The answer that a connection has sent last, until its peer has shown that it has the answer: by its next message, by an end of
 * the connection in good order, or by staying connected. Lives on the connection's IO worker.
 */
public final class LastAnswer {
    /** A kernel that has not acknowledged for so long may have lost its network. */
    private static final long UNACKNOWLEDGED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A peer whose kernel has the answer for so long, and whose connection still is, has read it. */
    private static final long READ_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final NanoClock clock;
    private Receipt receipt;
    private long sentNanos;

    public LastAnswer(final NanoClock clock) {
        this.clock = clock;
    }

    /** The answer of a push was given to the socket. */
    public void sent(final Receipt ofPush) {
        // Of a peer that did not wait for the answer before.
        ended();
        receipt = ofPush;
        sentNanos = clock.nanoTime();
    }

    /** The peer has sent something. */
    public void peerContinues() {
        if (receipt != null) {
            receipt.heard();
            receipt = null;
        }
    }

    /** The peer sends nothing more. It may have ended before it had the answer. */
    public void peerEnds(final BooleanSupplier isUnacknowledged) {
        if (receipt != null && isUnacknowledged.getAsBoolean()) {
            receipt.unheard();
        }
    }

    /** @return whether it will be known whether the peer has read the answer to a push */
    boolean isOf(final Receipt push) {
        return receipt == push;
    }

    /** The connection has ended without a reset, or another answer is the last one. */
    public void ended() {
        if (receipt != null) {
            receipt.notDoubted();
            receipt = null;
        }
    }

    /** The connection was reset: its peer may not have read the answer. */
    public void reset() {
        if (receipt != null) {
            receipt.unheard();
            receipt = null;
        }
    }

    /** To be called a few times a second. */
    public void check(final long nowNanos, final BooleanSupplier isUnacknowledged) {
        if (receipt == null || nowNanos - sentNanos < UNACKNOWLEDGED_NANOS) {
            return;
        }
        if (isUnacknowledged.getAsBoolean()) {
            receipt.unheard();
        } else if (nowNanos - sentNanos >= READ_NANOS) {
            peerContinues();
        }
    }
}
