// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.resolver.NoopAddressResolverGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.PeerStatus;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.apache.nifi.remote.exception.ProtocolException;

/**
 * Pushes packets to NiFi ports and pulls packets from them: thousands of transactions at a time on a handful of IO
 * workers. One per JVM is enough; any thread.
 *
 * <p>Futures complete on an IO worker: what depends on them must not block there, or use the {@code …Async} methods.
 * Every failure is a {@link TransactionException}. {@link CompletableFuture#cancel cancel} on a returned future ends the
 * transaction, on the peer too as far as the protocol allows it.
 */
public final class SiteToSiteConnector implements AutoCloseable {
    private static final int CLOSE_SECONDS = 10;

    private final ConnectorSettings settings;
    private final EventLoopGroup workers;
    private final Bootstrap bootstrap;
    private final ChannelGroup channels;
    private final Map<RemotePort, ConnectionPool> pools = new ConcurrentHashMap<>();
    private final Executor virtualThreads = task -> Thread.ofVirtual().start(task);

    private volatile boolean closed;

    /** Makes a connector with {@link ConnectorSettings#DEFAULTS}. */
    public SiteToSiteConnector() {
        this(ConnectorSettings.DEFAULTS);
    }

    /** Makes a connector; its threads are daemons and start with the first transaction. */
    public SiteToSiteConnector(final ConnectorSettings settings) {
        this(settings, Transport.best());
    }

