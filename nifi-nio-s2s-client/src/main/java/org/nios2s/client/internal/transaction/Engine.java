// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import io.netty.channel.EventLoopGroup;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.nios2s.client.BatchHandler;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Packet;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.connection.Attempt;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.ConnectionOptions;
import org.nios2s.client.internal.connection.Connections;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.NewerJava;
import org.nios2s.client.internal.connection.Transport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of the client: single transactions with single peers, thousands at a time, on the connections that it has
 * with them. Any thread; its futures complete on IO workers, where nothing may block.
 *
 * <p>Every failure is a {@link TransactionException}. A caller that completes a returned future, such as by
 * {@link CompletableFuture#cancel cancel}, ends the transaction, on the peer too as far as the protocol allows it.
 */
public final class Engine extends Connections {
    private static final Logger logger = LoggerFactory.getLogger(Engine.class);

    /** Makes an engine with {@link ConnectionOptions#DEFAULTS}. */
    public Engine() {
        this(ConnectionOptions.DEFAULTS);
    }

    /** Makes an engine; its threads are daemons and start with the first transaction. */
    public Engine(final ConnectionOptions options) {
        this(options, Transport.best(), null, ClientObserver.NONE);
    }

    /** @param shared IO workers that stay the caller's; null for own ones */
    public Engine(
            final ConnectionOptions options,
            final Transport transport,
            final EventLoopGroup shared,
            final ClientObserver observer) {
        super(options, transport, shared, observer);
    }

    /** The same as {@link #push(Endpoint, Collection, CallOptions)} with the default options. */
    public CompletableFuture<TransactionResult> push(final Endpoint port, final Collection<Packet> packets) {
        return push(port, packets, CallOptions.DEFAULTS);
    }

    /**
     * Pushes packets in one transaction.
     *
     * @param port an input port
     * @param packets at least one; copied
     * @return completed when the peer has taken all packets over
     */
    public CompletableFuture<TransactionResult> push(
            final Endpoint port, final Collection<Packet> packets, final CallOptions options) {
        final List<Packet> copy;
        try {
            copy = List.copyOf(packets);
        } catch (final RuntimeException e) {
            return CompletableFuture.failedFuture(packetsFailure(port, "The packets can't be had: " + e, e));
        }
        if (copy.isEmpty()) {
            return CompletableFuture.failedFuture(packetsFailure(port, "A push needs at least one packet", null));
        }
        return pushing(port, copy, UnreadablePackets.FAIL, options).result();
    }

    /** Begins to push packets that nobody changes any more. */
    public Attempt pushing(
            final Endpoint port,
            final List<Packet> packets,
            final UnreadablePackets unreadable,
            final CallOptions options) {
        return start(new PushAttempt(options.at(port), packets, unreadable, options));
    }

    private static TransactionException packetsFailure(
            final Endpoint port, final String message, final Throwable cause) {
        return port.failure(TransactionStep.WAIT_FOR_CONNECTION, FailureReason.CONTENT_FAILED, message, cause);
    }

    /**
     * Begins to push packets in one transaction, as many as the iterator has.
     *
     * @param port an input port
     * @param packets at least one; asked on a virtual thread, and may block
     */
    public Attempt pushing(final Endpoint port, final OneTimePackets packets, final CallOptions options) {
        return start(new PushAttempt(options.at(port), packets, options));
    }

    /** The same as {@link #pull(Endpoint, BatchHandler, CallOptions)} with the default options. */
    public CompletableFuture<TransactionResult> pull(final Endpoint port, final BatchHandler handler) {
        return pull(port, handler, CallOptions.DEFAULTS);
    }

    /**
     * Pulls one batch of packets in one transaction.
     *
     * @param port an output port; its {@link Endpoint#batchLimits()} say where the batch ends
     * @param handler takes the batch, on a virtual thread, unless there are no packets
     * @return completed when the peer knows that it may forget the packets; with 0 packets if it had none
     */
    public CompletableFuture<TransactionResult> pull(
            final Endpoint port, final BatchHandler handler, final CallOptions options) {
        return pulling(port, handler, () -> {}, options).result();
    }

    /**
     * Begins to pull one batch.
     *
     * @param called told before the handler's thread starts, and before the attempt can fail: from then on another attempt would
     *     call the handler again
     */
    public Attempt pulling(
            final Endpoint port, final BatchHandler handler, final Runnable called, final CallOptions options) {
        final InteractiveAttempt attempt = start(new InteractiveAttempt(options.at(port), Direction.RECEIVE, options));
        attempt.started().thenAccept(any -> {
            if (any) {
                called.run();
                NewerJava.thread("s2s-receiver-of-" + port.peer(), () -> handle(attempt, handler))
                        .start();
            }
        });
        return attempt;
    }

    private static void handle(final InteractiveAttempt attempt, final BatchHandler handler) {
        try {
            new DefaultReceivedBatch(attempt).handle(handler);
        } catch (final TransactionException e) {
            logger.debug("A batch was not received; its future says so", e);
        }
    }

    /** Asks a peer for the peers of its cluster. */
    public CompletableFuture<Set<ListedPeer>> peers(final Endpoint withoutIdentifier, final CallOptions options) {
        return start(new PeerListAttempt(withoutIdentifier, options)).peers();
    }

    /** Starts a transaction whose packets are sent or received one by one. */
    public InteractiveAttempt interact(final Endpoint port, final Direction direction, final CallOptions options) {
        final InteractiveAttempt attempt = new InteractiveAttempt(options.at(port), direction, options);
        return isDraining() ? refuse(attempt) : start(attempt);
    }
}
