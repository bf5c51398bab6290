// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.nifi.remote.TransferDirection;

/**
 * A port of NiFi that gives packets. Immutable; any thread.
 *
 * <p>{@link #receive} pulls for ever and hands batches to a handler; {@link #pull} does so once. With {@link #poll} the
 * caller's own thread asks, and says when NiFi may forget.
 */
public final class OutputPort {
    private final SiteToSite site;
    private final PeerSelector peers;
    private final CallOptions options;
    private final RetryPolicy retry;
    private final BatchLimits batchLimits;

    OutputPort(
            final SiteToSite site,
            final PeerSelector peers,
            final CallOptions options,
            final RetryPolicy retry,
            final BatchLimits batchLimits) {
        this.site = site;
        this.peers = peers;
        this.options = options;
        this.retry = retry;
        this.batchLimits = batchLimits;
    }

    /** @return the same port with another limit for a whole transaction, attempts and pauses included; null for none */
    public OutputPort withDeadline(final Duration longest) {
        return new OutputPort(site, peers, options.withDeadline(longest), retry, batchLimits);
    }

    /** @return the same port with another limit for a peer that takes nothing and says nothing; null for none */
    public OutputPort withIdleTimeout(final Duration longest) {
        return new OutputPort(site, peers, options.withIdleTimeout(longest), retry, batchLimits);
    }

    /**
     * @return the same port, where NiFi waits as long for a batch to be handled; ports that differ in it do not share
     *     connections
     */
    public OutputPort withRequestExpiration(final Duration longest) {
        return new OutputPort(
                site,
                peers,
                options.withRequestExpiration(Objects.requireNonNull(longest, "longest")),
                retry,
                batchLimits);
    }

    /** @return the same port with other rules for failed transactions */
    public OutputPort withRetry(final RetryPolicy policy) {
        return new OutputPort(site, peers, options, Objects.requireNonNull(policy, "policy"), batchLimits);
    }

    /** @return the same port with other limits of a batch; ports with different limits do not share connections */
    public OutputPort withBatchLimits(final BatchLimits limits) {
        return new OutputPort(site, peers, options, retry, Objects.requireNonNull(limits, "limits"));
    }

    /** The same as {@link #receive(BatchHandler, int)} with one batch at a time. */
    public BatchReceiver receive(final BatchHandler handler) {
        return receive(handler, 1);
    }

    /**
     * Pulls batch after batch until the receiver is closed.
     *
     * @param handler takes them, on virtual threads, and may block
     * @param parallelism batches at a time
     * @return to be closed before the {@link SiteToSite} is
     */
    public BatchReceiver receive(final BatchHandler handler, final int parallelism) {
        return new BatchReceiver(this, Objects.requireNonNull(handler, "handler"), parallelism);
    }

    /**
     * Asks for a batch, on the caller's thread, until there is one or the time is over. What may pass is tried again within
     * that time.
     *
     * <p>The caller reads the packets, stores them, and calls {@link ReceivedBatch#complete}; or {@link ReceivedBatch#close},
     * and NiFi keeps them. As many batches may be open at a time as there are connections.
     *
     * @param longest how long to go on asking; zero asks once
     * @return a batch to be completed or closed; empty if NiFi had no packets
     * @throws TransactionException if it failed, and trying again did not help in time
     * @throws InterruptedIOException if the thread was interrupted; nothing was received
     */
    public Optional<ReceivedBatch> poll(final Duration longest) throws IOException {
        final long began = System.nanoTime();
        final long nanos = TimeUnit.NANOSECONDS.convert(longest);
        final PollBackoff pauses = new PollBackoff(retry);
        final Refusals refusals = new Refusals(peers);
        final CompletableFuture<Void> never = new CompletableFuture<>();
        while (true) {
            Endpoint peer = null;
            long pause;
            try {
                peer = choose();
                final ReceivedBatch batch = ask(peer, never);
                if (batch != null) {
                    return Optional.of(batch);
                }
                pause = TimeUnit.NANOSECONDS.convert(pauses.afterNothing());
                if (nanos - (System.nanoTime() - began) <= 0) {
                    return Optional.empty();
                }
            } catch (final TransactionException e) {
                final boolean ofOneNode = refusals.isOfOneNode(e);
                if (ofOneNode && peers.hasOther(peer)) {
                    // A refusal is no answer: the others are asked whatever time is left.
                    continue;
                }
                pause = TimeUnit.NANOSECONDS.convert(pauses.afterFailure());
                final boolean inTime = nanos - (System.nanoTime() - began) > pause;
                if (!inTime || !(ofOneNode || e.reason().isTransient())) {
                    throw e;
                }
            }
            sleep(Math.min(pause, nanos - (System.nanoTime() - began)));
        }
    }

