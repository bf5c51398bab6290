// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.FailureReason;
import org.nios2s.client.InputPort;
import org.nios2s.client.Packet;
import org.nios2s.client.RecordFraming;
import org.nios2s.client.RecordSender;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.transaction.PacketContent;

/**
 * An input port that collects what is sent. Any thread; a transaction is over when {@code send} returns, unless
 * transactions are {@link #hold held}.
 */
public final class InMemoryInputPort extends InMemoryPort implements InputPort {
    private record Held(List<Packet> packets, CompletableFuture<TransactionResult> result) {}

    private final List<StoredPacket> received = new ArrayList<>();
    private final List<Held> held = new ArrayList<>();
    private boolean holding;
    private boolean losesNextAnswer;
    private boolean fullNext;

    InMemoryInputPort(final String name, final BooleanSupplier isClosed) {
        super(name, isClosed);
    }

    /**
     * Looks at what arrived.
     *
     * @return the packets that NiFi has, in the order in which it took them; a copy
     */
    public List<StoredPacket> received() {
        synchronized (this) {
            return List.copyOf(received);
        }
    }

    /**
     * Has the next transaction fail, with nothing taken over.
     *
     * @param reason as the caller sees it, in the step {@link TransactionStep#SEND_PACKETS}
     * @return this
     */
    public InMemoryInputPort failNext(final FailureReason reason) {
        return failNext(failure(TransactionStep.SEND_PACKETS, reason, "on demand"));
    }

    /**
     * Has the next transaction fail, with nothing taken over.
     *
     * @param failure as the caller sees it
     * @return this
     */
    public InMemoryInputPort failNext(final TransactionException failure) {
        willFail(failure);
        return this;
    }

    /**
     * Has the next transaction arrive, and its caller not learn of it: its outcome is unknown.
     *
     * @return this
     */
    public InMemoryInputPort loseNextAnswer() {
        synchronized (this) {
            losesNextAnswer = true;
        }
        return this;
    }

    /**
     * Has the next transaction succeed, and say that NiFi is full now.
     *
     * @return this
     */
    public InMemoryInputPort fullAfterNext() {
        synchronized (this) {
            fullNext = true;
        }
        return this;
    }

    /**
     * Leaves transactions open until {@link #release}.
     *
     * @return this
     */
    public InMemoryInputPort hold() {
        synchronized (this) {
            holding = true;
        }
        return this;
    }

    /** Ends the transactions that were held, in their order, and holds no more. */
    public void release() {
        final List<Held> over;
        synchronized (this) {
            holding = false;
            over = List.copyOf(held);
            held.clear();
        }
        over.forEach(each -> finish(each.packets(), each.result()));
    }

    int held() {
        synchronized (this) {
            return held.size();
        }
    }

    @Override
    void closed() {
        release();
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Packet packet) {
        return packet == null ? refused("The packet is null") : send(List.of(packet));
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Collection<Packet> packets) {
        final List<Packet> copy;
        try {
            copy = List.copyOf(packets);
        } catch (final RuntimeException e) {
            return refused("The packets can't be had: " + e);
        }
        if (copy.isEmpty()) {
            return refused("A transaction needs at least one packet");
        }
        final CompletableFuture<TransactionResult> result = new CompletableFuture<>();
        synchronized (this) {
            if (holding) {
                held.add(new Held(copy, result));
                return result;
            }
        }
        finish(copy, result);
        return result;
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Iterator<Packet> packets) {
        final List<Packet> all = new ArrayList<>();
        try {
            packets.forEachRemaining(all::add);
        } catch (final RuntimeException e) {
            return refused("The packets can't be had: " + e);
        }
        return send(all);
    }

    private CompletableFuture<TransactionResult> refused(final String message) {
        return CompletableFuture.failedFuture(
                failure(TransactionStep.FIND_PEER, FailureReason.CONTENT_FAILED, message));
    }

    private void finish(final List<Packet> packets, final CompletableFuture<TransactionResult> result) {
        if (result.isDone()) {
            // Its caller has given it up: nothing of it arrives.
            return;
        }
        try {
            final TransactionException failure = takeFailure().orElse(null);
            if (failure != null) {
                packets.forEach(packet -> PacketContent.of(packet).discard());
                throw failure;
            }
            result.complete(take(packets));
        } catch (final TransactionException e) {
            result.completeExceptionally(e);
        }
    }

    private TransactionResult take(final List<Packet> packets) throws TransactionException {
        final List<StoredPacket> read = new ArrayList<>();
        for (int i = 0; i < packets.size(); i++) {
            read.add(read(packets.get(i), i));
        }
        final long bytes = packets.stream().mapToLong(Packet::size).sum();
        synchronized (this) {
            received.addAll(read);
            final boolean full = fullNext;
            fullNext = false;
            if (losesNextAnswer) {
                losesNextAnswer = false;
                throw failure(
                        TransactionStep.COMPLETE, FailureReason.CONNECTION_LOST, "The answer was lost, on demand");
            }
            return result(packets.size(), bytes, full);
        }
    }

    private StoredPacket read(final Packet packet, final int number) throws TransactionException {
        final PacketContent source = PacketContent.of(packet);
        try (InputStream in = source.open()) {
            final byte[] content = in.readNBytes(Math.toIntExact(packet.size()));
            if (content.length < packet.size()) {
                throw new EOFException("it ends " + (packet.size() - content.length)
                        + " bytes before its declared length of " + packet.size());
            }
            if (source.endsWithItsSource() && in.read() >= 0) {
                throw new IOException("it continues beyond its declared length of " + packet.size());
            }
            return new StoredPacket(packet.attributes(), content);
        } catch (final IOException | RuntimeException e) {
            throw failure(
                            TransactionStep.SEND_PACKETS,
                            FailureReason.CONTENT_FAILED,
                            "The content of packet " + (number + 1) + " can't be read: " + e.getMessage())
                    .toBuilder()
                    .cause(e)
                    .failedPacket(number)
                    .build();
        }
    }

    /** Each packet is a transaction of its own, so that its future is complete at once. */
    @Override
    public BatchingSender batching(final BatchingOptions options) {
        return new InMemoryBatchingSender(this, Objects.requireNonNull(options, "options"));
    }

    /** Each record is a FlowFile of its own, with the attributes that one of many records has. */
    @Override
    public RecordSender joining(
            final RecordFraming framing, final Map<String, String> attributes, final BatchingOptions options) {
        framing.join(attributes, List.of());
        return new InMemoryRecordSender(new InMemoryBatchingSender(this, options), framing, attributes, options);
    }

    /** Nothing takes time here. */
    @Override
    public InMemoryInputPort withDeadline(final @Nullable Duration max) {
        return this;
    }

    /** Nothing takes time here. */
    @Override
    public InMemoryInputPort withIdleTimeout(final @Nullable Duration max) {
        return this;
    }

    /** Nothing takes time here. */
    @Override
    public InMemoryInputPort withRequestExpiration(final Duration expiration) {
        return this;
    }

    /** Nothing is tried again here. */
    @Override
    public InMemoryInputPort withRetry(final RetryPolicy policy) {
        return this;
    }
}
