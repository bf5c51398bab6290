// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.resolver.NoopAddressResolverGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.nios2s.client.FailureReason;
import org.nios2s.client.PeerProxy;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.wire.ProtocolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the connections of the pools: finds the way, connects, and begins to speak. Names are resolved and proxies chosen
 * on the engine's threads for look-ups, at most one per port at a time; all else lives on IO workers.
 *
 * <p>Every attempt ends in exactly one call of the pool, whatever is thrown on the way.
 */
final class Connector implements ConnectionPool.Opener {
    /**
     * Where a connection leads, and through what.
     *
     * @param addresses of the peer, in the order of the resolver; one that is not resolved where the proxy does it
     * @param proxy null without one
     * @param proxyAddress null without one
     */
    private record Route(List<InetSocketAddress> addresses, PeerProxy proxy, InetSocketAddress proxyAddress) {}

    private static final Logger logger = LoggerFactory.getLogger(Connector.class);

    private final Bootstrap bootstrap;
    private final Duration connectTimeout;
    private final ChannelGroup channels;
    private final Consumer<ConnectionPool> onRetired;
    private final Executor lookups;
    private final Map<Endpoint, CompletableFuture<Route>> asked = new ConcurrentHashMap<>();
    /** Peers of which the log says that there is no connection; pools come and go meanwhile. */
    private final Set<String> failing = ConcurrentHashMap.newKeySet();

    Connector(
            final Bootstrap bootstrap,
            final Duration connectTimeout,
            final ChannelGroup channels,
            final Executor lookups,
            final Consumer<ConnectionPool> onRetired) {
        this.bootstrap = bootstrap
                .resolver(NoopAddressResolverGroup.INSTANCE)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                // Nothing is read before the handlers are there: a peer's first bytes would be lost.
                .option(ChannelOption.AUTO_READ, false)
                .handler(new NothingYet());
        this.connectTimeout = connectTimeout;
        this.channels = channels;
        this.lookups = lookups;
        this.onRetired = onRetired;
    }

