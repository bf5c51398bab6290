// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.nifi.remote.TransferDirection;

/** A port of NiFi that gives packets. Immutable; any thread. */
public final class OutputPort {
    private final SiteToSite site;
    private final PeerChoice peers;
    private final CallOptions options;
    private final RetryPolicy retry;
    private final BatchLimits batchLimits;

    OutputPort(
            final SiteToSite site,
            final PeerChoice peers,
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

    /** @return the same port with other rules for failed transactions */
    public OutputPort withRetry(final RetryPolicy policy) {
        return new OutputPort(site, peers, options, policy, batchLimits);
    }

    /** @return the same port with other limits of a batch; ports with different limits do not share connections */
    public OutputPort withBatchLimits(final BatchLimits limits) {
        return new OutputPort(site, peers, options, retry, Objects.requireNonNull(limits, "limits"));
    }

    /** The same as {@link #receive(BatchHandler, int)} with one batch at a time. */
    public Receiver receive(final BatchHandler handler) {
        return receive(handler, 1);
    }

    /**
     * Pulls batch after batch until the receiver is closed.
     *
     * @param handler takes them, on virtual threads, and may block
     * @param parallelism batches at a time
     * @return to be closed before the {@link SiteToSite} is
     */
    public Receiver receive(final BatchHandler handler, final int parallelism) {
        return new Receiver(this, Objects.requireNonNull(handler, "handler"), parallelism);
    }

    /** Asks a peer for a batch. */
    InteractiveTransfer begin(final RemotePort peer) {
        return site.connector().interact(peer.withBatchLimits(batchLimits), TransferDirection.RECEIVE, options);
    }

    PeerChoice peers() {
        return peers;
    }

    RetryPolicy retry() {
        return retry;
    }

    ClientObserver observer() {
        return site.observer();
    }

    /** @return what is configured, for errors */
    String name() {
        return peers.name();
    }

    TransactionException failure(final Throwable cause) {
        return new TransactionException(
                peers.name(),
                "",
                TransactionStep.FIND_PEER,
                FailureReason.INTERNAL_ERROR,
                String.valueOf(cause),
                cause);
    }

    /**
     * Pulls one batch of packets in one transaction. It is tried again only as long as the receiver was not called.
     *
     * @param receiver takes each packet, on a virtual thread, and may block
     * @return completed when NiFi knows that it may forget the packets; with 0 packets if it had none
     */
    public CompletableFuture<TransactionResult> pull(final PacketReceiver receiver) {
        Objects.requireNonNull(receiver, "receiver");
        final AtomicBoolean called = new AtomicBoolean();
        return site.attempts()
                .run(
                        peers,
                        TransferDirection.RECEIVE,
                        options,
                        retry,
                        () -> !called.get(),
                        (port, left) -> site.connector()
                                .pull(
                                        port.withBatchLimits(batchLimits),
                                        packet -> {
                                            called.set(true);
                                            receiver.receive(packet);
                                        },
                                        left));
    }
}
