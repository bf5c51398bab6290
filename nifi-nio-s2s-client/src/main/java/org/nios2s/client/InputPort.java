// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.nifi.remote.TransferDirection;

/** A port of NiFi that takes packets. Immutable; any thread. */
public final class InputPort {
    private final SiteToSite site;
    private final PeerSelector peers;
    private final CallOptions options;
    private final RetryPolicy retry;

    InputPort(final SiteToSite site, final PeerSelector peers, final CallOptions options, final RetryPolicy retry) {
        this.site = site;
        this.peers = peers;
        this.options = options;
        this.retry = retry;
    }

    /** @return the same port with another limit for a whole transaction, attempts and pauses included; null for none */
    public InputPort withDeadline(final Duration longest) {
        return new InputPort(site, peers, options.withDeadline(longest), retry);
    }

    /** @return the same port with another limit for a peer that takes nothing and says nothing; null for none */
    public InputPort withIdleTimeout(final Duration longest) {
        return new InputPort(site, peers, options.withIdleTimeout(longest), retry);
    }

    /**
     * @return the same port, where NiFi waits for us as long within a transaction, above all for a slow source; ports that
     *     differ in it do not share connections
     */
    public InputPort withRequestExpiration(final Duration longest) {
        return new InputPort(
                site, peers, options.withRequestExpiration(Objects.requireNonNull(longest, "longest")), retry);
    }

    /** @return the same port with other rules for failed transactions */
    public InputPort withRetry(final RetryPolicy policy) {
        return new InputPort(site, peers, options, Objects.requireNonNull(policy, "policy"));
    }

    /** Sends one packet in one transaction. */
    public CompletableFuture<TransactionResult> send(final Packet packet) {
        return packet == null ? refuse("The packet is null", null) : send(List.of(packet));
    }

    /**
     * Sends packets in one transaction.
     *
     * @param packets at least one; copied
     * @return completed when NiFi has taken all of them over, or none: see {@link TransactionException#isOutcomeUnknown}
     */
    public CompletableFuture<TransactionResult> send(final Collection<Packet> packets) {
        final List<Packet> copy;
        try {
            copy = List.copyOf(packets);
        } catch (final RuntimeException e) {
            return refuse("The packets can't be had: " + e, e);
        }
        if (copy.isEmpty()) {
            return refuse("A transaction needs at least one packet", null);
        }
        final CompletableFuture<TransactionResult> result = sendWithoutDiscard(copy, site.completion());
        result.whenComplete((done, failure) -> {
            if (failure != null) {
                site.engine().virtualThreads().execute(() -> copy.forEach(Packet::discard));
            }
        });
        return result;
    }

    /**
     * Sends packets, which stay the caller's: streams that were not begun are not closed.
     *
     * @param completion where the future is completed
     */
    CompletableFuture<TransactionResult> sendWithoutDiscard(final List<Packet> packets, final Executor completion) {
        return site.attempts()
                .run(
                        peers,
                        TransferDirection.SEND,
                        options,
                        retry,
                        () -> packets.stream().allMatch(Packet::isRepeatable),
                        completion,
                        (port, left) -> site.engine().pushing(port, packets, left));
    }

    /** The same as {@link #batching(BatchingOptions)} with {@link BatchingOptions#standard} but for these two. */
    public BatchingSender batching(final int packets, final Duration linger) {
        return batching(BatchingOptions.standard().withMaxPackets(packets).withLinger(linger));
    }

    /** @return gathers packets to transactions; to be closed before the {@link SiteToSite} is */
    public BatchingSender batching(final BatchingOptions gathering) {
        return new BatchingSender(
                this, site.engine(), site.completion(), Objects.requireNonNull(gathering, "gathering"));
    }

    /** @return what is configured, for errors */
    String name() {
        return peers.name();
    }

    /**
     * Sends packets in one transaction, as many as the iterator has. It is tried again only as long as the iterator was not
     * asked.
     *
     * @param packets at least one; asked on a thread that may block, which is interrupted when the transaction fails
     * @return as for {@link #send(Collection)}
     */
    public CompletableFuture<TransactionResult> send(final Iterator<Packet> packets) {
        if (packets == null) {
            return refuse("The iterator is null", null);
        }
        final AtomicBoolean asked = new AtomicBoolean();
        final Iterator<Packet> watched = new Iterator<>() {
            @Override
            public boolean hasNext() {
                asked.set(true);
                return packets.hasNext();
            }

            @Override
            public Packet next() {
                return packets.next();
            }
        };
        return site.attempts()
                .run(peers, TransferDirection.SEND, options, retry, () -> !asked.get(), (port, left) -> site.engine()
                        .pushing(port, watched, left));
    }

    private CompletableFuture<TransactionResult> refuse(final String message, final Throwable cause) {
        return CompletableFuture.failedFuture(new TransactionException(
                peers.name(), "", TransactionStep.FIND_PEER, FailureReason.CONTENT_FAILED, message, cause));
    }
}
