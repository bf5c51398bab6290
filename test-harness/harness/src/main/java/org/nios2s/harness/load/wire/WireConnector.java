// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.nios2s.harness.load.TargetAddress;

/**
 * Makes connections for conversations: plain TCP or TLS, on event loops of its own. For any thread; a connection lives on
 * its event loop.
 */
final class WireConnector implements AutoCloseable {

    private static final int SHUTDOWN_SECONDS = 5;
    private static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(2 * LargeContent.PIECE_BYTES, 4 * LargeContent.PIECE_BYTES);

    private final SslContext tls;
    private final Duration timeout;
    private final boolean tcpNoDelay;
    private final EventLoopGroup group;
    private final Map<TargetAddress, InetSocketAddress> sockets = new ConcurrentHashMap<>();

    /** A connector of so many threads, with TCP_NODELAY; without TLS for plain TCP. */
    WireConnector(final String name, final int threads, final SslContext tls, final Duration timeout) {
        this(name, threads, tls, timeout, true);
    }

    /** @param tcpNoDelay whether sockets have TCP_NODELAY; those of NiFi's client and of MiNiFi have not */
    WireConnector(
            final String name,
            final int threads,
            final SslContext tls,
            final Duration timeout,
            final boolean tcpNoDelay) {
        this.tls = tls;
        this.timeout = timeout;
        this.tcpNoDelay = tcpNoDelay;
        this.group = new MultiThreadIoEventLoopGroup(
                threads, new DefaultThreadFactory(name, true), NioIoHandler.newFactory());
    }

    /** The event loop for another peer. */
    EventLoop next() {
        return group.next();
    }

    List<EventLoop> loops() {
        return StreamSupport.stream(group.spliterator(), false)
                .map(EventLoop.class::cast)
                .toList();
    }

    /** Connects a peer of this number, which a session of TLS belongs to. */
    void connect(final int peer, final EventLoop eventLoop, final WireConversation conversation) {
        final TargetAddress target = conversation.target();
        new Bootstrap()
                .group(eventLoop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, tcpNoDelay)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(timeout.toMillis(), Integer.MAX_VALUE))
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(final Channel channel) {
                        if (tls != null) {
                            // Host and port are only the key of the session cache.
                            final SslHandler handler = tls.newHandler(channel.alloc(), target.host(), peer);
                            handler.setHandshakeTimeoutMillis(timeout.toMillis());
                            channel.pipeline().addLast(handler);
                        }
                        channel.pipeline().addLast(conversation);
                    }
                })
                .connect(sockets.computeIfAbsent(target, TargetAddress::socket))
                .addListener(connected -> {
                    if (!connected.isSuccess()) {
                        conversation.notConnected(connected.cause());
                    }
                });
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    }
}
