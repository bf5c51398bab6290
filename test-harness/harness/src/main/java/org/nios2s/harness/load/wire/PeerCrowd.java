// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.nios2s.harness.load.FailureCause;
import org.nios2s.harness.load.TargetAddress;

/**
 * Many peers that are just there: they connect, shake hands, and then do nothing or next to nothing. Each lives on the
 * one event loop of the crowd; every method may be called on any thread.
 */
public final class PeerCrowd implements AutoCloseable {

    /** What a slow peer announces: it never comes to the end. */
    private static final long SLOW_PACKET_BYTES = 1024L * 1024;

    private static final int SHUTDOWN_SECONDS = 10;
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Plan plan;
    private final TargetAddress target;
    private final SslContext tls;
    private final EventLoopGroup group;
    private final Bootstrap bootstrap;
    private final List<Member> members = new ArrayList<>();
    private final CountDownLatch undecided;
    private final LongAdder ready = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final AtomicLong lastReadyNanos = new AtomicLong();
    private final AtomicLong longestNanos = new AtomicLong();
    private final Map<String, LongAdder> causes = new ConcurrentHashMap<>();
    private final long startNanos = System.nanoTime();

    /** What a peer does once its connection is ready for transactions. */
    public enum Habit {
        /** Nothing. */
        IDLE,
        /** Begins a transaction and sends a byte of its packet every second. */
        TRICKLE
    }

    /**
     * What the crowd looks like.
     *
     * @param peers     how many there are
     * @param perSecond how many connect in each second
     * @param habit     what they do then
     * @param timeout   how long a peer waits for the server until it is ready
     */
    public record Plan(int peers, int perSecond, Habit habit, Duration timeout) {}

    private PeerCrowd(final Plan plan, final TargetAddress target, final SslContext tls) {
        this.plan = plan;
        this.target = target;
        this.tls = tls;
        this.undecided = new CountDownLatch(plan.peers());
        this.group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("peer-crowd", true), NioIoHandler.newFactory());
        this.bootstrap = new Bootstrap()
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.min(plan.timeout().toMillis(), Integer.MAX_VALUE))
                .remoteAddress(target.socket());
    }

    /** Begins to connect a crowd: the crowd, which {@link #close} sends home. */
    public static PeerCrowd gather(final Plan plan, final TargetAddress target, final SslContext tls) {
        final PeerCrowd crowd = new PeerCrowd(plan, target, tls);
        for (int peer = 0; peer < plan.peers(); peer++) {
            final Member member = crowd.new Member(peer, crowd.group.next());
            crowd.members.add(member);
            final long delay =
                    crowd.startNanos + (long) (peer * NANOS_PER_SECOND / plan.perSecond()) - System.nanoTime();
            member.eventLoop.schedule(member::connect, Math.max(0, delay), TimeUnit.NANOSECONDS);
        }
        return crowd;
    }

    /** Waits until each peer is ready or has failed: whether it is so. */
    public boolean awaitGathered(final Duration patience) throws InterruptedException {
        return undecided.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** What became of the peers so far: their counts. */
    public Attendance attendance() {
        final Map<String, Long> byCause = new TreeMap<>();
        causes.forEach((cause, count) -> byCause.put(cause, count.sum()));
        return new Attendance(
                plan.peers(),
                ready.sum(),
                refused.sum(),
                dropped.sum(),
                lastReadyNanos.get() / NANOS_PER_SECOND,
                longestNanos.get() / NANOS_PER_MILLI,
                byCause);
    }

    /**
     * What became of the peers.
     *
     * @param peers         how many there are
     * @param ready         who got ready for transactions
     * @param refused       who did not
     * @param dropped       whose connection ended after they were ready
     * @param seconds       from the first connect until the last one was ready
     * @param longestMillis longest time of one from connect to ready
     * @param causes        of refused and dropped
     */
    public record Attendance(
            int peers,
            long ready,
            long refused,
            long dropped,
            double seconds,
            double longestMillis,
            Map<String, Long> causes) {

        /** Who is there: ready and not dropped. */
        public long present() {
            return ready - dropped;
        }
    }

    /** Closes every connection, without any leave. */
    @Override
    public void close() {
        for (final Member member : members) {
            member.eventLoop.execute(member::leave);
        }
        group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    }

    /** One peer. Lives on its event loop. */
    private final class Member implements WireConversation.Listener {

        private final int peer;
        private final EventLoop eventLoop;
        private final WireConversation conversation;
        private ScheduledFuture<?> trickle;
        private long connectNanos;
        private boolean isReady;
        private boolean gone;

        Member(final int peer, final EventLoop eventLoop) {
            this.peer = peer;
            this.eventLoop = eventLoop;
            this.conversation = new WireConversation(target, plan.timeout(), this);
        }

        void connect() {
            if (gone) {
                return;
            }
            connectNanos = System.nanoTime();
            bootstrap
                    .clone(eventLoop)
                    .handler(new WirePipeline(target, tls, peer, plan.timeout(), conversation))
                    .connect()
                    .addListener(connected -> {
                        if (!connected.isSuccess()) {
                            onFailure(FailureCause.of("connecting", connected.cause()));
                        }
                    });
        }

        @Override
        public void onReady() {
            isReady = true;
            final long now = System.nanoTime();
            ready.increment();
            lastReadyNanos.accumulateAndGet(now - startNanos, Math::max);
            longestNanos.accumulateAndGet(now - connectNanos, Math::max);
            undecided.countDown();
            if (plan.habit() == Habit.TRICKLE) {
                conversation.beginPacket(Map.of(), SLOW_PACKET_BYTES);
                trickle = eventLoop.scheduleAtFixedRate(this::sendByte, 1, 1, TimeUnit.SECONDS);
            }
        }

        @Override
        public void onFailure(final String cause) {
            if (gone) {
                return;
            }
            gone = true;
            causes.computeIfAbsent(cause, key -> new LongAdder()).increment();
            if (isReady) {
                dropped.increment();
                stopTrickling();
            } else {
                refused.increment();
                undecided.countDown();
            }
        }

        void leave() {
            if (!gone) {
                gone = true;
                stopTrickling();
                conversation.shutDown();
            }
        }

        private void sendByte() {
            conversation.sendPiece(Unpooled.wrappedBuffer(new byte[] {'.'}));
        }

        private void stopTrickling() {
            if (trickle != null) {
                trickle.cancel(false);
            }
        }
    }
}
