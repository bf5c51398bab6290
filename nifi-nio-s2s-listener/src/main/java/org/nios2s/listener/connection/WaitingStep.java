// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.port.PortDispatcher;

/**
 * A step in which it is our turn: something runs on another thread, and the peer's bytes wait. Lives on the connection's
 * IO worker.
 */
public interface WaitingStep extends Step {
    /** @return the connection that waits */
    PeerConnection connection();

    /** The wait is over: goes on with the next step, unless the connection has moved on. From any thread. */
    default void proceed(final Callable<Step> next) {
        proceed(next, () -> {});
    }

    /** As {@link #proceed(Callable)}; {@code otherwise} runs on the IO worker if the connection has moved on. */
    default void proceed(final Callable<Step> next, final Runnable otherwise) {
        connection().handler().proceed(this, next, otherwise);
    }

    /** The wait ends in a fault, unless the connection has moved on. From any thread. */
    default void fail(final ConnectionFault fault) {
        proceed(() -> {
            throw fault;
        });
    }

    /** Runs a task that may block on a thread for it, and then, on the IO worker, the continuation that makes the next step. */
    default <T> Step runBlocking(final Executor threads, final Callable<T> task, final Continuation<T> then) {
        try {
            threads.execute(() -> {
                if (!connection().channel().isActive()) {
                    // The peer has gone while the task waited for a thread: nobody needs the result.
                    return;
                }
                try {
                    final T result = task.call();
                    proceed(() -> then.next(result));
                } catch (final Throwable e) {
                    fail(ConnectionFault.of(e, "Step " + name()));
                }
            });
        } catch (final RejectedExecutionException e) {
            fail(Kind.INTERNAL.fault(
                    "The listener is stopping, or too many tasks wait for the threads of step " + name(), e));
        }
        return this;
    }

    /** Asks the port once more whether the peer may use it, where connections are TLS, and then goes on. */
    default Step ifAuthorized(final Supplier<Step> then) {
        if (!connection().isSecure()) {
            return then.get();
        }
        final PortDispatcher port = connection().dispatcher();
        final String identity = connection().identity();
        return runBlocking(
                connection().listener().threads().authorizations(), () -> port.refusalOf(identity), refusal -> {
                    if (refusal != null) {
                        throw refusal;
                    }
                    return then.get();
                });
    }

    /** Makes the next step of the result of a blocking task. */
    @FunctionalInterface
    interface Continuation<T> {
        Step next(T result) throws IOException;
    }

    @Override
    default Step receive(final ByteBuf in) {
        throw new IllegalStateException("Bytes were passed to a step that waits: " + name());
    }

    @Override
    default boolean isWaiting() {
        return true;
    }
}
