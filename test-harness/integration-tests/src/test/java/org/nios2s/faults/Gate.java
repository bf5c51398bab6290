// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Holds a peer at a step of its conversation until it is opened.
 * The peer waits on its own thread; the rest may be called on any.
 */
final class Gate implements Consumer<FaultPeer.Step>, AutoCloseable {

    private static final int PATIENCE_SECONDS = 60;

    private final FaultPeer.Step step;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    Gate(final FaultPeer.Step step) {
        this.step = step;
    }

    @Override
    public void accept(final FaultPeer.Step next) {
        if (next == step) {
            reached.countDown();
            await(opened);
        }
    }

    /** Waits until a peer stands here. */
    void awaitPeer() {
        await(reached);
    }

    private void await(final CountDownLatch latch) {
        try {
            if (!latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Nobody comes to " + step + ", or nobody opens it");
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Lets the peer go on. */
    @Override
    public void close() {
        opened.countDown();
    }
}
