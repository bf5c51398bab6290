// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Slows a peer down before each step of one kind, until it is closed.
 * The peer waits on its own thread; the rest may be called on any.
 */
final class Pace implements Consumer<FaultPeer.Step>, AutoCloseable {

    private static final int PATIENCE_SECONDS = 60;

    private final FaultPeer.Step step;
    private final int millis;
    private final CountDownLatch under;
    private final CountDownLatch closed = new CountDownLatch(1);

    /**
     * A pace.
     *
     * @param millis  before each of the steps
     * @param reached the number of steps after which the peer is well under way
     */
    Pace(final FaultPeer.Step step, final int millis, final int reached) {
        this.step = step;
        this.millis = millis;
        this.under = new CountDownLatch(reached);
    }

    @Override
    public void accept(final FaultPeer.Step next) {
        if (next == step) {
            under.countDown();
            await(closed, millis, TimeUnit.MILLISECONDS);
        }
    }

    /** Waits until the peer is well under way. */
    void awaitPeer() {
        if (!await(under, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("Nobody comes far in " + step);
        }
    }

    private static boolean await(final CountDownLatch latch, final int duration, final TimeUnit unit) {
        try {
            return latch.await(duration, unit);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Lets the peer go on as fast as it can. */
    @Override
    public void close() {
        closed.countDown();
    }
}
