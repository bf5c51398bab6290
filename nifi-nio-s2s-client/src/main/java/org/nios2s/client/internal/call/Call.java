// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.call;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.connection.Attempt;
import org.nios2s.client.internal.connection.AttemptBudget;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.Failures;
import org.nios2s.client.internal.connection.NewerJava;
import org.nios2s.client.internal.connection.SafeObserver;

/**
 * One transaction of a caller: finds a peer, attempts the transaction there, and again as far as it is safe and allowed.
 * Thread-safe: time-outs, cancellation and close may occur at any moment; everything else is sequential.
 *
 * <p>Its outcome is decided once, when the attempt ends, and then handed over on the completion executor. Nothing thrown
 * on the way is lost: it is an outcome too. A peer that failed is passed over at once where there is another; otherwise
 * the {@link RetryPolicy} says how long to wait. NiFi's "destination full" is waited out and counts as no attempt.
 */
final class Call implements RunningCall {
    /** What all calls of a client share. */
    interface Shared {
        ClientObserver observer();

        EventExecutor timer();

        /** @return whether no further attempt may begin */
        boolean isClosed();

        /** The call's caller can see its outcome. */
        void finished(Call call);
    }

    /** When an outcome may be decided. */
    private enum When {
        ALWAYS,
        /** Not while an attempt is under way: it alone knows whether NiFi has the packets. */
        BETWEEN_ATTEMPTS
    }

    /** An attempt knows its deadline; beyond this time nobody waits for what its IO worker says. */
    private static final Duration WORKER_GRACE = Duration.ofSeconds(2);

    /** An attempt that waited for a connection for no longer than this was cut short by the end of the delivery time-out. */
    private static final Duration SHORT_WAIT = Duration.ofMillis(100);

    /** Maximum number of earlier attempts that a failure names: the last ones. */
    private static final int MAX_EARLIER_FAILURES = 8;

    private final Shared calls;
    private final CallRequest request;
    private final PeerSelector peers;
    private final Direction direction;
    private final CallOptions options;
    private final RetryPolicy retry;
    private final Executor completion;
    private final long calledNanos = System.nanoTime();

    private final CompletableFuture<TransactionResult> result = new CompletableFuture<>();
    private final AtomicBoolean decided = new AtomicBoolean();
    private final CompletableFuture<Void> outcome = new CompletableFuture<>();
    private final CompletableFuture<Void> handedOver = new CompletableFuture<>();
    /** Fails when the time is over; completed when nobody needs to look any more. */
    private volatile CompletableFuture<Void> timer = CompletableFuture.completedFuture(null);

    /** The last one; it counts while {@link #attempting}. */
    private volatile Attempt attempt;

    private volatile long attemptNanos;

    /** The peer that may have committed the last attempt: it alone may recognize the packets. */
    private volatile Endpoint doubtful;

    /** No further attempt is wanted. */
    private volatile boolean stopped;

    /** These are guarded by this object. */
    private boolean attempting;

    private final Deque<TransactionException> failures = new ArrayDeque<>();

    private final Set<String> triedWithoutPause = new HashSet<>();
    private final Set<String> refusedBy = new HashSet<>();
    private int attempts;
    private int timesFull;
    private boolean unknown;

    /** @param completion where the future is completed */
    Call(final Shared calls, final CallRequest request, final Executor completion) {
        this.calls = calls;
        this.request = request;
        this.peers = request.peers();
        this.direction = request.direction();
        this.options = request.options();
        this.retry = request.retry();
        this.completion = completion;
        result.whenComplete((done, failure) -> completedByCaller());
    }

    @Override
    public CompletableFuture<TransactionResult> result() {
        return result;
    }

    /** @return completed when the outcome is decided */
    CompletableFuture<Void> outcome() {
        return outcome;
    }

    /** @return completed when the completion executor has begun to hand the outcome over */
    CompletableFuture<Void> handedOver() {
        return handedOver;
    }

    /** @return whether the thread is in a handler of its packets */
    boolean isHandledBy(final Thread thread) {
        final Attempt running = attempt;
        return running != null && running.isHandledBy(thread);
    }

    boolean isWithoutAttempt() {
        return !decided.get() && !isAttempting();
    }

    private synchronized boolean isAttempting() {
        return attempting;
    }

    /**
     * The attempt succeeded. Nobody can decide otherwise between its end and this outcome, also if its caller has given it
     * up: what arrived has arrived.
     *
     * @return whether this is the one who decides
     */
    private synchronized boolean endAttempt() {
        attempting = false;
        return settle(When.ALWAYS);
    }

