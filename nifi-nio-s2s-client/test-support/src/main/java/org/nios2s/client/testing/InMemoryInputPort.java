// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.FailureReason;
import org.nios2s.client.InputPort;
import org.nios2s.client.Packet;
import org.nios2s.client.RecordFraming;
import org.nios2s.client.RecordSender;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.TransactionResult;

/** An input port that collects what is sent. Immutable, but for what a test has it do next; any thread. */
public final class InMemoryInputPort implements InputPort {
    private final ServedInput served;
    private final LoopbackServer server;
    private final InputPort client;

    InMemoryInputPort(final ServedInput served, final LoopbackServer server, final InputPort client) {
        this.served = served;
        this.server = server;
        this.client = client;
    }

    /**
     * Looks at what arrived.
     *
     * @return the packets that NiFi has, in the order in which it took them; a copy
     */
    public List<StoredPacket> received() {
        return served.received();
    }

    /**
     * Has the next transaction fail, with nothing taken over.
     *
     * @param reason one for which a NiFi refuses, or {@link FailureReason#CONNECTION_LOST}
     * @return this
     */
    public InMemoryInputPort failNext(final FailureReason reason) {
        served.willRefuse(reason);
        server.closeIdle(served);
        return this;
    }

    /**
     * Has the next transaction arrive, and its caller not learn of it: its outcome is unknown.
     *
     * @return this
     */
    public InMemoryInputPort loseNextAnswer() {
        served.loseNextAnswer();
        return this;
    }

    /**
     * Has the next transaction succeed, and say that NiFi is full now.
     *
     * @return this
     */
    public InMemoryInputPort fullAfterNext() {
        served.fullAfterNext();
        return this;
    }

    /**
     * Leaves transactions open until {@link #release}, as long as the client's time-outs allow.
     *
     * @return this
     */
    public InMemoryInputPort hold() {
        served.hold();
        return this;
    }

    /** Lets the transactions that were held end, and holds no more. */
    public void release() {
        served.release();
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Packet packet) {
        return client.send(packet);
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Collection<Packet> packets) {
        return client.send(packets);
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Iterator<Packet> packets) {
        return client.send(packets);
    }

    @Override
    public BatchingSender batching(final BatchingOptions options) {
        return client.batching(options);
    }

    @Override
    public RecordSender joining(
            final RecordFraming framing, final Map<String, String> attributes, final BatchingOptions options) {
        return client.joining(framing, attributes, options);
    }

    @Override
    public InMemoryInputPort withDeadline(final @Nullable Duration max) {
        return new InMemoryInputPort(served, server, client.withDeadline(max));
    }

    @Override
    public InMemoryInputPort withIdleTimeout(final @Nullable Duration max) {
        return new InMemoryInputPort(served, server, client.withIdleTimeout(max));
    }

    @Override
    public InMemoryInputPort withRequestExpiration(final Duration expiration) {
        return new InMemoryInputPort(served, server, client.withRequestExpiration(expiration));
    }

    @Override
    public InMemoryInputPort withRetry(final RetryPolicy policy) {
        return new InMemoryInputPort(served, server, client.withRetry(policy));
    }
}
