// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Packet;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;

/**
 * Sends each packet at once, in a transaction of its own; pending are those that the port holds. Any thread; {@code send}
 * blocks while too many are pending.
 */
final class InMemoryBatchingSender implements BatchingSender {
    private final InMemoryInputPort port;
    private final BatchingOptions options;
    private final List<CompletableFuture<TransactionResult>> pending = new ArrayList<>();
    private boolean closed;

    InMemoryBatchingSender(final InMemoryInputPort port, final BatchingOptions options) {
        this.port = port;
        this.options = options;
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Packet packet) throws InterruptedIOException {
        synchronized (this) {
            while (isFull() && !closed) {
                try {
                    wait();
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("Interrupted while waiting for room; the packet was not taken");
                }
            }
        }
        return sendAsync(packet);
    }

    @Override
    public CompletableFuture<TransactionResult> sendAsync(final Packet packet) {
        synchronized (this) {
            if (closed) {
                return refused(FailureReason.CLIENT_CLOSED, "The batching sender is closed");
            }
            if (isFull()) {
                return refused(FailureReason.TOO_MANY_PENDING, pending.size() + " packets are pending");
            }
        }
        final CompletableFuture<TransactionResult> sent = port.send(packet);
        synchronized (this) {
            pending.add(sent);
        }
        sent.whenComplete((done, failure) -> over(sent));
        return sent;
    }

    private CompletableFuture<TransactionResult> refused(final FailureReason reason, final String message) {
        return CompletableFuture.failedFuture(port.failure(TransactionStep.FIND_PEER, reason, message));
    }

    private boolean isFull() {
        return pending.size() >= options.maxPendingPackets();
    }

    private synchronized void over(final CompletableFuture<TransactionResult> sent) {
        pending.remove(sent);
        notifyAll();
    }

    private synchronized List<CompletableFuture<TransactionResult>> given() {
        return List.copyOf(pending);
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        synchronized (this) {
            if (!isFull() || closed) {
                return CompletableFuture.completedFuture(null);
            }
        }
        return CompletableFuture.anyOf(given().toArray(CompletableFuture[]::new))
                .handle((first, failure) -> null);
    }

    @Override
    public synchronized int pendingPackets() {
        return pending.size();
    }

    @Override
    public CompletableFuture<Void> flush() {
        return CompletableFuture.allOf(given().toArray(CompletableFuture[]::new))
                .exceptionally(failure -> null);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        flush().join();
    }
}