    /**
     * The attempt failed, or there was none. Who decides from now on knows of the failure.
     *
     * @return whether the outcome was decided before
     */
    private synchronized boolean endAttempt(final TransactionException failure) {
        attempting = false;
        remember(failure);
        return decided.get();
    }

    void begin() {
        guarded(() -> {
            scheduleNextCheck();
            next();
        });
    }

    void refuse(final FailureReason reason, final String message) {
        fail(failure(reason, message, null));
    }

    /** Nothing is thrown where nobody hears it: on timers and in callbacks of futures. */
    private void guarded(final Runnable step) {
        try {
            step.run();
        } catch (final Exception | Error e) {
            fail(failure(FailureReason.INTERNAL_ERROR, String.valueOf(e), e));
        }
    }

    private void scheduleNextCheck() {
        final long left = Math.min(deadlineLeftNanos(), deliveryLeftNanos());
        scheduleCheck(left > 0 ? left : deadlineLeftNanos());
    }

    private void scheduleCheck(final long nanos) {
        if (nanos == Long.MAX_VALUE) {
            return;
        }
        final CompletableFuture<Void> next = new CompletableFuture<>();
        timer = next;
        if (decided.get()) {
            return;
        }
        // Not on an IO worker: one that is busy must not stop the time too.
        next.orTimeout(Math.max(1, nanos), TimeUnit.NANOSECONDS).whenComplete((nothing, failure) -> {
            if (failure instanceof TimeoutException) {
                NewerJava.blockingTasks().execute(() -> guarded(this::checkTimeout));
            }
        });
    }

    private void checkTimeout() {
        if (decided.get()) {
            return;
        }
        final boolean late = deadlineLeftNanos() <= 0;
        final boolean between = !isAttempting();
        if (between && late) {
            timeIsOver("Not over after " + options.deadline());
        } else if (between && deliveryLeftNanos() <= 0) {
            timeIsOver("No attempt succeeded within the delivery time-out of " + retry.deliveryTimeout());
        } else if (late && deadlineLeftNanos() + TimeUnit.NANOSECONDS.convert(WORKER_GRACE) <= 0) {
            abandon(
                    FailureReason.DEADLINE_EXCEEDED,
                    "Not over after " + options.deadline() + "; its IO worker is busy");
        } else if (late) {
            scheduleCheck(deadlineLeftNanos() + TimeUnit.NANOSECONDS.convert(WORKER_GRACE));
        } else {
            scheduleNextCheck();
        }
    }

    /** Between two attempts: the last one has more to say than the time. */
    private void timeIsOver(final String message) {
        final TransactionException last = last();
        final boolean deadlinePassed = deadlineLeftNanos() <= 0;
        if (last == null || deadlinePassed) {
            fail(When.BETWEEN_ATTEMPTS, failure(FailureReason.DEADLINE_EXCEEDED, message, last));
        } else {
            fail(When.BETWEEN_ATTEMPTS, last);
        }
        if (!decided.get()) {
            // An attempt has begun meanwhile.
            scheduleNextCheck();
        }
    }

    private synchronized TransactionException last() {
        return failures.peekLast();
    }

    private long deadlineLeftNanos() {
        return leftNanos(options.deadline());
    }

    private long deliveryLeftNanos() {
        return leftNanos(retry.deliveryTimeout());
    }

    private long leftNanos(final Duration longest) {
        if (longest == null) {
            return Long.MAX_VALUE;
        }
        final long nanos = TimeUnit.NANOSECONDS.convert(longest);
        return nanos == Long.MAX_VALUE ? nanos : nanos - (System.nanoTime() - request.sinceNanos());
    }

    private void next() {
        if (decided.get()) {
            return;
        }
        if (doubtful != null) {
            start(doubtful);
            return;
        }
        peers.choose(direction)
                .whenComplete((port, failure) -> guarded(() -> {
                    if (failure == null) {
                        start(port);
                    } else {
                        handleFailure(null, known(failure));
                    }
                }));
    }

    /** @return whether an attempt may start; from then on nobody but the attempt knows the outcome */
    private synchronized boolean beginAttempt() {
        attempting = !decided.get();
        return attempting;
    }

