// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.ClientStatistics;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionStep;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * IO workers and the pools of connections that they serve. Any thread; never blocks, but for {@link #drain} and
 * {@link #close}. What attempts complete is completed on IO workers, where nothing may block.
 */
public class Connections implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(Connections.class);

    private static final int CLOSE_SECONDS = 10;
    /** Looking up is rare: its threads are given back soon. */
    private static final int LOOKUP_KEEP_SECONDS = 5;

    private final ConnectionOptions settings;
    private final ClientObserver observer;
    private final EventLoopGroup workers;
    private final boolean ownsWorkers;
    private final Connector opener;
    private final ChannelGroup channels;
    private final Set<Attempt> attempts = ConcurrentHashMap.newKeySet();
    private final Map<Endpoint, ConnectionPool> pools = new ConcurrentHashMap<>();
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

    /** @param shared IO workers that stay the caller's; null for own ones */
    protected Connections(
            final ConnectionOptions settings,
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
                lookups,
                pool -> pools.remove(pool.port(), pool));
    }

    /**
     * @return runs what asks a resolver or a REST API, on platform threads: the JDK may block there for long and would hold
     *     the carrier of a virtual thread
     */
    public ExecutorService lookups() {
        return lookups;
    }

    public ConnectionOptions settings() {
        return settings;
    }

    /** @return what keeps the time */
    public EventExecutor timer() {
        return workers.next();
    }

    /** Listens to a caller who gives up, and waits for a connection. */
    public <T extends Attempt> T start(final T attempt) {
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

    public static <T extends Attempt> T refuse(final T attempt) {
        attempt.fail(attempt.port()
                .failure(
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
    public int pools() {
        return pools.size();
    }

    /** @return connections that are open now, idle ones included */
    public int openConnections() {
        return statistics().connections();
    }

    public ClientStatistics statistics() {
        return pools.values().stream()
                .map(ConnectionPool::statistics)
                .reduce(ClientStatistics.NONE, ClientStatistics::plus);
    }

    /** Refuses transactions that belong to no call, as a receiver's. */
    public void refuseOthers() {
        draining = true;
    }

    /**
     * Takes no transaction any more, and waits until those under way have ended, but not longer than this. Whether a peer
     * still tells its cluster's peers is nothing to wait for, nor is a transaction whose handler waits here.
     */
    public void drain(final Duration longest) {
        draining = true;
        closed = true;
        if (isOnWorker()) {
            return;
        }
        final CompletableFuture<Void> ended = CompletableFuture.allOf(attempts.stream()
                .filter(Attempt::isAwaitedByClose)
                .filter(attempt -> !attempt.isHandledBy(Thread.currentThread()))
                .map(attempt -> attempt.result().exceptionally(failure -> null))
                .toArray(CompletableFuture[]::new));
        try {
            ended.get(TimeUnit.NANOSECONDS.convert(longest), TimeUnit.NANOSECONDS);
        } catch (final TimeoutException | ExecutionException e) {
            logger.warn(
                    "Closing: {} transactions had not finished after {} and are ended now", attempts.size(), longest);
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

    /** @return whether transactions that belong to no call are refused */
    public boolean isDraining() {
        return draining;
    }

    public boolean isOnWorker() {
        for (final EventExecutor worker : workers) {
            if (worker.inEventLoop()) {
                return true;
            }
        }
        return false;
    }
}
