// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.nios2s.client.BatchHandler;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.BatchReceiver;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.OutputPort;
import org.nios2s.client.ReceivedBatch;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.internal.call.CallRequest;
import org.nios2s.client.internal.call.PeerSelector;
import org.nios2s.client.internal.call.Refusals;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.Failures;
import org.nios2s.client.internal.connection.SafeObserver;
import org.nios2s.client.internal.transaction.DefaultReceivedBatch;
import org.nios2s.client.internal.transaction.InteractiveAttempt;

/**
 * A port of NiFi that gives packets. Immutable; any thread.
 *
 * <p>{@link #receive} pulls for ever and hands batches to a handler; {@link #pull} does so once. With {@link #poll} the
 * caller's own thread asks, and says when NiFi may forget.
 */
final class DefaultOutputPort implements OutputPort, DefaultBatchReceiver.Source {
    private final ClientContext client;
    private final PeerSelector peers;
    private final CallOptions options;
    private final RetryPolicy retry;
    private final BatchLimits batchLimits;
    private final boolean endsOnRefusal;

    DefaultOutputPort(
            final ClientContext client,
            final PeerSelector peers,
            final CallOptions options,
            final RetryPolicy retry,
            final BatchLimits batchLimits,
            final boolean endsOnRefusal) {
        this.client = client;
        this.peers = peers;
        this.options = options;
        this.retry = retry;
        this.batchLimits = batchLimits;
        this.endsOnRefusal = endsOnRefusal;
    }

    @Override
    public OutputPort withDeadline(final Duration max) {
        return new DefaultOutputPort(client, peers, options.withDeadline(max), retry, batchLimits, endsOnRefusal);
    }

    @Override
    public OutputPort withIdleTimeout(final Duration max) {
        return new DefaultOutputPort(client, peers, options.withIdleTimeout(max), retry, batchLimits, endsOnRefusal);
    }

    @Override
    public OutputPort withRequestExpiration(final Duration max) {
        final CallOptions expiring = options.withRequestExpiration(Objects.requireNonNull(max, "max"));
        return new DefaultOutputPort(client, peers, expiring, retry, batchLimits, endsOnRefusal);
    }

    @Override
    public OutputPort withRetry(final RetryPolicy policy) {
        return new DefaultOutputPort(
                client, peers, options, Objects.requireNonNull(policy, "policy"), batchLimits, endsOnRefusal);
    }

    @Override
    public OutputPort withBatchLimits(final BatchLimits limits) {
        return new DefaultOutputPort(
                client, peers, options, retry, Objects.requireNonNull(limits, "limits"), endsOnRefusal);
    }

    @Override
    public OutputPort endOnRefusal() {
        return new DefaultOutputPort(client, peers, options, retry, batchLimits, true);
    }

    @Override
    public boolean endsOnRefusal() {
        return endsOnRefusal;
    }

    @Override
    public BatchReceiver receive(final BatchHandler handler, final int parallelism) {
        return new DefaultBatchReceiver(this, Objects.requireNonNull(handler, "handler"), parallelism);
    }

    @Override
    public Optional<ReceivedBatch> poll(final Duration max) throws IOException {
        final long began = System.nanoTime();
        final long nanos = TimeUnit.NANOSECONDS.convert(max);
        final PollBackoff pauses = new PollBackoff(retry);
        final Refusals refusals = new Refusals(peers);
        while (true) {
            long pause;
            try {
                final DefaultReceivedBatch batch = askEach(refusals);
                if (batch != null) {
                    return Optional.of(batch);
                }
                pause = TimeUnit.NANOSECONDS.convert(pauses.afterNothing());
                if (nanos - (System.nanoTime() - began) <= 0) {
                    return Optional.empty();
                }
            } catch (final TransactionException e) {
                pause = TimeUnit.NANOSECONDS.convert(pauses.afterFailure());
                final boolean inTime = nanos - (System.nanoTime() - began) > pause;
                if (!inTime || !(refusals.isOfOneNode(e) || e.reason().isTransient())) {
                    throw e;
                }
            }
            sleep(Math.min(pause, nanos - (System.nanoTime() - began)));
        }
    }

