// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.TransactionTimings;

/**
 * A transaction from its request to its result: waits for a connection, runs on it, ends once. Waiting, cancelling and
 * the time come from any thread; {@link #run} and what follows live on the connection's IO worker, where the result is
 * completed too: what depends on it must not block.
 */
public abstract class Attempt {
    /** Where it waits for a connection, and whom the connection is given back to. */
    interface Pool {
        /** @return whether it waits there now; if not, the pool is not in use any more */
        boolean submit(Attempt attempt);

        /** It waits no longer. */
        void forget(Attempt attempt);

        void release(ClientConnection connection);
    }

    private static final TransactionStep WAITING_STEP = TransactionStep.WAIT_FOR_CONNECTION;
    /** Beyond the time that a peer allows itself: what it says last has a way to come. */
    private static final Duration COMMIT_MARGIN = Duration.ofSeconds(5);

    private enum State {
        WAITING,
        RUNNING,
        ENDED
    }

    private final Endpoint port;
    private final CallOptions options;
    private final long startedNanos = System.nanoTime();
    private final CompletableFuture<TransactionResult> result = new CompletableFuture<>();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** These three belong to the connection's IO worker. */
    private long connectedNanos;

    private long transferredNanos;
    private long confirmedNanos;

    /** These two are set before the transaction waits. */
    private volatile Pool pool;

    private volatile EventExecutor timer;

    private volatile ClientConnection connection;
    /** Looks next whether the time is over; null while nobody needs to. */
    private final AtomicReference<Future<?>> timeoutTask = new AtomicReference<>();

    /** Why no connection could be opened lately; published by the pool. */
    private volatile TransactionException lastOpeningFailure;

    public Attempt(final Endpoint port, final CallOptions options) {
        this.port = port;
        this.options = options;
    }

    public Endpoint port() {
        return port;
    }

    /** @return whether a close of the client waits for it */
    protected boolean isAwaitedByClose() {
        return true;
    }

    /** @return whether the thread is in a handler of its packets: then it can't end before that returns */
    public boolean isHandledBy(final Thread thread) {
        return false;
    }

    Pool pool() {
        return pool;
    }

    /** @param executor keeps the time while it waits */
    void waitIn(final Pool waitedIn, final EventExecutor executor) {
        pool = waitedIn;
        timer = executor;
    }

    public CompletableFuture<TransactionResult> result() {
        return result;
    }

    void lastOpeningFailure(final TransactionException failure) {
        lastOpeningFailure = failure;
    }

    /** It waits for a connection now, and ends when its deadline passes or none is free for too long. */
    final void awaitConnection() {
        scheduleTimeout(timer);
    }

    /** On a connection its own IO worker keeps the time: to ask another would cost more than a small transaction. */
    private void scheduleTimeout(final EventExecutor executor) {
        final long left = Math.min(deadlineLeftNanos(), waitLeftNanos());
        if (left < Long.MAX_VALUE) {
            reschedule(executor, left);
        }
    }

    private void reschedule(final EventExecutor executor, final long nanos) {
        final Future<?> scheduled = executor.schedule(() -> checkTimeout(executor), nanos, TimeUnit.NANOSECONDS);
        cancel(timeoutTask.getAndSet(scheduled));
        if (state.get() == State.ENDED) {
            scheduled.cancel(false);
        }
    }

    private void checkTimeout(final EventExecutor executor) {
        final ClientConnection running = connection;
        if (deadlineLeftNanos() <= 0) {
            stop(FailureReason.DEADLINE_EXCEEDED, "Not over after " + options.deadline());
        } else if (state.get() == State.WAITING) {
            checkIdle(
                    executor,
                    waitLeftNanos(),
                    "No connection was free for " + TimeUnit.NANOSECONDS.toMillis(elapsedNanos()) + " ms");
        } else if (state.get() == State.RUNNING) {
            executeOn(running, () -> {
                if (state.get() == State.RUNNING) {
                    final Duration patience = patience(running);
                    checkIdle(
                            running.worker(),
                            leftNanos(patience, running.lastProgressNanos()),
                            "The peer took nothing and said nothing for " + patience);
                }
            });
        }
    }

    private void checkIdle(final EventExecutor executor, final long left, final String idle) {
        if (left <= 0) {
            stop(FailureReason.IDLE_TIMEOUT, idle);
        } else {
            reschedule(executor, Math.min(left, Math.max(1, deadlineLeftNanos())));
        }
    }

    /**
     * How long the peer may take nothing and say nothing. While it takes the packets over it may need longer: a listener
     * that confirms before it commits waits for room up to twice the time that it was told at the handshake, and to leave
     * it then would make the outcome unknown.
     */
    private Duration patience(final ClientConnection running) {
        final Duration idle = options.idleTimeout();
        if (idle == null || running.step() != TransactionStep.COMPLETE) {
            return idle;
        }
        final long commitNanos = TimeUnit.NANOSECONDS.convert(port.requestExpiration());
        final Duration commit = Duration.ofNanos(commitNanos).multipliedBy(2).plus(COMMIT_MARGIN);
        return commit.compareTo(idle) > 0 ? commit : idle;
    }

