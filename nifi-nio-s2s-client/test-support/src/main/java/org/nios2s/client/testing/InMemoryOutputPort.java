// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.nios2s.client.BatchHandler;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.BatchReceiver;
import org.nios2s.client.FailureReason;
import org.nios2s.client.OutputPort;
import org.nios2s.client.ReceivedBatch;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;

/**
 * An output port that gives what was offered, and keeps it until a batch is complete. Any thread; handlers run on virtual
 * threads.
 */
public final class InMemoryOutputPort extends InMemoryPort implements OutputPort {
    private final BooleanSupplier isClosed;
    private final Deque<StoredPacket> offered = new ArrayDeque<>();
    private final List<StoredPacket> delivered = new ArrayList<>();
    private BatchLimits limits = BatchLimits.standard();
    private int open;
    private boolean endsOnRefusal;

    InMemoryOutputPort(final String name, final BooleanSupplier isClosed) {
        super(name, isClosed);
        this.isClosed = isClosed;
    }

    /**
     * Puts packets behind those that are there.
     *
     * @param packets are given with the next batches
     * @return this
     */
    public InMemoryOutputPort offer(final StoredPacket... packets) {
        synchronized (this) {
            Collections.addAll(offered, packets);
            notifyAll();
        }
        return this;
    }

    /**
     * Looks at what NiFi may forget.
     *
     * @return the packets of batches that were completed; a copy
     */
    public List<StoredPacket> delivered() {
        synchronized (this) {
            return List.copyOf(delivered);
        }
    }

    /**
     * Looks at what NiFi keeps.
     *
     * @return the packets that are in no open batch and were not delivered; a copy
     */
    public List<StoredPacket> remaining() {
        synchronized (this) {
            return List.copyOf(offered);
        }
    }

    /**
     * Has the next batch fail before it begins; NiFi keeps its packets.
     *
     * @param reason as the caller sees it, in the step {@link TransactionStep#RECEIVE_PACKETS}
     * @return this
     */
    public InMemoryOutputPort failNext(final FailureReason reason) {
        return failNext(failure(TransactionStep.RECEIVE_PACKETS, reason, "on demand"));
    }

    /**
     * Has the next batch fail before it begins; NiFi keeps its packets.
     *
     * @param failure as the caller sees it
     * @return this
     */
    public InMemoryOutputPort failNext(final TransactionException failure) {
        willFail(failure);
        return this;
    }

    int open() {
        synchronized (this) {
            return open;
        }
    }

    @Override
    void closed() {
        synchronized (this) {
            notifyAll();
        }
    }

    @Override
    public Optional<ReceivedBatch> poll(final Duration max) throws IOException {
        return next(max).map(ReceivedBatch.class::cast);
    }

    /** Waits for a packet, and takes as many as are there. */
    Optional<InMemoryBatch> next(final Duration max) throws IOException {
        final long startedNanos = System.nanoTime();
        final long nanos = TimeUnit.NANOSECONDS.convert(max);
        final TransactionException failure = takeFailure().orElse(null);
        if (failure != null) {
            throw failure;
        }
        synchronized (this) {
            try {
                long left = nanos - (System.nanoTime() - startedNanos);
                while (offered.isEmpty() && left > 0 && !isClosed.getAsBoolean()) {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                    left = nanos - (System.nanoTime() - startedNanos);
                }
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Interrupted while polling");
            }
            if (offered.isEmpty()) {
                return Optional.empty();
            }
            final List<StoredPacket> batch = new ArrayList<>();
            while (!offered.isEmpty() && (limits.maxPackets() == 0 || batch.size() < limits.maxPackets())) {
                batch.add(offered.poll());
            }
            open++;
            return Optional.of(new InMemoryBatch(this, batch));
        }
    }

    void complete(final List<StoredPacket> packets) {
        synchronized (this) {
            open--;
            delivered.addAll(packets);
        }
    }

    void giveBack(final List<StoredPacket> packets) {
        synchronized (this) {
            open--;
            for (int i = packets.size() - 1; i >= 0; i--) {
                offered.addFirst(packets.get(i));
            }
            notifyAll();
        }
    }

    @Override
    public CompletableFuture<TransactionResult> pull(final BatchHandler handler) {
        Objects.requireNonNull(handler, "handler");
        final CompletableFuture<TransactionResult> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                final InMemoryBatch batch = next(Duration.ZERO).orElse(null);
                result.complete(batch == null ? result(0, 0, false) : batch.handle(handler));
            } catch (final IOException | RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    @Override
    public InMemoryOutputPort endOnRefusal() {
        endsOnRefusal = true;
        return this;
    }

    boolean endsOnRefusal() {
        return endsOnRefusal;
    }

    @Override
    public BatchReceiver receive(final BatchHandler handler, final int parallelism) {
        return new InMemoryReceiver(this, Objects.requireNonNull(handler, "handler"), parallelism);
    }

    /** Nothing takes time here. */
    @Override
    public InMemoryOutputPort withDeadline(final @Nullable Duration max) {
        return this;
    }

    /** Nothing takes time here. */
    @Override
    public InMemoryOutputPort withIdleTimeout(final @Nullable Duration max) {
        return this;
    }

    /** Nothing takes time here. */
    @Override
    public InMemoryOutputPort withRequestExpiration(final Duration expiration) {
        return this;
    }

    /** Nothing is tried again here. */
    @Override
    public InMemoryOutputPort withRetry(final RetryPolicy policy) {
        return this;
    }

    /** Sets the limit of packets for all users of this port; the others are not reached here. */
    @Override
    public InMemoryOutputPort withBatchLimits(final BatchLimits others) {
        synchronized (this) {
            limits = others;
        }
        return this;
    }
}
