// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.nios2s.harness.load.FailureCause;

/**
 * Thousands of peers that hold the same conversation, line by line, with a pause before each line. Each lives on the one event loop of
 * all; every method may be called on any thread.
 */
final class SteppingPeers implements AutoCloseable {

    private static final int CONNECT_MILLIS = 120_000;

    private final InetSocketAddress listener;
    private final Script script;
    private final SslContext tls;
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("stepping-peers", true), NioIoHandler.newFactory());
    private final AtomicInteger finished = new AtomicInteger();
    private final AtomicInteger connected = new AtomicInteger();
    private final Map<String, Integer> failures = new ConcurrentSkipListMap<>();

    /**
     * What a peer says, and the whole answer that it then waits for.
     *
     * @param words  said in one go
     * @param answer empty where none comes
     */
    record Line(byte[] words, byte[] answer) {
        /** A line that has no answer. */
        static Line of(final byte[] words) {
            return new Line(words, new byte[0]);
        }
    }

    /**
     * A conversation.
     *
     * @param pause before each line
     * @param lines one after the other
     * @param leaves whether a peer closes its connection behind the last answer
     */
    record Script(Duration pause, List<Line> lines, boolean leaves) {}

    private SteppingPeers(final InetSocketAddress listener, final Script script, final SslContext tls) {
        this.listener = listener;
        this.script = script;
        this.tls = tls;
    }

    /** Begins to connect so many peers, all at once. */
    static SteppingPeers connect(final int count, final InetSocketAddress listener, final Script script) {
        return connect(count, listener, script, null);
    }

    /**
     * Begins to connect so many peers, all at once.
     *
     * @param tls makes the TLS of each peer, or null for plain TCP
     */
    static SteppingPeers connect(
            final int count, final InetSocketAddress listener, final Script script, final SslContext tls) {
        final SteppingPeers peers = new SteppingPeers(listener, script, tls);
        for (int peer = 0; peer < count; peer++) {
            peers.connect();
        }
        return peers;
    }

    private void connect() {
        new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, false)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(final Channel channel) {
                        if (tls != null) {
                            final SslHandler handler = tls.newHandler(channel.alloc());
                            handler.setHandshakeTimeoutMillis(CONNECT_MILLIS);
                            channel.pipeline().addLast(handler);
                        }
                        channel.pipeline().addLast(new Peer());
                    }
                })
                .connect(listener)
                .addListener(done -> {
                    if (done.isSuccess()) {
                        connected.incrementAndGet();
                    } else {
                        failed(FailureCause.of("connecting", done.cause()));
                    }
                });
    }

    private void failed(final String cause) {
        failures.merge(cause, 1, Integer::sum);
    }

    /** @return how many have had their last answer */
    int finished() {
        return finished.get();
    }

    /** @return how many have got a connection */
    int connected() {
        return connected.get();
    }

    /** @return how many have not come to their end, by cause */
    Map<String, Integer> failures() {
        return Map.copyOf(failures);
    }

    /** @return how many have come to their end, or failed */
    int over() {
        return finished() + failures.values().stream().mapToInt(count -> count).sum();
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }

    /** One peer. Lives on the event loop. */
    private final class Peer extends ChannelInboundHandlerAdapter {
        private final ByteBuf heard = Unpooled.buffer();
        private int line;
        private boolean isOver;

        @Override
        public void channelActive(final ChannelHandlerContext context) {
            pauseBeforeLine(context);
        }

        private void pauseBeforeLine(final ChannelHandlerContext context) {
            if (line == script.lines().size()) {
                isOver = true;
                finished.incrementAndGet();
                if (script.leaves()) {
                    context.close();
                }
                return;
            }
            context.executor().schedule(() -> say(context), script.pause().toNanos(), TimeUnit.NANOSECONDS);
        }

        private void say(final ChannelHandlerContext context) {
            if (isOver) {
                return;
            }
            final Line now = script.lines().get(line);
            context.writeAndFlush(Unpooled.wrappedBuffer(now.words()));
            if (now.answer().length == 0) {
                line++;
                pauseBeforeLine(context);
            }
        }

        @Override
        public void channelRead(final ChannelHandlerContext context, final Object message) {
            final ByteBuf bytes = (ByteBuf) message;
            heard.writeBytes(bytes);
            bytes.release();
            if (isOver || line == script.lines().size()) {
                return;
            }
            final byte[] answer = script.lines().get(line).answer();
            if (heard.readableBytes() < answer.length) {
                return;
            }
            final byte[] all = ByteBufUtil.getBytes(heard);
            heard.clear();
            if (Arrays.equals(all, answer)) {
                line++;
                pauseBeforeLine(context);
            } else {
                end(context, "another answer to line " + line);
            }
        }

        @Override
        public void channelInactive(final ChannelHandlerContext context) {
            end(context, "cut off in line " + line);
        }

        @Override
        public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
            end(context, FailureCause.of("line " + line, cause));
        }

        private void end(final ChannelHandlerContext context, final String cause) {
            if (!isOver) {
                isOver = true;
                failed(cause);
            }
            context.close();
        }
    }
}