    private long deadlineLeftNanos() {
        final AttemptBudget budget = options.budget();
        return leftNanos(options.deadline(), budget == null ? startedNanos : budget.calledNanos());
    }

    private long waitLeftNanos() {
        final AttemptBudget budget = options.budget();
        final long called = budget == null ? Long.MAX_VALUE : budget.waitNanos() - (System.nanoTime() - startedNanos);
        return Math.min(called, leftNanos(options.idleTimeout(), startedNanos));
    }

    /** @return whether its call can turn to another peer; it has not begun while it waits. Not to be asked in a lock */
    boolean mayGoElsewhere() {
        return options.budget() != null && options.budget().mayGoElsewhere().getAsBoolean();
    }

    private static long leftNanos(final Duration longest, final long since) {
        return longest == null ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.convert(longest) - (System.nanoTime() - since);
    }

    /**
     * Takes the connection, on its IO worker. Whatever goes wrong ends this transaction and nothing else.
     *
     * @return whether it does; if not, the transaction is over already and the connection free
     */
    final boolean begin(final ClientConnection taken) {
        connection = taken;
        if (!state.compareAndSet(State.WAITING, State.RUNNING)) {
            return false;
        }
        connectedNanos = elapsedNanos();
        try {
            scheduleTimeout(taken.worker());
            run(taken);
        } catch (final RuntimeException | Error e) {
            final TransactionException failure =
                    taken.failure(FailureReason.INTERNAL_ERROR, "The transaction can't begin: " + e, e);
            taken.end(failure);
            fail(failure);
        }
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
    protected abstract void run(ClientConnection taken);

    /** Leaves the exchange under way, with a word to the peer where the protocol has one. */
    protected abstract void abandon(TransactionException failure);

    /** Ends the transaction from outside: its caller cancels, its time is over, the client closes. Any thread. */
    public final void stop(final FailureReason reason, final String message) {
        stop(reason, message, null);
    }

    /** The same for a reason that has a cause. */
    public final void stop(final FailureReason reason, final String message, final Throwable cause) {
        if (state.compareAndSet(State.WAITING, State.ENDED)) {
            final TransactionException opening = lastOpeningFailure;
            final String detail = opening == null ? "" : "; the last connection failed: " + opening.getMessage();
            ended(port.failure(WAITING_STEP, reason, message + detail, opening == null ? cause : opening));
        } else if (state.get() == State.RUNNING) {
            final ClientConnection running = connection;
            executeOn(running, () -> {
                if (state.get() == State.RUNNING) {
                    abandon(running.failure(reason, message, cause));
                }
            });
        }
    }

    private void executeOn(final ClientConnection running, final Runnable task) {
        try {
            running.execute(task);
        } catch (final RejectedExecutionException e) {
            // The IO workers are gone, and what they knew of the outcome with them.
            fail(port.failure(TransactionStep.COMPLETE, FailureReason.CLIENT_CLOSED, "The client was closed", e));
        }
    }

    /**
     * The transaction is over and everything is where it belongs. That is settled before the connection serves another
     * transaction, and told after it is free.
     */
    protected final void succeed(final long packets, final long bytes, final boolean destinationFull) {
        final boolean first = state.getAndSet(State.ENDED) != State.ENDED;
        final Duration duration = Duration.ofNanos(elapsedNanos());
        pool.release(connection);
        if (first) {
            cancelTimeout();
            final TransactionResult done = new TransactionResult(
                    packets,
                    bytes,
                    duration,
                    port.peer(),
                    port.portName(),
                    connection.commsId(),
                    destinationFull,
                    timings());
            result.complete(done);
        }
    }

    /** What was not reached, for there was nothing to transfer, counts as reached with what came before it. */
    private TransactionTimings timings() {
        final long transferred = Math.max(connectedNanos, transferredNanos);
        return new TransactionTimings(
                Duration.ofNanos(connectedNanos),
                Duration.ofNanos(transferred),
                Duration.ofNanos(Math.max(transferred, confirmedNanos)));
    }

    /** The transaction is over without a result. */
    public final void fail(final TransactionException failure) {
        if (state.getAndSet(State.ENDED) != State.ENDED) {
            ended(failure);
        }
    }

    private void ended(final TransactionException failure) {
        cancelTimeout();
        onFailure(failure);
        result.completeExceptionally(failure);
    }

    /** Told when the transaction ended with a failure, before its future is. */
    protected void onFailure(final TransactionException failure) {
        // Only who waits for something other than the result has something to do.
    }

    private void cancelTimeout() {
        cancel(timeoutTask.get());
    }

    private static void cancel(final Future<?> scheduled) {
        if (scheduled != null) {
            scheduled.cancel(false);
        }
    }
}
