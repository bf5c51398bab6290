// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import org.nios2s.listener.PeerFault;

/**
 * A step in which it is our turn: something runs on another thread, and the peer's bytes wait. Lives on the connection's
 * IO worker.
 */
abstract class WaitingStep implements Step {
    private final PeerConnection connection;

    WaitingStep(final PeerConnection connection) {
        this.connection = connection;
    }

    final PeerConnection connection() {
        return connection;
    }

    /**
     * Runs what may block on a thread for it, and what follows on the IO worker.
     *
     * @param task may block
     * @param then makes the next step of the task's result; not called if the connection has gone meanwhile
     */
    final <T> Step runBlocking(final Callable<T> task, final Continuation<T> then) throws PeerFault {
        try {
            connection.listener().blockingTasks().execute(() -> {
                try {
                    final T result = task.call();
                    connection.handler().proceed(this, () -> then.next(result));
                } catch (final Exception e) {
                    connection.handler().proceed(this, () -> {
                        throw new PeerFault(PeerFault.Kind.INTERNAL, "Step " + name() + " failed: " + e, e);
                    });
                }
            });
        } catch (final RejectedExecutionException e) {
            throw new PeerFault(PeerFault.Kind.INTERNAL, "The listener is stopping", e);
        }
        return this;
    }

    /** What follows a blocking task. */
    @FunctionalInterface
    interface Continuation<T> {
        Step next(T result) throws IOException;
    }

    @Override
    public final Step receive(final ByteBuf in) {
        throw new IllegalStateException("Nothing is received in step " + name());
    }

    @Override
    public final boolean isWaiting() {
        return true;
    }

    @Override
    public Patience patience() {
        return Patience.UNLIMITED;
    }
}
