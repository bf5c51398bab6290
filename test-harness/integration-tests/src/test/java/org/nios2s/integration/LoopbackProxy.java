// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Stands between peers and a listener on loopback, and has what passes looked at in both directions. What it does lives on one event
 * loop; for any thread.
 */
public final class LoopbackProxy implements AutoCloseable {
    private static final int SHUTDOWN_SECONDS = 5;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final InetSocketAddress listener;
    private final Supplier<Directions> directions;
    private final Channel server;

    /** Both directions of a connection. */
    public record Directions(Direction asks, Direction answers) {}

    /**
     * @param port on which it stands, on loopback; 0 for any
     * @param listener to which it passes on
     * @param directions of each connection
     */
    public LoopbackProxy(final int port, final InetSocketAddress listener, final Supplier<Directions> directions) {
        this.listener = listener;
        this.directions = directions;
        this.server = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(final Channel peer) {
                        connect(peer);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), port)
                .syncUninterruptibly()
                .channel();
    }

    private void connect(final Channel peer) {
        final Directions both = directions.get();
        both.answers.other = peer;
        new Bootstrap()
                .group(peer.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(both.answers)
                .connect(listener)
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        peer.close();
                        return;
                    }
                    both.asks.other = connected.channel();
                    peer.pipeline().addLast(both.asks);
                    peer.config().setAutoRead(true);
                    connected.channel().config().setAutoRead(true);
                });
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) server.localAddress();
    }

    @Override
    public void close() {
        server.close().syncUninterruptibly();
        group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** One direction of a connection. Lives on the event loop. */
    public abstract static class Direction extends ChannelInboundHandlerAdapter {
        private Channel other;

        /** Passes bytes on, or does something else with them. */
        protected abstract void arrived(ChannelHandlerContext context, ByteBuf bytes);

        protected final void pass(final ChannelHandlerContext context, final ByteBuf bytes) {
            other.writeAndFlush(bytes);
            context.channel().config().setAutoRead(other.isWritable());
        }

        /** Resets both sides of the connection. */
        protected final void reset(final ChannelHandlerContext context) {
            for (final Channel channel : new Channel[] {context.channel(), other}) {
                if (channel.isActive()) {
                    channel.config().setOption(ChannelOption.SO_LINGER, 0);
                    channel.close();
                }
            }
        }

        @Override
        public final void channelRead(final ChannelHandlerContext context, final Object message) {
            arrived(context, (ByteBuf) message);
        }

        @Override
        public final void channelWritabilityChanged(final ChannelHandlerContext context) {
            other.config().setAutoRead(context.channel().isWritable());
        }

        @Override
        public final void channelInactive(final ChannelHandlerContext context) {
            other.close();
        }

        @Override
        public final void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
            context.close();
        }
    }
}
