// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.InputPort;
import org.nios2s.client.Packet;
import org.nios2s.client.RecordFraming;
import org.nios2s.client.RecordSender;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.call.CallRequest;
import org.nios2s.client.internal.call.PeerSelector;
import org.nios2s.client.internal.call.PendingLimit;
import org.nios2s.client.internal.call.RunningCall;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.NewerJava;
import org.nios2s.client.internal.transaction.OneTimePackets;
import org.nios2s.client.internal.transaction.PacketContent;
import org.nios2s.client.internal.transaction.UnreadablePackets;

/** A port of NiFi that takes packets. Immutable; any thread. */
final class DefaultInputPort implements InputPort, BatchTarget {
    private final ClientContext client;
    private final PeerSelector peers;
    private final CallOptions options;
    private final RetryPolicy retry;

    DefaultInputPort(
            final ClientContext client, final PeerSelector peers, final CallOptions options, final RetryPolicy retry) {
        this.client = client;
        this.peers = peers;
        this.options = options;
        this.retry = retry;
    }

    @Override
    public InputPort withDeadline(final Duration max) {
        return new DefaultInputPort(client, peers, options.withDeadline(max), retry);
    }

    @Override
    public InputPort withIdleTimeout(final Duration max) {
        return new DefaultInputPort(client, peers, options.withIdleTimeout(max), retry);
    }

    @Override
    public InputPort withRequestExpiration(final Duration max) {
        return new DefaultInputPort(
                client, peers, options.withRequestExpiration(Objects.requireNonNull(max, "max")), retry);
    }

    @Override
    public InputPort withRetry(final RetryPolicy policy) {
        return new DefaultInputPort(client, peers, options, Objects.requireNonNull(policy, "policy"));
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Packet packet) {
        return packet == null ? refuse("The packet is null", null) : send(List.of(packet));
    }

    @Override
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
        final CompletableFuture<TransactionResult> result =
                run(sending(copy).holding(heldBy(copy))).result();
        result.whenComplete((done, failure) -> {
            if (failure != null) {
                NewerJava.blockingTasks()
                        .execute(() ->
                                copy.forEach(packet -> PacketContent.of(packet).discard()));
            }
        });
        return result;
    }

    private static long heldBy(final List<Packet> packets) {
        return packets.stream().mapToLong(PendingLimit::heldBy).sum();
    }

    /** @return a transaction with packets, which stay the caller's: streams that were not begun are not closed */
    CallRequest sending(final List<Packet> packets) {
        return sending(
                failure -> packets.stream().map(PacketContent::of).allMatch(PacketContent::isRepeatable),
                (port, left) -> client.engine().pushing(port, packets, UnreadablePackets.FAIL, left));
    }

    @Override
    public CallRequest sending(
            final Predicate<TransactionException> repeatable, final CallRequest.AttemptStarter starter) {
        return new CallRequest(peers, Direction.SEND, options, retry, repeatable, starter);
    }

    @Override
    public RunningCall run(final CallRequest request) {
        return client.calls().run(request);
    }

    @Override
    public long longestNanos() {
        final long delivery = TimeUnit.NANOSECONDS.convert(retry.deliveryTimeout());
        return options.deadline() == null
                ? delivery
                : Math.min(delivery, TimeUnit.NANOSECONDS.convert(options.deadline()));
    }

    /** @return the time of all packets, and that of a transaction which still runs then */
    @Override
    public Duration closeTimeout() {
        final long shutdown = TimeUnit.NANOSECONDS.convert(client.shutdownTimeout());
        final long longest = longestNanos();
        return Duration.ofNanos(longest > Long.MAX_VALUE - shutdown ? Long.MAX_VALUE : longest + shutdown);
    }

    @Override
    public int maxAttempts() {
        return retry.maxAttempts();
    }

    @Override
    public boolean allowsAnother(final int failedAttempts, final TransactionException failure) {
        return retry.allowsAnother(Math.max(1, failedAttempts), failure);
    }

    @Override
    public BatchingSender batching(final BatchingOptions gathering) {
        return opened(gathering, null);
    }

    @Override
    public RecordSender joining(
            final RecordFraming framing, final Map<String, String> attributes, final BatchingOptions gathering) {
        final RecordJoiner joiner = new RecordJoiner(framing, attributes, gathering);
        return new DefaultRecordSender(opened(gathering, joiner), joiner);
    }

    private DefaultBatchingSender opened(final BatchingOptions gathering, final RecordJoiner joiner) {
        final DefaultBatchingSender sender = new DefaultBatchingSender(
                this, client.engine(), client.completion(), Objects.requireNonNull(gathering, "gathering"), joiner);
        client.opened().accept(sender);
        return sender;
    }

    @Override
    public TransactionException failure(final FailureReason reason, final String message, final Throwable cause) {
        return peers.failing(TransactionStep.FIND_PEER, reason)
                .message(message)
                .cause(cause)
                .build();
    }

    @Override
    public String name() {
        return peers.name();
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Iterator<Packet> packets) {
        if (packets == null) {
            return refuse("The iterator is null", null);
        }
        final OneTimePackets once = new OneTimePackets(packets);
        return run(sending(failure -> once.isUntouched(), (port, left) -> client.engine()
                        .pushing(port, once, left)))
                .result();
    }

    private CompletableFuture<TransactionResult> refuse(final String message, final Throwable cause) {
        return CompletableFuture.failedFuture(failure(FailureReason.CONTENT_FAILED, message, cause));
    }
}
