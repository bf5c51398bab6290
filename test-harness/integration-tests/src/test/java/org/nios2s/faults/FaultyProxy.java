// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
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
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Stands between peers and a listener and does harm to what passes, in both directions.
 * Its handlers live on one event loop; what it does may be changed on any thread.
 */
final class FaultyProxy implements AutoCloseable {

    private static final int DELAY_MILLIS = 50;
    private static final int BYTES_BETWEEN_FAULTS = 20_000;
    private static final int SHUTDOWN_SECONDS = 5;

    /** What is done to the bytes that pass. */
    enum Harm {
        NONE,
        /** The connection is cut somewhere. */
        CUT,
        /** From somewhere on nothing passes, and nobody is told. */
        STALL,
        /** Everything comes later. */
        DELAY,
        /** Half of what was read at once passes, then the connection is cut. */
        HALVE,
        /** A bit is turned somewhere. */
        FLIP_A_BIT,
        /** Every byte passes alone. */
        BYTE_BY_BYTE;

        /** @return whether clients fail by it */
        boolean isNoticed() {
            return this == CUT || this == STALL || this == HALVE || this == FLIP_A_BIT;
        }
    }

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Random random = new Random(1);
    private final InetSocketAddress listener;
    private final Channel server;
    private volatile Harm harm = Harm.NONE;

    FaultyProxy(final InetSocketAddress listener) {
        this.listener = listener;
        server = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(final Channel peer) {
                        connect(peer);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.localAddress();
    }

    /** From now on this is done. */
    void harm(final Harm next) {
        harm = next;
    }

    private void connect(final Channel peer) {
        new Bootstrap()
                .group(peer.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new Passage(peer))
                .connect(listener)
                .addListener((io.netty.channel.ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        peer.close();
                        return;
                    }
                    peer.pipeline().addLast(new Passage(connected.channel()));
                    peer.config().setAutoRead(true);
                    connected.channel().config().setAutoRead(true);
                });
    }

    @Override
    public void close() {
        server.close().syncUninterruptibly();
        group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** One direction of a connection. Lives on the event loop. */
    private final class Passage extends ChannelInboundHandlerAdapter {

        private final Channel other;
        private int left = 1 + random.nextInt(BYTES_BETWEEN_FAULTS);
        private boolean stalled;

        Passage(final Channel other) {
            this.other = other;
        }

        @Override
        public void channelRead(final ChannelHandlerContext context, final Object message) {
            final ByteBuf bytes = (ByteBuf) message;
            left -= bytes.readableBytes();
            final boolean due = left <= 0;
            switch (harm) {
                case CUT -> {
                    if (due) {
                        bytes.release();
                        context.close();
                    } else {
                        pass(context, bytes);
                    }
                }
                case STALL -> {
                    stalled |= due;
                    if (stalled) {
                        bytes.release();
                    } else {
                        pass(context, bytes);
                    }
                }
                case DELAY ->
                    context.executor().schedule(() -> pass(context, bytes), DELAY_MILLIS, TimeUnit.MILLISECONDS);
                case HALVE -> {
                    if (due) {
                        pass(context, bytes.writerIndex(bytes.readerIndex() + bytes.readableBytes() / 2));
                        context.close();
                    } else {
                        pass(context, bytes);
                    }
                }
                case FLIP_A_BIT -> {
                    if (due) {
                        final int at = bytes.readerIndex() + random.nextInt(bytes.readableBytes());
                        bytes.setByte(at, bytes.getByte(at) ^ 1 << random.nextInt(Byte.SIZE));
                        left = 1 + random.nextInt(BYTES_BETWEEN_FAULTS);
                    }
                    pass(context, bytes);
                }
                case BYTE_BY_BYTE -> {
                    while (bytes.isReadable()) {
                        other.writeAndFlush(bytes.readRetainedSlice(1));
                    }
                    bytes.release();
                }
                default -> pass(context, bytes);
            }
        }

        private void pass(final ChannelHandlerContext context, final ByteBuf bytes) {
            other.writeAndFlush(bytes);
            context.channel().config().setAutoRead(other.isWritable());
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
