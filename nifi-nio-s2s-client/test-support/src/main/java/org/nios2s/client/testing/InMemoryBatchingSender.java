// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Packet;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;

/**
 * Sends each packet at once, in a transaction of its own; pending are those that the port holds. Any thread; {@code send}
 * blocks while too much is pending: packets, or their content in memory.
 */
final class InMemoryBatchingSender implements BatchingSender {
    static final Duration FOR_EVER = Duration.ofMillis(Long.MAX_VALUE);
    /** A close of the real one waits about as long, with the defaults. */
    private static final Duration CLOSE = RetryPolicy.standard().deliveryTimeout();

    private final InMemoryInputPort port;
    private final BatchingOptions options;
    /** All of these are guarded by this object. */
    private final List<CompletableFuture<TransactionResult>> unfinished = new ArrayList<>();

    private final List<CompletableFuture<Void>> roomAsked = new ArrayList<>();
    private int pendingPackets;
    private long pendingBytes;
    private boolean closed;

    InMemoryBatchingSender(final InMemoryInputPort port, final BatchingOptions options) {
        this.port = port;
        this.options = options;
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Packet packet) throws InterruptedIOException {
        return send(packet, FOR_EVER);
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Packet packet, final Duration max)
            throws InterruptedIOException {
        return send(packet, contentBytes(packet), max);
    }

    private static long contentBytes(final @Nullable Packet packet) {
        return packet == null || packet.bytes() == null ? 0 : packet.size();
    }

    /** @param heldBytes what the packet takes in memory */
    CompletableFuture<TransactionResult> send(final Packet packet, final long heldBytes, final Duration max)
            throws InterruptedIOException {
        final CompletableFuture<TransactionResult> result;
        final long began = System.nanoTime();
        synchronized (this) {
            while (isFull() && !closed && leftMillis(max, began) > 0) {
                try {
                    wait(leftMillis(max, began));
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("Interrupted while waiting for room; the packet was not taken");
                }
            }
            if (closed) {
                return refused(FailureReason.CLIENT_CLOSED, "The batching sender is closed");
            }
            if (isFull()) {
                return refused(FailureReason.TOO_MANY_PENDING, pendingPackets + " packets are pending");
            }
            result = taken(heldBytes);
        }
        return sending(packet, heldBytes, result);
    }

    private static long leftMillis(final Duration max, final long began) {
        return max.toMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    }

    @Override
    public CompletableFuture<TransactionResult> sendAsync(final Packet packet) {
        return sendAsync(packet, contentBytes(packet));
    }

    CompletableFuture<TransactionResult> sendAsync(final Packet packet, final long heldBytes) {
        final CompletableFuture<TransactionResult> result;
        synchronized (this) {
            if (closed) {
                return refused(FailureReason.CLIENT_CLOSED, "The batching sender is closed");
            }
            if (isFull()) {
                return refused(FailureReason.TOO_MANY_PENDING, pendingPackets + " packets are pending");
            }
            result = taken(heldBytes);
        }
        return sending(packet, heldBytes, result);
    }

    /** Called with the lock held, so that the caller that found room has it. */
    private CompletableFuture<TransactionResult> taken(final long heldBytes) {
        final CompletableFuture<TransactionResult> result = new CompletableFuture<>();
        pendingPackets++;
        pendingBytes += heldBytes;
        unfinished.add(result);
        return result;
    }

    private CompletableFuture<TransactionResult> sending(
            final Packet packet, final long heldBytes, final CompletableFuture<TransactionResult> result) {
        port.send(packet).whenComplete((done, failure) -> {
            over(heldBytes);
            if (failure == null) {
                result.complete(done);
            } else {
                result.completeExceptionally(failure);
            }
            finished(result);
        });
        return result;
    }

    CompletableFuture<TransactionResult> refused(final FailureReason reason, final String message) {
        return CompletableFuture.failedFuture(port.failure(TransactionStep.FIND_PEER, reason, message));
    }

    private boolean isFull() {
        return pendingPackets >= options.maxPendingPackets() || pendingBytes >= options.maxPendingBytes();
    }

    /** The books are right before the packet's future is complete. */
    private void over(final long heldBytes) {
        final List<CompletableFuture<Void>> told;
        synchronized (this) {
            pendingPackets--;
            pendingBytes -= heldBytes;
            notifyAll();
            told = List.copyOf(roomAsked);
            roomAsked.clear();
        }
        told.forEach(asked -> asked.complete(null));
    }

    private synchronized void finished(final CompletableFuture<TransactionResult> result) {
        unfinished.remove(result);
    }

    private synchronized List<CompletableFuture<TransactionResult>> given() {
        return List.copyOf(unfinished);
    }

    @Override
    public synchronized CompletableFuture<Void> whenWritable() {
        if (!isFull() || closed) {
            return CompletableFuture.completedFuture(null);
        }
        final CompletableFuture<Void> asked = new CompletableFuture<>();
        roomAsked.add(asked);
        return asked;
    }

    @Override
    public synchronized int pendingPackets() {
        return pendingPackets;
    }

    @Override
    public CompletableFuture<Void> flush() {
        return CompletableFuture.allOf(given().toArray(CompletableFuture[]::new))
                .exceptionally(failure -> null);
    }

    @Override
    public void close() {
        close(CLOSE);
    }

    @Override
    public boolean close(final Duration max) {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            flush().get(max.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (final TimeoutException | ExecutionException e) {
            given().forEach(left -> left.completeExceptionally(port.failure(
                    TransactionStep.FIND_PEER, FailureReason.CLIENT_CLOSED, "The batching sender was closed")));
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