    /**
     * Asks one peer after the other, each once, whatever time is left: where one has nothing, or fails, another may have packets.
     * Those that are penalized are left out.
     *
     * @return null if no peer has packets; one that refuses us is then no obstacle, but one that fails may have some
     */
    private DefaultReceivedBatch askEach(final Refusals refusals) throws IOException {
        final CompletableFuture<Void> never = new CompletableFuture<>();
        final Set<String> asked = new HashSet<>();
        boolean answered = false;
        TransactionException refusal = null;
        TransactionException failure = null;
        for (Endpoint peer = choose(); peer != null; peer = chooseOther(asked)) {
            asked.add(peer.peer());
            try {
                final DefaultReceivedBatch batch = ask(peer, never);
                refusals.served(peer);
                if (batch != null) {
                    return batch;
                }
                answered = true;
            } catch (final TransactionException e) {
                if (refusals.isOfOneNode(e)) {
                    refusal = e;
                } else if (e.reason().isTransient()) {
                    failure = e;
                } else {
                    throw e;
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
        if (!answered) {
            throw refusal;
        }
        return null;
    }

    private static void sleep(final long nanos) throws InterruptedIOException {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (final InterruptedException e) {
            throw Failures.interrupted("polling", e);
        }
    }

    @Override
    public Endpoint choose() throws IOException {
        return chosen(peers.choose(Direction.RECEIVE));
    }

    private Endpoint chooseOther(final Set<String> asked) throws IOException {
        return chosen(peers.chooseOther(Direction.RECEIVE, asked));
    }

    private Endpoint chosen(final CompletableFuture<Endpoint> choice) throws IOException {
        try {
            return DefaultReceivedBatch.await(choice);
        } catch (final TransactionException e) {
            report(null, e);
            throw e;
        }
    }

    @Override
    public DefaultReceivedBatch ask(final Endpoint peer, final CompletableFuture<Void> givenUp) throws IOException {
        final InteractiveAttempt attempt =
                client.engine().interact(peer.withBatchLimits(batchLimits), Direction.RECEIVE, options);
        attempt.result().whenComplete((done, failure) -> {
            if (failure != null) {
                peers.failed(peer, attempt.failure());
            } else {
                peers.succeeded(peer);
            }
            report(done, attempt.failure());
        });
        try {
            DefaultReceivedBatch.await(CompletableFuture.anyOf(attempt.started(), givenUp));
            if (!attempt.started().isDone()) {
                attempt.stop(FailureReason.CANCELLED, "The receiver was closed");
            }
            return DefaultReceivedBatch.await(attempt.started()) ? new DefaultReceivedBatch(attempt) : null;
        } catch (final InterruptedIOException e) {
            attempt.stop(FailureReason.CANCELLED, "The caller was interrupted");
            throw e;
        }
    }

    private void report(final TransactionResult done, final TransactionException failure) {
        if (failure != null) {
            SafeObserver.notify(client.observer(), seen -> seen.transactionFailed(Direction.RECEIVE, failure));
        } else if (done.packets() > 0) {
            SafeObserver.notify(client.observer(), seen -> seen.transactionCompleted(Direction.RECEIVE, done));
        }
    }

    @Override
    public PeerSelector peers() {
        return peers;
    }

    @Override
    public RetryPolicy retry() {
        return retry;
    }

    @Override
    public Duration shutdownTimeout() {
        return client.shutdownTimeout();
    }

    @Override
    public String name() {
        return peers.name();
    }

    @Override
    public CompletableFuture<TransactionResult> pull(final BatchHandler handler) {
        Objects.requireNonNull(handler, "handler");
        final AtomicBoolean called = new AtomicBoolean();
        return client.calls()
                .run(new CallRequest(
                        peers,
                        Direction.RECEIVE,
                        options,
                        retry,
                        failure -> !called.get(),
                        (port, left) -> client.engine()
                                .pulling(port.withBatchLimits(batchLimits), handler, () -> called.set(true), left)))
                .result();
    }
}
