// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A transaction from its request to its result: waits for a connection, runs on it, ends once. Waiting, cancelling and
 * the deadline come from any thread; {@link #run} and what follows live on the connection's IO worker.
 */
abstract class Transfer {
    private static final TransactionStep WAITING_STEP = TransactionStep.WAIT_FOR_CONNECTION;

    private enum State {
        WAITING,
        RUNNING,
        ENDED
    }

    private final RemotePort port;
    private final long startedNanos = System.nanoTime();
    private final CompletableFuture<TransactionResult> result = new CompletableFuture<>();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** These three belong to the connection's IO worker. */
    private long connectedNanos;

    private long transferredNanos;
    private long confirmedNanos;

    private volatile PeerConnection connection;
    private volatile ScheduledFuture<?> deadline;
    /** Why no connection could be opened lately; published by the pool. */
    private volatile TransactionException lastOpeningFailure;

    Transfer(final RemotePort port) {
        this.port = port;
    }

    RemotePort port() {
        return port;
    }

    CompletableFuture<TransactionResult> result() {
        return result;
    }

    void deadline(final ScheduledFuture<?> scheduled) {
        deadline = scheduled;
        if (state.get() == State.ENDED) {
            scheduled.cancel(false);
        }
    }

    void lastOpeningFailure(final TransactionException failure) {
        lastOpeningFailure = failure;
    }

    /**
     * Takes the connection, on its IO worker.
     *
     * @return whether it does; if not, the transaction is over already and the connection free
     */
    final boolean begin(final PeerConnection taken) {
        connection = taken;
        if (!state.compareAndSet(State.WAITING, State.RUNNING)) {
            return false;
        }
        connectedNanos = elapsedNanos();
        run(taken);
        return true;
    }

    /** All packets have been written or handed over. On the IO worker. */
    protected final void transferred() {
        transferredNanos = elapsedNanos();
    }

    /** Both ends found the same checksum. On the IO worker. */
    protected final void confirmed() {
        confirmedNanos = elapsedNanos();
    }

    private long elapsedNanos() {
        return System.nanoTime() - startedNanos;
    }

    /** Speaks on the connection; calls {@link #succeed} or {@link #fail} in the end. */
    protected abstract void run(PeerConnection taken);

    /** Leaves the conversation under way, with a word to the peer where the protocol has one. */
    protected abstract void abandon(TransactionException failure);

    /** Ends the transaction from outside: its caller cancels, the deadline passes, the connector closes. Any thread. */
    final void stop(final FailureReason reason, final String message) {
        if (state.compareAndSet(State.WAITING, State.ENDED)) {
            final TransactionException opening = lastOpeningFailure;
            final String detail = opening == null ? "" : "; the last connection failed: " + opening.getMessage();
            ended(new TransactionException(port, WAITING_STEP, reason, message + detail, opening));
        } else if (state.get() == State.RUNNING) {
            final PeerConnection running = connection;
            try {
                running.execute(() -> {
                    if (state.get() == State.RUNNING) {
                        abandon(running.failure(reason, message, null));
                    }
                });
            } catch (final RejectedExecutionException e) {
                // The connector is closed, and its connections with it.
                fail(new TransactionException(port, TransactionStep.COMPLETE, reason, message, e));
            }
        }
    }

    /** The transaction is over and everything is where it belongs. */
    protected final void succeed(final long packets, final long bytes, final boolean destinationFull) {
        if (state.getAndSet(State.ENDED) != State.ENDED) {
            cancelDeadline();
            result.complete(new TransactionResult(
                    packets, bytes, Duration.ofNanos(elapsedNanos()), port.peer(), destinationFull, milestones()));
        }
    }

    /** What was not reached, for there was nothing to transfer, counts as reached with what came before it. */
    private Milestones milestones() {
        final long transferred = Math.max(connectedNanos, transferredNanos);
        return new Milestones(
                Duration.ofNanos(connectedNanos),
                Duration.ofNanos(transferred),
                Duration.ofNanos(Math.max(transferred, confirmedNanos)));
    }

    /** The transaction is over without a result. */
    final void fail(final TransactionException failure) {
        if (state.getAndSet(State.ENDED) != State.ENDED) {
            ended(failure);
        }
    }

    private void ended(final TransactionException failure) {
        cancelDeadline();
        onFailure(failure);
        result.completeExceptionally(failure);
    }

    /** Told when the transaction ended with a failure, before its future is. */
    protected void onFailure(final TransactionException failure) {
        // Only who waits for something other than the result has something to do.
    }

    private void cancelDeadline() {
        final Future<?> scheduled = deadline;
        if (scheduled != null) {
            scheduled.cancel(false);
        }
    }

    /** @return nanoseconds until the deadline of the port, from the request on */
    final long deadlineNanos() {
        return TimeUnit.NANOSECONDS.convert(port.deadline());
    }
}