    private static void sleep(final long nanos) throws InterruptedIOException {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            final InterruptedIOException interrupted = new InterruptedIOException("Interrupted while polling");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    /** Finds the peer to ask next. Blocks, in bounded time. */
    Endpoint choose() throws IOException {
        try {
            return ReceivedBatch.await(peers.choose(TransferDirection.RECEIVE));
        } catch (final TransactionException e) {
            report(null, e);
            throw e;
        }
    }

    /**
     * Asks a peer once for a batch. Blocks.
     *
     * @param givenUp when it completes the answer is waited for no longer
     * @return null if the peer has no packets
     */
    ReceivedBatch ask(final Endpoint peer, final CompletableFuture<Void> givenUp) throws IOException {
        final InteractiveAttempt attempt =
                site.engine().interact(peer.withBatchLimits(batchLimits), TransferDirection.RECEIVE, options);
        attempt.result().whenComplete((done, failure) -> {
            if (failure != null) {
                peers.failed(peer, attempt.failure());
            } else {
                peers.succeeded(peer);
            }
            report(done, attempt.failure());
        });
        try {
            ReceivedBatch.await(CompletableFuture.anyOf(attempt.started(), givenUp));
            if (!attempt.started().isDone()) {
                attempt.stop(FailureReason.CANCELLED, "The receiver was closed");
            }
            return ReceivedBatch.await(attempt.started()) ? new ReceivedBatch(attempt) : null;
        } catch (final InterruptedIOException e) {
            attempt.stop(FailureReason.CANCELLED, "The caller was interrupted");
            throw e;
        }
    }

    private void report(final TransactionResult done, final TransactionException failure) {
        if (failure != null) {
            SafeObserver.notify(
                    site.observer(), seen -> seen.transactionFailed(TransferDirection.RECEIVE.name(), failure));
        } else if (done.packets() > 0) {
            SafeObserver.notify(
                    site.observer(), seen -> seen.transactionCompleted(TransferDirection.RECEIVE.name(), done));
        }
    }

    PeerSelector peers() {
        return peers;
    }

    RetryPolicy retry() {
        return retry;
    }

    /** @return how long closing waits */
    Duration shutdownTimeout() {
        return site.shutdownTimeout();
    }

    /** @return what is configured, for errors */
    String name() {
        return peers.name();
    }

    /**
     * Pulls one batch in one transaction. It is tried again only as long as the handler was not called.
     *
     * @param handler takes the batch, on a virtual thread, and may block; not called if there are no packets
     * @return completed when NiFi knows that it may forget the packets; with 0 packets if it had none
     */
    public CompletableFuture<TransactionResult> pull(final BatchHandler handler) {
        Objects.requireNonNull(handler, "handler");
        final AtomicBoolean called = new AtomicBoolean();
        return site.attempts()
                .run(
                        peers,
                        TransferDirection.RECEIVE,
                        options,
                        retry,
                        () -> !called.get(),
                        (port, left) -> site.engine()
                                .pulling(
                                        port.withBatchLimits(batchLimits),
                                        batch -> {
                                            called.set(true);
                                            handler.handle(batch);
                                        },
                                        left));
    }
}
