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
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.protocol.ResponseCode;

/**
 * Stands between peers and a listener, and resets some connections behind the confirmation of a push, before its answer. What it
 * does lives on one event loop; for any thread.
 */
final class CuttingProxy implements AutoCloseable {
    private static final byte[] CONFIRM = ResponseCode.CONFIRM_TRANSACTION.getCodeSequence();
    /** The peer's confirmation, with an empty message. */
    private static final int CONFIRMATION_BYTES = CONFIRM.length + Short.BYTES;

    private static final int LONGEST_DELAY_MILLIS = 5;
    private static final int SHUTDOWN_SECONDS = 5;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Random random = new Random(1);
    private final double part;
    private final int listenerPort;
    private final Channel server;
    private final AtomicInteger cuts = new AtomicInteger();

    /**
     * @param port on which it stands, on loopback
     * @param listenerPort to which it passes on
     * @param part of the pushes that are cut
     */
    CuttingProxy(final int port, final int listenerPort, final double part) {
        this.listenerPort = listenerPort;
        this.part = part;
        server = new ServerBootstrap()
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
        final Passage passage = new Passage(peer);
        new Bootstrap()
                .group(peer.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new Direction(peer, passage::answers))
                .connect(InetAddress.getLoopbackAddress(), listenerPort)
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        peer.close();
                        return;
                    }
                    passage.listener = connected.channel();
                    peer.pipeline().addLast(new Direction(connected.channel(), passage::asks));
                    peer.config().setAutoRead(true);
                    connected.channel().config().setAutoRead(true);
                });
    }

    /** @return connections that were cut */
    int cuts() {
        return cuts.get();
    }

    @Override
    public void close() {
        server.close().syncUninterruptibly();
        group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** Looks at bytes before they pass. */
    private interface Look {
        /** @return whether they pass */
        boolean passes(ByteBuf bytes);
    }

    /** A connection of a peer and the one to the listener. Lives on the event loop. */
    private final class Passage {
        private final Channel peer;
        private Channel listener;
        private int matched;
        private int confirmationLeft;
        private boolean cut;

        Passage(final Channel peer) {
            this.peer = peer;
        }

        boolean answers(final ByteBuf bytes) {
            for (int i = bytes.readerIndex(); i < bytes.writerIndex(); i++) {
                final byte next = bytes.getByte(i);
                if (next == CONFIRM[matched]) {
                    matched++;
                } else {
                    matched = next == CONFIRM[0] ? 1 : 0;
                }
                if (matched == CONFIRM.length) {
                    matched = 0;
                    confirmationLeft = CONFIRMATION_BYTES;
                }
            }
            return !cut;
        }

        boolean asks(final ByteBuf bytes) {
            if (confirmationLeft > 0) {
                confirmationLeft -= bytes.readableBytes();
                if (confirmationLeft <= 0 && random.nextDouble() < part) {
                    cut = true;
                    cuts.incrementAndGet();
                    // As soon as the confirmation has left, or somewhat later: before the commit, in it, or behind it.
                    peer.eventLoop()
                            .schedule(
                                    this::reset,
                                    1 + random.nextInt(LONGEST_DELAY_MILLIS * 1_000),
                                    TimeUnit.MICROSECONDS);
                }
            }
            return true;
        }

        private void reset() {
            for (final Channel channel : new Channel[] {listener, peer}) {
                if (channel.isActive()) {
                    channel.config().setOption(ChannelOption.SO_LINGER, 0);
                    channel.close();
                }
            }
        }
    }

    /** One direction of a connection. Lives on the event loop. */
    private static final class Direction extends ChannelInboundHandlerAdapter {
        private final Channel other;
        private final Look look;

        Direction(final Channel other, final Look look) {
            this.other = other;
            this.look = look;
        }

        @Override
        public void channelRead(final ChannelHandlerContext context, final Object message) {
            final ByteBuf bytes = (ByteBuf) message;
            if (look.passes(bytes)) {
                other.writeAndFlush(bytes);
                context.channel().config().setAutoRead(other.isWritable());
            } else {
                bytes.release();
            }
        }

        @Override
        public void channelWritabilityChanged(final ChannelHandlerContext context) {
            other.config().setAutoRead(context.channel().isWritable());
        }

        @Override
        public void channelInactive(final ChannelHandlerContext context) {
            other.close();
        }

        @Override
        public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
            context.close();
        }
    }
}
