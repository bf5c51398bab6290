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
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.nios2s.harness.load.ClientTally;
import org.nios2s.harness.load.FailureCause;
import org.nios2s.harness.load.LoadDriver;
import org.nios2s.harness.load.LoadMeter;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.PacketId;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.TransactionTimes;

/**
 * Pushes one large FlowFile per client, all at once, each of content of its own that is made while it is sent, and knows
 * the digest that each must arrive with. The caller of {@link #drive} waits; each sender lives on one of the event loops.
 */
public final class LargePush implements LoadDriver {

    private static final int EVENT_LOOPS = 2;
    private static final int SHUTDOWN_SECONDS = 5;
    private static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(2 * LargeContent.PIECE_BYTES, 4 * LargeContent.PIECE_BYTES);

    private final String run;
    private final LoadSettings settings;
    private final TargetAddress target;
    private final SslContext tls;
    private final LoadMeter meter;
    private final List<Sender> senders;
    private final CountDownLatch running;

    /** A push of a FlowFile per client of these settings; without TLS for plain TCP. */
    public LargePush(final String run, final LoadSettings settings, final TargetAddress target, final SslContext tls) {
        this.run = run;
        this.settings = settings;
        this.target = target;
        this.tls = tls;
        this.meter = new LoadMeter(settings);
        this.senders =
                IntStream.range(0, settings.clients()).mapToObj(Sender::new).toList();
        this.running = new CountDownLatch(senders.size());
    }

    /** SHA-256 of every FlowFile of a run by its packet id. */
    public static Map<String, String> digests(final String run, final LoadSettings settings) {
        final Map<String, String> digests = new TreeMap<>();
        IntStream.range(0, settings.clients())
                .parallel()
                .mapToObj(flowFile -> Map.entry(
                        id(run, flowFile),
                        LargeContent.digest(flowFile, settings.shape().size().largest())))
                .toList()
                .forEach(entry -> digests.put(entry.getKey(), entry.getValue()));
        return digests;
    }

    private static String id(final String run, final int flowFile) {
        return new PacketId(run, flowFile, 0, 0).toString();
    }

    @Override
    public LoadOutcome drive() throws InterruptedException {
        final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                EVENT_LOOPS, new DefaultThreadFactory("large-push", true), NioIoHandler.newFactory());
        try {
            final Bootstrap bootstrap = new Bootstrap()
                    .group(group)
                    .channel(NioSocketChannel.class)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                    .remoteAddress(target.socket());
            final Instant started = Instant.now();
            final long start = System.nanoTime();
            senders.forEach(sender -> sender.connect(bootstrap));
            running.await();
            final Duration wall = Duration.ofNanos(System.nanoTime() - start);
            return LoadOutcome.of(
                    run,
                    started,
                    wall,
                    senders.stream().map(sender -> sender.tally).toList(),
                    meter);
        } finally {
            group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS)
                    .awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Override
    public void stop() {
        senders.forEach(sender -> sender.onFailure("given up"));
    }

    @Override
    public LoadMeter meter() {
        return meter;
    }

    /** Sends one FlowFile; guarded by itself, because a stop comes from another thread. */
    private final class Sender implements WireConversation.Listener {

        private final int number;
        private final LargeContent content;
        private final ClientTally tally;
        private final TransactionTimes times = new TransactionTimes();
        private WireConversation conversation;
        private boolean finishing;
        private boolean ended;

        Sender(final int number) {
            this.number = number;
            this.content = new LargeContent(number, settings.shape().size().largest());
            this.tally = new ClientTally(number, meter);
        }

        void connect(final Bootstrap bootstrap) {
            tally.begin();
            times.start(System.nanoTime());
            conversation = new WireConversation(target, settings.timeout(), this);
            bootstrap
                    .clone()
                    .handler(new WirePipeline(target, tls, number, settings.timeout(), conversation))
                    .connect()
                    .addListener(connected -> {
                        if (!connected.isSuccess()) {
                            onFailure(FailureCause.of("connecting", connected.cause()));
                        }
                    });
        }

        @Override
        public void onReady() {
            times.created();
            conversation.beginPacket(
                    Map.of(PacketId.ATTRIBUTE, id(run, number)),
                    settings.shape().size().largest());
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
        public void onSent() {
            times.sent();
        }

        @Override
        public void onConfirmed() {
            times.confirmed();
        }

        @Override
        public synchronized void onFinished(final boolean destinationFull) {
            if (!ended) {
                times.completed();
                tally.succeeded(
                        0, times, destinationFull, settings.shape().size().largest());
                end();
            }
            conversation.shutDown();
        }

        @Override
        public synchronized void onFailure(final String cause) {
            if (!ended) {
                tally.failed(cause);
                end();
            }
        }

        private void end() {
            ended = true;
            tally.end();
            running.countDown();
        }
    }
}
