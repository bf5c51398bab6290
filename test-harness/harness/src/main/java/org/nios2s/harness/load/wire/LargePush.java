// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.nios2s.harness.load.FailureCause;
import org.nios2s.harness.load.PacketId;
import org.nios2s.harness.load.TargetAddress;

/**
 * Pushes large FlowFiles, all at once, each in a transaction and over a connection of its own, without holding their
 * contents. The caller of {@link #push} waits; each connection lives on one of a few event loops.
 */
public final class LargePush {

    private static final int EVENT_LOOPS = 2;
    private static final int SHUTDOWN_SECONDS = 5;

    /** Enough to keep a socket busy, little enough for many of them. */
    private static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(2 * LargeContent.PIECE_BYTES, 4 * LargeContent.PIECE_BYTES);

    private final Plan plan;
    private final List<Sender> senders;
    private final CountDownLatch running;

    /**
     * What is pushed.
     *
     * @param run       name of the run, the first part of its packet ids
     * @param flowFiles how many at once
     * @param bytes     size of each
     * @param timeout   how long a sender waits when nothing goes on
     */
    public record Plan(String run, int flowFiles, long bytes, Duration timeout) {

        /**
         * Bytes of all.
         *
         * @return their sum
         */
        public long totalBytes() {
            return flowFiles * bytes;
        }

        /**
         * What the sink has to say of each.
         *
         * @return SHA-256 in hexadecimal digits, by packet id
         */
        public Map<String, String> digests() {
            final Map<String, String> digests = new TreeMap<>();
            IntStream.range(0, flowFiles)
                    .parallel()
                    .mapToObj(flowFile -> Map.entry(id(flowFile), LargeContent.digest(flowFile, bytes)))
                    .toList()
                    .forEach(entry -> digests.put(entry.getKey(), entry.getValue()));
            return digests;
        }

        private String id(final int flowFile) {
            return new PacketId(run, flowFile, 0, 0).toString();
        }
    }

    /**
     * What became of them.
     *
     * @param wall     from the first connect until the last end
     * @param finished transactions that the server acknowledged
     * @param failures causes of the others
     */
    public record Outcome(Duration wall, int finished, List<String> failures) {}

    private LargePush(final Plan plan) {
        this.plan = plan;
        this.senders =
                IntStream.range(0, plan.flowFiles()).mapToObj(Sender::new).toList();
        this.running = new CountDownLatch(plan.flowFiles());
    }

    /**
     * Pushes all of it.
     *
     * @param plan   what
     * @param target where to
     * @param tls    makes the TLS engine of each connection, or null for plain TCP
     * @return what became of it
     * @throws InterruptedException when the calling thread was interrupted
     */
    public static Outcome push(final Plan plan, final TargetAddress target, final SslContext tls)
            throws InterruptedException {
        return new LargePush(plan).run(target, tls);
    }

    private Outcome run(final TargetAddress target, final SslContext tls) throws InterruptedException {
        final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                EVENT_LOOPS, new DefaultThreadFactory("large-push", true), NioIoHandler.newFactory());
        try {
            final Bootstrap bootstrap = new Bootstrap()
                    .group(group)
                    .channel(NioSocketChannel.class)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                    .remoteAddress(target.socket());
            final long start = System.nanoTime();
            senders.forEach(sender -> sender.connect(bootstrap, target, tls));
            running.await();
            final Duration wall = Duration.ofNanos(System.nanoTime() - start);
            final List<String> failures = new ArrayList<>();
            senders.stream()
                    .map(sender -> sender.failure)
                    .filter(cause -> cause != null)
                    .forEach(failures::add);
            return new Outcome(wall, plan.flowFiles() - failures.size(), failures);
        } finally {
            group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS)
                    .awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** One transaction. Lives on its connection's event loop; its failure is read after the run. */
    private final class Sender implements WireConversation.Listener {

        private final int number;
        private final LargeContent content;
        private WireConversation conversation;
        private boolean finishing;
        private boolean ended;
        private volatile String failure;

        Sender(final int number) {
            this.number = number;
            this.content = new LargeContent(number, plan.bytes());
        }

        void connect(final Bootstrap bootstrap, final TargetAddress target, final SslContext tls) {
            conversation = new WireConversation(target, plan.timeout(), this);
            bootstrap
                    .clone()
                    .handler(new WirePipeline(target, tls, number, plan.timeout(), conversation))
                    .connect()
                    .addListener(connected -> {
                        if (!connected.isSuccess()) {
                            onFailure(FailureCause.of("connecting", connected.cause()));
                        }
                    });
        }

        @Override
        public void onReady() {
            conversation.beginPacket(Map.of(PacketId.ATTRIBUTE, plan.id(number)), plan.bytes());
            onWritable();
        }

        @Override
        public void onWritable() {
            while (conversation.isWritable() && content.hasNext()) {
                conversation.sendPiece(content.next());
            }
            if (!content.hasNext() && !finishing) {
                finishing = true;
                conversation.finish();
            }
        }

        @Override
        public void onFinished(final boolean destinationFull) {
            end();
            conversation.shutDown();
        }

        @Override
        public void onFailure(final String cause) {
            if (!ended) {
                failure = cause;
                end();
            }
        }

        private void end() {
            ended = true;
            running.countDown();
        }
    }
}
