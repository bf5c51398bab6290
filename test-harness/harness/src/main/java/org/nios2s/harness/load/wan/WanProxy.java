// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wan;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.Wan;

/**
 * Stands between clients and servers of this machine as a WAN would: everything arrives late, in its order. Opened and closed
 * by the thread that drives a run; its connections live on an event loop of its own.
 *
 * <p>Bytes pass unchanged, so TLS does. The kernel accepts a client's connection before anything of it was sent; the round trip
 * that TCP takes to connect delays the client's first bytes instead.
 */
final class WanProxy implements AutoCloseable {

    /** A connection carries this much in a second, 100 Mbit, if its sender has that much. */
    private static final long BYTES_PER_SECOND = 12_500_000;

    private static final long MIN_WINDOW_BYTES = 64 * 1024;
    private static final int BACKLOG = 10_000;
    private static final int SHUTDOWN_SECONDS = 5;
    /** How long the last words of a connection may take, beside the time for which they are on their way. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Wan wan;
    private final boolean tcpNoDelay;
    private final LongConsumer lateness;
    private final EventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("wan-proxy", true), NioIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private final ChannelGroup listening = new DefaultChannelGroup(loop);
    private final ChannelGroup connected = new DefaultChannelGroup(loop);
    private final Map<String, InetSocketAddress> entrances = new HashMap<>();
    private final SplittableRandom random;

    /**
     * A proxy without a server yet.
     *
     * @param seed       the same numbers make the same connections lose the same segments
     * @param tcpNoDelay whether clients have TCP_NODELAY
     * @param lateness   hears on the event loop by how many nanoseconds each segment was passed on after its time
     */
    WanProxy(final Wan wan, final long seed, final boolean tcpNoDelay, final LongConsumer lateness) {
        this.wan = wan;
        this.tcpNoDelay = tcpNoDelay;
        this.lateness = lateness;
        this.random = new SplittableRandom(seed);
    }

    EventLoop loop() {
        return loop;
    }

    /** The address at which clients reach a port over the WAN. */
    TargetAddress entrance(final TargetAddress target) {
        final InetSocketAddress entrance = entrances.computeIfAbsent(target.toString(), server -> listen(target));
        return new TargetAddress(
                entrance.getAddress().getHostAddress(), entrance.getPort(), target.portId(), target.api());
    }

    private InetSocketAddress listen(final TargetAddress target) {
        final InetSocketAddress server = target.socket();
        final ChannelFuture bound = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(final SocketChannel client) {
                        accept(client, server);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly();
        listening.add(bound.channel());
        return (InetSocketAddress) bound.channel().localAddress();
    }

    private void accept(final SocketChannel client, final InetSocketAddress server) {
        connected.add(client);
        final long nowNanos = System.nanoTime();
        final SegmentTimes toServer = new SegmentTimes(wan, random.split(), nowNanos);
        final SegmentTimes toClient = new SegmentTimes(wan, random.split(), nowNanos);
        at(toServer.arrivalNanos(nowNanos), () -> connect(client, server, toServer, toClient));
    }

    private void connect(
            final SocketChannel client,
            final InetSocketAddress server,
            final SegmentTimes toServer,
            final SegmentTimes toClient) {
        new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(direction(client, toClient, true))
                .connect(server)
                .addListener((final ChannelFuture attempt) -> {
                    final long answeredNanos = toClient.arrivalNanos(System.nanoTime());
                    if (!attempt.isSuccess()) {
                        at(answeredNanos, () -> WanDirection.reset(client));
                        return;
                    }
                    final SocketChannel onward = (SocketChannel) attempt.channel();
                    connected.add(onward);
                    onward.config().setAutoRead(true);
                    client.pipeline().addLast(direction(onward, toServer, tcpNoDelay));
                    at(answeredNanos, () -> client.config().setAutoRead(true));
                });
    }

    private WanDirection direction(
            final SocketChannel receiver, final SegmentTimes times, final boolean senderHasNoDelay) {
        final Segmenter segmenter = new Segmenter(times, senderHasNoDelay, System.nanoTime());
        return new WanDirection(receiver, segmenter, windowBytes(), lateness);
    }

    private void at(final long dueNanos, final Runnable step) {
        loop.schedule(step, Math.max(0, dueNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    /** As much as is on its way when a sender sends all the time. */
    private long windowBytes() {
        final Duration onItsWay = wan.delay().plus(wan.jitter());
        return Math.max(MIN_WINDOW_BYTES, onItsWay.toMillis() * BYTES_PER_SECOND / TimeUnit.SECONDS.toMillis(1));
    }

    /** Lets connections end that their clients have closed, then closes the rest. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        final Duration goodbye = wan.roundTrip()
                .plus(wan.jitter().multipliedBy(2))
                .plusNanos(2 * SegmentTimes.RETRANSMISSION_NANOS)
                .plus(PATIENCE);
        connected.newCloseFuture().awaitUninterruptibly(goodbye.toMillis(), TimeUnit.MILLISECONDS);
        connected.close().awaitUninterruptibly();
        group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    }
}