    private void start(final Endpoint port) {
        if (!beginAttempt()) {
            return;
        }
        attemptNanos = System.nanoTime();
        final AttemptBudget budget =
                new AttemptBudget(request.sinceNanos(), Math.max(1, deliveryLeftNanos()), () -> peers.hasOther(port));
        final Attempt running = request.starter().start(port, options.within(budget));
        attempt = running;
        if (decided.get() || stopped) {
            running.stop(FailureReason.CANCELLED, "The call is over");
        }
        running.result()
                .whenComplete((done, failure) -> guarded(() -> {
                    if (failure == null) {
                        succeeded(port, done);
                    } else {
                        handleFailure(port, known(failure));
                    }
                }));
    }

    private void succeeded(final Endpoint port, final TransactionResult attempted) {
        final TransactionResult done = attempted.after(Duration.ofNanos(attemptNanos - calledNanos));
        final boolean first = endAttempt();
        try {
            if (attempted.destinationFull()) {
                peers.full(port);
            } else {
                peers.succeeded(port);
            }
            SafeObserver.notify(calls.observer(), seen -> seen.transactionCompleted(direction, done));
        } finally {
            if (first) {
                handOver(() -> result.complete(done));
            }
        }
    }

    private TransactionException known(final Throwable failure) {
        final Throwable cause = Failures.causeOf(failure);
        if (cause instanceof final TransactionException transactionFailure) {
            return transactionFailure;
        }
        if (cause instanceof CancellationException) {
            return failure(FailureReason.CANCELLED, "The caller gave the transaction up", cause);
        }
        return failure(FailureReason.INTERNAL_ERROR, String.valueOf(cause), cause);
    }

    private TransactionException failure(final FailureReason reason, final String message, final Throwable cause) {
        return peers.failing(TransactionStep.FIND_PEER, reason)
                .message(message)
                .cause(cause)
                .build();
    }

    /** An attempt failed, or no peer was found for one. */
    private void handleFailure(final Endpoint port, final TransactionException failure) {
        final boolean over = endAttempt(failure);
        if (port != null) {
            peers.failed(port, failure);
        }
        doubtful = doubtfulAfter(port, failure);
        if (over) {
            // Given up by its caller: only the observer can still hear what became of it.
            SafeObserver.notify(
                    calls.observer(), seen -> seen.transactionFailed(direction, withEarlierAttempts(failure)));
            return;
        }
        final Optional<Duration> pause =
                calls.isClosed() || stopped ? Optional.empty() : pauseBeforeNext(port, failure);
        if (pause.isPresent() && isInTime(pause.get()) && request.repeatable().test(failure)) {
            final int made = attemptsMade();
            SafeObserver.notify(calls.observer(), seen -> seen.retrying(direction, failure, made, pause.get()));
            later(pause.get(), failure);
        } else {
            fail(mostInformative(failure));
        }
    }

    /** It stays that one while it says anything but that it refuses us: then, or when it can't be reached, the next goes to any. */
    private Endpoint doubtfulAfter(final Endpoint port, final TransactionException failure) {
        if (direction == Direction.SEND && failure.isOutcomeUnknown()) {
            return port;
        }
        final boolean unreached = failure.reason() == FailureReason.CONNECT_FAILED
                || failure.step().compareTo(TransactionStep.TLS_HANDSHAKE) <= 0;
        return unreached || Refusals.isRefusal(failure) ? null : doubtful;
    }

    /** An attempt that found no connection in the little time that was left says less than the attempt before it. */
    private synchronized TransactionException mostInformative(final TransactionException failure) {
        final boolean hadNoTime = failure.step() == TransactionStep.WAIT_FOR_CONNECTION
                && failure.reason() == FailureReason.IDLE_TIMEOUT
                && System.nanoTime() - attemptNanos < TimeUnit.NANOSECONDS.convert(SHORT_WAIT);
        if (hadNoTime && failures.size() > 1) {
            final Iterator<TransactionException> newestFirst = failures.descendingIterator();
            newestFirst.next();
            return newestFirst.next();
        }
        return failure;
    }

    private void remember(final TransactionException failure) {
        if (failure.reason() == FailureReason.DESTINATION_FULL) {
            timesFull++;
        } else {
            attempts++;
        }
        unknown |= failure.isOutcomeUnknown();
        if (failures.size() == MAX_EARLIER_FAILURES) {
            failures.removeFirst();
        }
        failures.add(failure);
    }

    @Override
    public synchronized int failedAttempts() {
        return attempts;
    }

    private synchronized int attemptsMade() {
        return attempts + timesFull;
    }

