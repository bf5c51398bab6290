// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.nios2s.client.BatchHandler;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.BatchReceiver;
import org.nios2s.client.FailureReason;
import org.nios2s.client.OutputPort;
import org.nios2s.client.ReceivedBatch;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.TransactionResult;

/**
 * An output port that gives what was offered, and keeps it until a batch is complete. Immutable, but for what a test has it do next;
 * any thread.
 */
public final class InMemoryOutputPort implements OutputPort {
    private final ServedOutput served;
    private final LoopbackServer server;
    private final OutputPort client;

    InMemoryOutputPort(final ServedOutput served, final LoopbackServer server, final OutputPort client) {
        this.served = served;
        this.server = server;
        this.client = client;
    }

    /**
     * Puts packets behind those that are there.
     *
     * @param packets are given with the next batches
     * @return this
     */
    public InMemoryOutputPort offer(final StoredPacket... packets) {
        served.offer(packets);
        return this;
    }

    /**
     * Looks at what NiFi may forget.
     *
     * @return the packets of batches that were completed; a copy
     */
    public List<StoredPacket> delivered() {
        return served.delivered();
    }

    /**
     * Looks at what NiFi keeps.
     *
     * @return the packets that are in no open batch and were not delivered; a copy
     */
    public List<StoredPacket> remaining() {
        return served.remaining();
    }

    /**
     * Has the next batch fail before it begins; NiFi keeps its packets.
     *
     * @param reason one for which a NiFi refuses, or {@link FailureReason#CONNECTION_LOST}
     * @return this
     */
    public InMemoryOutputPort failNext(final FailureReason reason) {
        served.willRefuse(reason);
        server.closeIdle(served);
        return this;
    }

    @Override
    public Optional<ReceivedBatch> poll(final Duration max) throws IOException {
        return client.poll(max).map(batch -> new PolledBatch(batch, served.client()));
    }

    @Override
    public CompletableFuture<TransactionResult> pull(final BatchHandler handler) {
        return client.pull(observed(handler));
    }

    @Override
    public BatchReceiver receive(final BatchHandler handler, final int parallelism) {
        return client.receive(observed(handler), parallelism);
    }

    private BatchHandler observed(final BatchHandler handler) {
        Objects.requireNonNull(handler, "handler");
        return batch -> {
            final Object pull = served.client().pull(batch.commsId());
            try {
                handler.handle(batch);
            } finally {
                served.client().clientEnds(pull);
            }
        };
    }

    @Override
    public InMemoryOutputPort endOnRefusal() {
        return new InMemoryOutputPort(served, server, client.endOnRefusal());
    }

    @Override
    public InMemoryOutputPort withDeadline(final @Nullable Duration max) {
        return new InMemoryOutputPort(served, server, client.withDeadline(max));
    }

    @Override
    public InMemoryOutputPort withIdleTimeout(final @Nullable Duration max) {
        return new InMemoryOutputPort(served, server, client.withIdleTimeout(max));
    }

    @Override
    public InMemoryOutputPort withRequestExpiration(final Duration expiration) {
        return new InMemoryOutputPort(served, server, client.withRequestExpiration(expiration));
    }

    @Override
    public InMemoryOutputPort withRetry(final RetryPolicy policy) {
        return new InMemoryOutputPort(served, server, client.withRetry(policy));
    }

    @Override
    public InMemoryOutputPort withBatchLimits(final BatchLimits limits) {
        return new InMemoryOutputPort(served, server, client.withBatchLimits(limits));
    }
}
