// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.nifi.remote.PeerStatus;
import org.apache.nifi.remote.TransferDirection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of the client: IO workers, connection pools, and single transactions with single peers, thousands at a time.
 * Any thread; its futures complete on IO workers, where nothing may block.
 *
 * <p>Every failure is a {@link TransactionException}. A caller that completes a returned future, such as by
 * {@link CompletableFuture#cancel cancel}, ends the transaction, on the peer too as far as the protocol allows it.
 */
final class Engine implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(Engine.class);

    private static final int CLOSE_SECONDS = 10;
    /** Looking up is rare: its threads are given back soon. */
    private static final int LOOKUP_KEEP_SECONDS = 5;

    private final EngineOptions settings;
    private final ClientObserver observer;
    private final EventLoopGroup workers;
    private final boolean ownsWorkers;
    private final Connector opener;
    private final ChannelGroup channels;
    private final Set<Attempt> attempts = ConcurrentHashMap.newKeySet();
    private final Map<Endpoint, ConnectionPool> pools = new ConcurrentHashMap<>();
    private final Executor virtualThreads = task -> Thread.ofVirtual().start(task);
    private final ExecutorService lookups = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            LOOKUP_KEEP_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new DefaultThreadFactory("s2s-client-lookup", true));

    /** Refuses transactions that belong to no call; a call that was begun may still attempt its own. */
    private volatile boolean draining;

    private volatile boolean closed;

    /** Makes an engine with {@link EngineOptions#DEFAULTS}. */
    Engine() {
        this(EngineOptions.DEFAULTS);
    }

    /** Makes an engine; its threads are daemons and start with the first transaction. */
    Engine(final EngineOptions settings) {
        this(settings, Transport.best(), null, ClientObserver.NONE);
    }

    /** @param shared IO workers that stay the caller's; null for own ones */
    Engine(
            final EngineOptions settings,
            final Transport transport,
            final EventLoopGroup shared,
            final ClientObserver observer) {
        this.settings = settings;
        this.observer = observer;
        ownsWorkers = shared == null;
        workers = ownsWorkers
                ? transport.workers(settings.ioThreads(), new DefaultThreadFactory("s2s-client", true))
                : shared;
        channels = new DefaultChannelGroup(workers.next());
        opener = new Connector(
                transport.bootstrap().group(workers),
                settings.connectTimeout(),
                channels,
                virtualThreads,
                lookups,
                pool -> pools.remove(pool.port(), pool));
    }

    /** The same as {@link #push(Endpoint, Collection, CallOptions)} with the default options. */
    CompletableFuture<TransactionResult> push(final Endpoint port, final Collection<Packet> packets) {
        return push(port, packets, CallOptions.DEFAULTS);
    }

    /**
     * Pushes packets in one transaction.
     *
     * @param port an input port
     * @param packets at least one; copied
     * @return completed when the peer has taken all packets over
     */
    CompletableFuture<TransactionResult> push(
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
        return pushing(port, copy, options).result();
    }

    /** Begins to push packets that nobody changes any more. */
    Attempt pushing(final Endpoint port, final List<Packet> packets, final CallOptions options) {
        return start(new PushAttempt(options.at(port), packets.iterator(), false, options));
    }

    private static TransactionException packetsFailure(
            final Endpoint port, final String message, final Throwable cause) {
        return new TransactionException(
                port, TransactionStep.WAIT_FOR_CONNECTION, FailureReason.CONTENT_FAILED, message, cause);
    }

    /**
     * Begins to push packets in one transaction, as many as the iterator has.
     *
     * @param port an input port
     * @param packets at least one; asked on a virtual thread, and may block
     */
    Attempt pushing(final Endpoint port, final Iterator<Packet> packets, final CallOptions options) {
        return start(new PushAttempt(options.at(port), packets, true, options));
    }

    /** The same as {@link #pull(Endpoint, BatchHandler, CallOptions)} with the default options. */
    CompletableFuture<TransactionResult> pull(final Endpoint port, final BatchHandler handler) {
        return pull(port, handler, CallOptions.DEFAULTS);
    }

    /**
     * Pulls one batch of packets in one transaction.
     *
     * @param port an output port; its {@link Endpoint#batchLimits()} say where the batch ends
     * @param handler takes the batch, on a virtual thread, unless there are no packets
     * @return completed when the peer knows that it may forget the packets; with 0 packets if it had none
     */
    CompletableFuture<TransactionResult> pull(
            final Endpoint port, final BatchHandler handler, final CallOptions options) {
        return pulling(port, handler, options).result();
    }

    /** Begins to pull one batch. */
    Attempt pulling(final Endpoint port, final BatchHandler handler, final CallOptions options) {
        final InteractiveAttempt attempt =
                start(new InteractiveAttempt(options.at(port), TransferDirection.RECEIVE, options));
        attempt.started().thenAccept(any -> {
            if (any) {
                Thread.ofVirtual().name("s2s-receiver-of-" + port.peer()).start(() -> handle(attempt, handler));
            }
        });
        return attempt;
    }

    private static void handle(final InteractiveAttempt attempt, final BatchHandler handler) {
        try {
            new ReceivedBatch(attempt).handle(handler);
        } catch (final TransactionException e) {
            logger.debug("A batch was not received; its future says so", e);
        }
    }

    /** Asks a peer for the peers of its cluster. */
    CompletableFuture<Set<PeerStatus>> peers(final Endpoint withoutIdentifier, final CallOptions options) {
        return start(new PeerListAttempt(withoutIdentifier, options)).peers();
    }

    /** Starts a transaction whose packets are sent or received one by one. */
    InteractiveAttempt interact(final Endpoint port, final TransferDirection direction, final CallOptions options) {
        final InteractiveAttempt attempt = new InteractiveAttempt(options.at(port), direction, options);
        return draining ? refuse(attempt) : start(attempt);
    }

    /** @return runs tasks that may block, each on a virtual thread */
    Executor virtualThreads() {
        return virtualThreads;
    }

    /**
     * @return runs what asks a resolver or a REST API, on platform threads: the JDK may block there for long and would hold
     *     the carrier of a virtual thread
     */
    ExecutorService lookups() {
        return lookups;
    }

    EngineOptions settings() {
        return settings;
    }

    /** @return what keeps the time */
    EventExecutor timer() {
        return workers.next();
    }

    /** Listens to a caller who gives up, and waits for a connection. */
    private <T extends Attempt> T start(final T attempt) {
        if (closed) {
            return refuse(attempt);
        }
        attempt.waitIn(pool(attempt.port()), timer());
        attempts.add(attempt);
        attempt.result().whenComplete((result, failure) -> {
            attempts.remove(attempt);
            // Nothing happens unless the caller completed the future.
            attempt.stop(FailureReason.CANCELLED, "The caller gave the transaction up");
            if (failure != null) {
                attempt.pool().forget(attempt);
            }
        });
        while (!attempt.pool().submit(attempt)) {
            pools.remove(attempt.port(), attempt.pool());
            attempt.waitIn(pool(attempt.port()), timer());
        }
        return attempt;
    }

    private static <T extends Attempt> T refuse(final T attempt) {
        attempt.fail(new TransactionException(
                attempt.port(),
                TransactionStep.WAIT_FOR_CONNECTION,
                FailureReason.CLIENT_CLOSED,
                "The client is closed",
                null));
        return attempt;
    }

    private ConnectionPool pool(final Endpoint port) {
        return pools.computeIfAbsent(port, key -> new ConnectionPool(key, settings, opener, observer));
    }

    /** @return pools of connections there are now */
    int pools() {
        return pools.size();
    }

    /** @return connections that are open now, idle ones included */
    int openConnections() {
        return statistics().connections();
    }

    ClientStatistics statistics() {
        return pools.values().stream()
                .map(ConnectionPool::statistics)
                .reduce(new ClientStatistics(0, 0, 0, 0), ClientStatistics::plus);
    }

    /** Refuses transactions that belong to no call, as a receiver's. */
    void refuseOthers() {
        draining = true;
    }

    /**
     * Takes no transaction any more, and waits until those under way have ended, but not longer than this. Whether a peer
     * still tells its cluster's peers is nothing to wait for.
     */
    void drain(final Duration longest) {
        draining = true;
        closed = true;
        if (isOnWorker()) {
            return;
        }
        final CompletableFuture<Void> ended = CompletableFuture.allOf(attempts.stream()
                .filter(attempt -> !(attempt instanceof PeerListAttempt))
                .map(attempt -> attempt.result().exceptionally(failure -> null))
                .toArray(CompletableFuture[]::new));
        try {
            ended.get(TimeUnit.NANOSECONDS.convert(longest), TimeUnit.NANOSECONDS);
        } catch (final TimeoutException | ExecutionException e) {
            logger.warn("Closing: {} transactions are not over after {} and end now", attempts.size(), longest);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Ends every transaction with {@link FailureReason#CLIENT_CLOSED}, closes every connection, stops the workers and
     * waits until they have stopped; on a worker itself it does not wait.
     */
    @Override
    public void close() {
        closed = true;
        lookups.shutdownNow();
        pools.values().forEach(ConnectionPool::close);
        for (final Channel channel : channels) {
            final ClientConnection connection = channel.pipeline().get(ClientConnection.class);
            if (connection != null) {
                shutDown(connection);
            }
        }
        if (isOnWorker()) {
            shutDownWorkers();
            return;
        }
        channels.newCloseFuture().awaitUninterruptibly(1, TimeUnit.SECONDS);
        channels.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        shutDownWorkers().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }

    private static void shutDown(final ClientConnection connection) {
        try {
            connection.execute(() -> connection.shutDown(
                    connection.failure(FailureReason.CLIENT_CLOSED, "The client was closed", null)));
        } catch (final RejectedExecutionException e) {
            // Shared event loops that their owner has stopped already have closed their connections.
            logger.debug("The IO worker of {} is gone", connection.port().peer(), e);
        }
    }

    private Future<?> shutDownWorkers() {
        return ownsWorkers
                ? workers.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                : ImmediateEventExecutor.INSTANCE.newSucceededFuture(null);
    }

    boolean isOnWorker() {
        for (final EventExecutor worker : workers) {
            if (worker.inEventLoop()) {
                return true;
            }
        }
        return false;
    }
}
