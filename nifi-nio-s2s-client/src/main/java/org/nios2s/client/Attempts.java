// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.nifi.remote.TransferDirection;

/**
 * Finds a peer for a transaction, runs it, and tries again as far as it is safe and allowed. Any thread; never blocks.
 *
 * <p>A peer that failed is passed over at once where there is another; else the {@link RetryPolicy} says how long to
 * wait. Results are completed on the completion executor, where whoever waits for them may block.
 */
final class Attempts {
    /** One attempt of a transaction. */
    interface Transaction {
        /** Its future is completed where nothing may block. */
        CompletableFuture<TransactionResult> start(RemotePort port, CallOptions options);
    }

    private final SiteToSiteConnector connector;
    private final Executor completion;
    private final ClientObserver observer;
    private final Set<Call> unfinished = ConcurrentHashMap.newKeySet();

    Attempts(final SiteToSiteConnector connector, final Executor completion, final ClientObserver observer) {
        this.connector = connector;
        this.completion = completion;
        this.observer = observer;
    }

    /**
     * Runs a transaction.
     *
     * @param repeatable asked before another attempt: whether what was to be sent can still be had
     * @return completed on the completion executor
     */
    CompletableFuture<TransactionResult> run(
            final PeerChoice peers,
            final TransferDirection direction,
            final CallOptions options,
            final RetryPolicy retry,
            final BooleanSupplier repeatable,
            final Transaction transaction) {
        return run(peers, direction, options, retry, repeatable, completion, transaction);
    }

    /** The same, completed on another executor. */
    CompletableFuture<TransactionResult> run(
            final PeerChoice peers,
            final TransferDirection direction,
            final CallOptions options,
            final RetryPolicy retry,
            final BooleanSupplier repeatable,
            final Executor executor,
            final Transaction transaction) {
        final Call call = new Call(peers, direction, options, retry, repeatable, executor, transaction);
        unfinished.add(call);
        call.result.whenComplete((result, failure) -> {
            unfinished.remove(call);
            call.giveUp();
        });
        call.next();
        return call.result;
    }

    /** The engine is closed: ends what waited for another attempt, which nobody will start any more. */
    void close() {
        unfinished.forEach(Call::closed);
    }

    /** All attempts of one transaction; one thing at a time happens in it. */
    private final class Call {
        private final PeerChoice peers;
        private final TransferDirection direction;
        private final CallOptions options;
        private final RetryPolicy retry;
        private final BooleanSupplier repeatable;
        private final Executor executor;
        private final Transaction transaction;
        private final long startedNanos = System.nanoTime();
        private final CompletableFuture<TransactionResult> result = new CompletableFuture<>();
        private volatile CompletableFuture<TransactionResult> attempt;
        private int failed;

        Call(
                final PeerChoice peers,
                final TransferDirection direction,
                final CallOptions options,
                final RetryPolicy retry,
                final BooleanSupplier repeatable,
                final Executor executor,
                final Transaction transaction) {
            this.peers = peers;
            this.direction = direction;
            this.options = options;
            this.retry = retry;
            this.repeatable = repeatable;
            this.executor = executor;
            this.transaction = transaction;
        }

        /** The caller completed the result himself, or it is complete anyway. */
        void giveUp() {
            final CompletableFuture<TransactionResult> running = attempt;
            if (running != null && !running.isDone()) {
                running.cancel(false);
            }
        }

        void closed() {
            final TransactionException failure = failure(FailureReason.CONNECTOR_CLOSED, "The client was closed", null);
            complete(() -> result.completeExceptionally(failure));
        }

        void next() {
            if (result.isDone()) {
                return;
            }
            inTime(peers.choose(direction)).whenComplete((port, failure) -> {
                if (failure == null) {
                    start(port);
                } else {
                    judge(null, known(failure));
                }
            });
        }

        private CompletableFuture<RemotePort> inTime(final CompletableFuture<RemotePort> choice) {
            return options.deadline() == null || choice.isDone()
                    ? choice
                    : choice.orTimeout(Math.max(1, leftNanos()), TimeUnit.NANOSECONDS);
        }

        private void start(final RemotePort port) {
            if (result.isDone()) {
                return;
            }
            final CallOptions left = options.deadline() == null
                    ? options
                    : options.withDeadline(Duration.ofNanos(Math.max(1, leftNanos())));
            final CompletableFuture<TransactionResult> running = tryToStart(port, left);
            attempt = running;
            if (result.isDone()) {
                running.cancel(false);
            }
            running.whenComplete((done, failure) -> {
                if (failure == null) {
                    succeeded(port, done);
                } else {
                    final TransactionException cause = known(failure);
                    peers.failed(port, cause);
                    judge(port, cause);
                }
            });
        }

        private CompletableFuture<TransactionResult> tryToStart(final RemotePort port, final CallOptions left) {
            try {
                return transaction.start(port, left);
            } catch (final RuntimeException | Error e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private void succeeded(final RemotePort port, final TransactionResult done) {
            if (done.destinationFull()) {
                peers.full(port);
            }
            Observers.tell(observer, seen -> seen.transactionCompleted(direction.name(), done));
            complete(() -> result.complete(done));
        }

        private TransactionException known(final Throwable failure) {
            final Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof final TransactionException transactionFailure) {
                return transactionFailure;
            }
            if (cause instanceof CancellationException) {
                return failure(FailureReason.CANCELLED, "The caller gave the transaction up", cause);
            }
            final boolean late = cause instanceof TimeoutException;
            return late
                    ? failure(FailureReason.DEADLINE_PASSED, "Not over after " + options.deadline(), cause)
                    : failure(FailureReason.INTERNAL_ERROR, String.valueOf(cause), cause);
        }

        private TransactionException failure(final FailureReason reason, final String message, final Throwable cause) {
            return new TransactionException(peers.name(), "", TransactionStep.FIND_PEER, reason, message, cause);
        }

        private void judge(final RemotePort port, final TransactionException failure) {
            final int attempts = ++failed;
            final Optional<Duration> allowed = result.isDone() ? Optional.empty() : retry.pauseAfter(attempts, failure);
            final Duration pause = allowed.isPresent() && port != null && peers.hasOther(port)
                    ? Duration.ZERO
                    : allowed.orElse(Duration.ZERO);
            final boolean inTime = options.deadline() == null || pause.toNanos() < leftNanos();
            if (allowed.isPresent() && inTime && repeatable.getAsBoolean()) {
                Observers.tell(observer, seen -> seen.retrying(failure, attempts, pause));
                later(pause, failure);
            } else {
                failed(failure);
            }
        }

        private void failed(final TransactionException failure) {
            if (!result.isDone()) {
                Observers.tell(observer, seen -> seen.transactionFailed(direction.name(), failure));
                complete(() -> result.completeExceptionally(failure));
            }
        }

        private void later(final Duration pause, final TransactionException failure) {
            try {
                connector.timer().schedule(this::next, pause.toNanos(), TimeUnit.NANOSECONDS);
            } catch (final RejectedExecutionException e) {
                failed(failure);
            }
        }

        private long leftNanos() {
            return TimeUnit.NANOSECONDS.convert(options.deadline()) - (System.nanoTime() - startedNanos);
        }

        private void complete(final Runnable task) {
            try {
                executor.execute(task);
            } catch (final RejectedExecutionException e) {
                // Whoever waits must hear of it, if not where it wants to.
                task.run();
            }
        }
    }
}