    SiteToSiteConnector(final ConnectorSettings settings, final Transport transport) {
        this.settings = settings;
        workers = transport.workers(settings.workerThreads(), new DefaultThreadFactory("s2s-client", true));
        channels = new DefaultChannelGroup(workers.next());
        bootstrap = transport
                .bootstrap()
                .group(workers)
                .resolver(NoopAddressResolverGroup.INSTANCE)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.min(Integer.MAX_VALUE, settings.connectTimeout().toMillis()))
                .handler(new NothingYet());
    }

    /**
     * Pushes packets in one transaction.
     *
     * @param port an input port
     * @param packets at least one
     * @return completed when the peer has taken all packets over
     */
    public CompletableFuture<TransactionResult> push(final RemotePort port, final Collection<Packet> packets) {
        return push(port, packets.iterator());
    }

    /**
     * Pushes packets in one transaction, as many as the iterator has.
     *
     * @param port an input port
     * @param packets at least one; asked on an IO worker, so it must not block
     * @return completed when the peer has taken all packets over
     */
    public CompletableFuture<TransactionResult> push(final RemotePort port, final Iterator<Packet> packets) {
        if (!packets.hasNext()) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("A push to " + port.peer() + " needs at least one packet"));
        }
        final ConnectionPool pool = pool(port);
        return start(new PushTransfer(port, packets, pool), pool);
    }

    /**
     * Pulls one batch of packets in one transaction.
     *
     * @param port an output port; its {@link RemotePort#batchLimits()} say where the batch ends
     * @param receiver takes each packet, on a virtual thread
     * @return completed when the peer knows that it may forget the packets; with 0 packets if it had none
     */
    public CompletableFuture<TransactionResult> pull(final RemotePort port, final PacketReceiver receiver) {
        final ConnectionPool pool = pool(port);
        return start(new PullTransfer(port, receiver, pool), pool);
    }

    private ConnectionPool pool(final RemotePort port) {
        return pools.computeIfAbsent(port, key -> new ConnectionPool(key, settings, new Sockets()));
    }

    /**
     * Transactions with a cluster, whose peers are found over NiFi's REST API and chosen as NiFi's client does.
     *
     * @param config URLs, port, key stores, timeouts, compression, batch limits and peer persistence, as NiFi's
     *     {@code SiteToSiteClient.Builder} makes it
     */
    public RemoteCluster cluster(final SiteToSiteClientConfig config) {
        final SSLContext context = config.getSslContext();
        return new RemoteCluster(this, config, context, context == null ? null : TlsContext.of(context));
    }

    /**
     * The same with other TLS for packets than for the REST API, for which the configuration's serves.
     *
     * @param config as above
     * @param tls for packets, such as BoringSSL
     */
    public RemoteCluster cluster(final SiteToSiteClientConfig config, final TlsContext tls) {
        return new RemoteCluster(this, config, config.getSslContext(), tls);
    }

    /** Asks a peer for the peers of its cluster. */
    CompletableFuture<Set<PeerStatus>> peers(final RemotePort withoutIdentifier) {
        final ConnectionPool pool = pool(withoutIdentifier);
        final PeerListTransfer transfer = new PeerListTransfer(withoutIdentifier, pool);
        start(transfer, pool);
        return transfer.peers();
    }

    /** Starts a transaction whose packets are sent or received one by one. */
    InteractiveTransfer interact(final RemotePort port, final TransferDirection direction) {
        final ConnectionPool pool = pool(port);
        final InteractiveTransfer transfer = new InteractiveTransfer(port, direction, pool);
        submit(transfer, pool);
        return transfer;
    }

    /** @return runs tasks that may block, each on a virtual thread */
    Executor virtualThreads() {
        return virtualThreads;
    }

    /** Repeats a task that may block until the connector is closed or the returned future cancelled. */
    ScheduledFuture<?> repeat(final Runnable task, final Duration pause) {
        return workers.next()
                .scheduleWithFixedDelay(() -> virtualThreads.execute(task), 0, pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Sets the deadline, listens to a cancelling caller, and waits for a connection. */
    private CompletableFuture<TransactionResult> start(final Transfer transfer, final ConnectionPool pool) {
        if (!closed) {
            final ScheduledFuture<?> deadline = workers.next()
                    .schedule(
                            () -> transfer.stop(
                                    FailureReason.DEADLINE_PASSED,
                                    "Not over after " + transfer.port().deadline()),
                            transfer.deadlineNanos(),
                            TimeUnit.NANOSECONDS);
            transfer.deadline(deadline);
        }
        return submit(transfer, pool);
    }

    private CompletableFuture<TransactionResult> submit(final Transfer transfer, final ConnectionPool pool) {
        final RemotePort port = transfer.port();
        if (closed) {
            transfer.fail(new TransactionException(
                    port,
                    TransactionStep.WAIT_FOR_CONNECTION,
                    FailureReason.CONNECTOR_CLOSED,
                    "The connector is closed",
                    null));
            return transfer.result();
        }
        transfer.result().whenComplete((result, failure) -> {
            if (failure instanceof CancellationException) {
                transfer.stop(FailureReason.CANCELLED, "The caller cancelled");
            }
            if (failure != null) {
                pool.forget(transfer);
            }
        });
        pool.submit(transfer);
        return transfer.result();
    }

    /** @return connections that are open now, idle ones included */
    public int openConnections() {
        return pools.values().stream().mapToInt(ConnectionPool::openConnections).sum();
    }

    /**
     * Ends every transaction with {@link FailureReason#CONNECTOR_CLOSED}, closes every connection, stops the workers and
     * waits until they have stopped; on a worker itself it does not wait.
     */
    @Override
    public void close() {
        closed = true;
        pools.values().forEach(ConnectionPool::close);
        for (final Channel channel : channels) {
            final PeerConnection connection = channel.pipeline().get(PeerConnection.class);
            if (connection != null) {
                connection.execute(() -> connection.shutDown(
                        connection.failure(FailureReason.CONNECTOR_CLOSED, "The connector was closed", null)));
            }
        }
        if (isOnWorker()) {
            workers.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
            return;
        }
        channels.newCloseFuture().awaitUninterruptibly(1, TimeUnit.SECONDS);
        channels.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        workers.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }

    private boolean isOnWorker() {
        for (final EventExecutor worker : workers) {
            if (worker.inEventLoop()) {
                return true;
            }
        }
        return false;
    }

    /** Opens the connections of the pools. */
    private final class Sockets implements ConnectionPool.Opener {
        @Override
        public void later(final Runnable task, final long nanos) {
            if (!workers.isShuttingDown()) {
                workers.next().schedule(task, nanos, TimeUnit.NANOSECONDS);
            }
        }

        @Override
        public void open(final ConnectionPool pool) {
            virtualThreads.execute(() -> connect(pool));
        }

        /** On a virtual thread: the resolver of the JDK blocks. */
        private void connect(final ConnectionPool pool) {
            final RemotePort port = pool.port();
            final InetSocketAddress address = new InetSocketAddress(port.host(), port.port());
            final PeerProxy named = port.proxy();
            final PeerProxy proxy = named == null ? PeerProxy.ofJvm(port.host(), port.port()) : named;
            if (address.isUnresolved() && proxy == null) {
                pool.openingFailed(connectFailure(port, new UnknownHostException(port.host())));
            } else if (workers.isShuttingDown()) {
                pool.openingFailed(new TransactionException(
                        port,
                        TransactionStep.CONNECT,
                        FailureReason.CONNECTOR_CLOSED,
                        "The connector is closed",
                        null));
            } else {
                bootstrapThrough(proxy).connect(address).addListener((ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        channels.add(connected.channel());
                        converse(pool, connected.channel(), proxy);
                    } else {
                        pool.openingFailed(connectFailure(port, connected.cause()));
                    }
                });
            }
        }

        private Bootstrap bootstrapThrough(final PeerProxy proxy) {
            return proxy == null ? bootstrap : bootstrap.clone().handler(proxy.handler());
        }

        private TransactionException connectFailure(final RemotePort port, final Throwable cause) {
            return new TransactionException(
                    port, TransactionStep.CONNECT, FailureReason.CONNECT_FAILED, String.valueOf(cause), cause);
        }

        private void converse(final ConnectionPool pool, final Channel channel, final PeerProxy proxy) {
            final RemotePort port = pool.port();
            final Opening opening = new Opening(pool);
            final PeerConnection connection = new PeerConnection(port, proxy, channel, opening, pool);
            if (port.tls() != null) {
                channel.pipeline().addLast(port.tls().handler(channel.alloc(), port, virtualThreads));
            }
            channel.pipeline().addLast(connection);
            channel.eventLoop()
                    .schedule(
                            () -> opening.timedOut(settings.connectTimeout()),
                            TimeUnit.NANOSECONDS.convert(settings.connectTimeout()),
                            TimeUnit.NANOSECONDS);
            try {
                opening.begin(connection);
            } catch (final ProtocolException e) {
                connection.end(connection.failure(FailureReason.PROTOCOL_VIOLATION, e.getMessage(), e));
            }
        }
    }

    /** A bootstrap asks for a handler; ours come when the connection is there. */
    private static final class NothingYet extends ChannelHandlerAdapter {
        @Override
        public boolean isSharable() {
            return true;
        }
    }
}