    @Override
    public void later(final Runnable task, final long nanos) {
        if (!bootstrap.config().group().isShuttingDown()) {
            bootstrap.config().group().schedule(task, nanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public boolean failed(final String peer) {
        return failing.add(peer);
    }

    @Override
    public void connected(final String peer) {
        failing.remove(peer);
    }

    @Override
    public void retired(final ConnectionPool pool) {
        onRetired.accept(pool);
    }

    @Override
    public void open(final ConnectionPool pool) {
        final long startedNanos = System.nanoTime();
        try {
            route(pool.port()).whenComplete((route, failure) -> {
                if (failure == null) {
                    connectOnWorker(pool, route, startedNanos);
                } else {
                    pool.openingFailed(connectFailure(pool.port(), failure));
                }
            });
        } catch (final RuntimeException | Error e) {
            pool.openingFailed(connectFailure(pool.port(), e));
        }
    }

    private CompletableFuture<Route> route(final Endpoint port) {
        return TimeLimit.of(asked.computeIfAbsent(port, this::askForRoute), connectTimeout, NewerJava.blockingTasks());
    }

    private CompletableFuture<Route> askForRoute(final Endpoint port) {
        final CompletableFuture<Route> route = new CompletableFuture<>();
        lookups.execute(() -> {
            try {
                final Route found = findRoute(port);
                asked.remove(port, route);
                route.complete(found);
            } catch (final UnknownHostException | RuntimeException | Error e) {
                asked.remove(port, route);
                route.completeExceptionally(e);
            }
        });
        return route;
    }

    private static Route findRoute(final Endpoint port) throws UnknownHostException {
        final PeerProxy named = port.proxy();
        final PeerProxy proxy = named == null ? JvmProxy.to(port.host(), port.port()) : named;
        if (proxy == null) {
            return new Route(addresses(port), null, null);
        }
        final InetSocketAddress peer = new InetSocketAddress(port.host(), port.port());
        return new Route(
                List.of(peer), proxy, new InetSocketAddress(InetAddress.getByName(proxy.host()), proxy.port()));
    }

    private static List<InetSocketAddress> addresses(final Endpoint port) throws UnknownHostException {
        return Arrays.stream(InetAddress.getAllByName(port.host()))
                .map(address -> new InetSocketAddress(address, port.port()))
                .toList();
    }

    /** Elsewhere the proxy could have answered before there is who hears it. */
    private void connectOnWorker(final ConnectionPool pool, final Route route, final long startedNanos) {
        final EventLoop worker = bootstrap.config().group().next();
        try {
            worker.execute(() -> connect(pool, route, 0, startedNanos, worker));
        } catch (final RejectedExecutionException e) {
            pool.openingFailed(connectFailure(pool.port(), e));
        }
    }

    /** Connects to one of the peer's addresses, or the next one if that fails; they share what is left of the time. */
    private void connect(
            final ConnectionPool pool,
            final Route route,
            final int which,
            final long startedNanos,
            final EventLoop worker) {
        try {
            final long left = TimeUnit.NANOSECONDS.toMillis(leftNanos(startedNanos))
                    / (route.addresses().size() - which);
            final Bootstrap own = bootstrap.clone(worker).option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                    Math.max(1, Math.min(left, Integer.MAX_VALUE)));
            if (route.proxy() != null) {
                own.handler(ProxyHandlers.of(route.proxy(), route.proxyAddress()));
            }
            own.connect(route.addresses().get(which)).addListener((ChannelFuture connected) -> {
                if (connected.isSuccess()) {
                    channels.add(connected.channel());
                    converse(pool, connected.channel(), route.proxy(), startedNanos);
                } else if (which + 1 < route.addresses().size()) {
                    logger.debug("{} is tried next", route.addresses().get(which + 1), connected.cause());
                    connect(pool, route, which + 1, startedNanos, worker);
                } else {
                    pool.openingFailed(connectFailure(pool.port(), connected.cause()));
                }
            });
        } catch (final NoClassDefFoundError e) {
            pool.openingFailed(pool.port()
                    .failure(
                            TransactionStep.CONNECT,
                            FailureReason.INTERNAL_ERROR,
                            "A proxy needs io.netty:netty-handler-proxy on the class path",
                            e));
        } catch (final RuntimeException | Error e) {
            pool.openingFailed(connectFailure(pool.port(), e));
        }
    }

    private long leftNanos(final long startedNanos) {
        return TimeUnit.NANOSECONDS.convert(connectTimeout) - (System.nanoTime() - startedNanos);
    }

    private TransactionException connectFailure(final Endpoint port, final Throwable failure) {
        final Throwable cause = Failures.causeOf(failure);
        final String message = cause instanceof TimeoutException
                ? "The name of " + port.host() + ", or of its proxy, could not be resolved in " + connectTimeout
                : String.valueOf(cause);
        return port.failure(TransactionStep.CONNECT, FailureReason.CONNECT_FAILED, message, cause);
    }

    /** On the connection's IO worker. */
    private void converse(
            final ConnectionPool pool, final Channel channel, final PeerProxy proxy, final long startedNanos) {
        final Endpoint port = pool.port();
        final HandshakeExchange opening = new HandshakeExchange(pool);
        final ClientConnection connection = new ClientConnection(port, proxy, channel, opening, pool);
        try {
            if (port.tls() != null) {
                channel.pipeline()
                        .addLast(port.tls()
                                .handler(channel.alloc(), port.host(), port.port(), NewerJava.blockingTasks()));
            }
            channel.pipeline().addLast(connection);
        } catch (final RuntimeException | Error e) {
            channel.close();
            pool.openingFailed(port.failure(
                    TransactionStep.TLS_HANDSHAKE,
                    FailureReason.TLS_FAILED,
                    "TLS can't be set up; is the SSLContext initialised? " + e,
                    e));
            return;
        }
        channel.eventLoop()
                .schedule(() -> opening.timedOut(connectTimeout), leftNanos(startedNanos), TimeUnit.NANOSECONDS);
        try {
            opening.begin(connection);
        } catch (final ProtocolException | RuntimeException | Error e) {
            connection.end(connection.failure(FailureReason.INTERNAL_ERROR, "The first words can't be said: " + e, e));
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