    private synchronized Optional<Duration> pauseBeforeNext(final Endpoint port, final TransactionException failure) {
        // Of a policy that allows one attempt a full destination is the end, too.
        final int counted = Math.max(1, request.attemptsBefore() + attempts);
        if (!retry.allowsAnother(counted, failure)) {
            return Optional.empty();
        }
        final boolean refused = port != null && Refusals.isRefusal(failure);
        if (refused) {
            refusedBy.add(port.peer());
        }
        if (!failure.reason().isTransient() && !(refused && peers.hasOtherThan(refusedBy))) {
            return Optional.empty();
        }
        if (doubtful == null && port != null && peers.hasOther(port) && triedWithoutPause.add(port.peer())) {
            return Optional.of(Duration.ZERO);
        }
        triedWithoutPause.clear();
        return Optional.of(retry.pause(attempts + timesFull));
    }

    private boolean isInTime(final Duration pause) {
        return TimeUnit.NANOSECONDS.convert(pause) < Math.min(deadlineLeftNanos(), deliveryLeftNanos());
    }

    private void later(final Duration pause, final TransactionException failure) {
        try {
            calls.timer()
                    .schedule(() -> guarded(this::next), TimeUnit.NANOSECONDS.convert(pause), TimeUnit.NANOSECONDS);
        } catch (final RejectedExecutionException e) {
            fail(failure);
        }
        if (calls.isClosed() || stopped) {
            closed();
        }
    }

    /** The client takes no further attempt. One that is under way ends by itself and says how. */
    void closed() {
        fail(When.BETWEEN_ATTEMPTS, failure(FailureReason.CLIENT_CLOSED, "The client was closed", last()));
    }

    @Override
    public void stop(final FailureReason reason, final String message) {
        stopped = true;
        fail(When.BETWEEN_ATTEMPTS, failure(reason, message, last()));
        final Attempt running = attempt;
        if (running != null) {
            running.stop(reason, message);
        }
    }

    /** The engine has stopped, and with it what knew how the attempt stands. */
    void abandoned() {
        abandon(FailureReason.CLIENT_CLOSED, "The client was closed");
    }

    private void abandon(final FailureReason reason, final String message) {
        fail(When.BETWEEN_ATTEMPTS, failure(reason, message, last()));
        fail(
                When.ALWAYS,
                peers.failing(TransactionStep.COMPLETE, reason)
                        .message(message)
                        .cause(last())
                        .build());
        final Attempt running = attempt;
        if (running != null) {
            running.stop(reason, message);
        }
    }

    private void fail(final TransactionException failure) {
        fail(When.ALWAYS, failure);
    }

    private void fail(final When when, final TransactionException failure) {
        if (settle(when)) {
            final TransactionException complete = withEarlierAttempts(failure);
            SafeObserver.notify(calls.observer(), seen -> seen.transactionFailed(direction, complete));
            handOver(() -> result.completeExceptionally(complete));
        }
    }

    /** @return the failure with all that is known of the attempts before it */
    private synchronized TransactionException withEarlierAttempts(final TransactionException failure) {
        final List<TransactionException> earlier =
                failures.stream().filter(each -> each != failure).toList();
        final boolean more = !earlier.isEmpty() || unknown != failure.isOutcomeUnknown();
        return more ? withEarlier(failure, earlier) : failure;
    }

    /** An exception of one attempt may belong to many calls, so it is copied. */
    private TransactionException withEarlier(
            final TransactionException failure, final List<TransactionException> earlier) {
        final TransactionException last = failure.toBuilder()
                .attempts(Math.max(1, attempts + timesFull))
                .earlier(earlier)
                .outcomeUnknown(unknown || failure.isOutcomeUnknown())
                .build();
        last.setStackTrace(failure.getStackTrace());
        for (final Throwable own : failure.getSuppressed()) {
            last.addSuppressed(own);
        }
        return last;
    }

    /** @return whether this is the one who decides */
    private synchronized boolean settle(final When when) {
        return (when == When.ALWAYS || !attempting) && decided.compareAndSet(false, true);
    }

    private void handOver(final Runnable completing) {
        timer.complete(null);
        outcome.complete(null);
        Completion.run(
                () -> {
                    calls.finished(this);
                    handedOver.complete(null);
                    completing.run();
                },
                completion);
    }

    /** Called whenever the result is complete; anybody may complete it, and then the transaction is of no use any more. */
    private void completedByCaller() {
        if (!settle(When.ALWAYS)) {
            return;
        }
        timer.complete(null);
        calls.finished(this);
        outcome.complete(null);
        handedOver.complete(null);
        final Attempt running = attempt;
        if (running != null) {
            // Does nothing if that one is over.
            running.stop(FailureReason.CANCELLED, "The caller gave the transaction up");
        }
    }
}
