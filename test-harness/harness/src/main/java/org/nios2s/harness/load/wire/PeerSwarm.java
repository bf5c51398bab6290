// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.TargetAddress;

/**
 * Many peers that are just there: they connect, shake hands, and then do nothing or next to nothing. Each lives on the
 * one event loop of the swarm; every method may be called on any thread.
 */
public final class PeerSwarm implements AutoCloseable {

    /** The length that a slow peer announces: it never comes to the end. */
    private static final long SLOW_PACKET_BYTES = 1024L * 1024;

    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Plan plan;
    private final TargetAddress target;
    private final WireConnector connector;
    private final List<Member> members = new ArrayList<>();
    private final CountDownLatch undecided;
    private final AtomicLong lastReadyNanos = new AtomicLong();
    private final long startNanos = System.nanoTime();

    /** The behaviour of a peer once its connection is ready for transactions. */
    public enum Behaviour {
        /** Nothing. */
        IDLE,
        /** Begins a transaction and sends a byte of its packet every second. */
        TRICKLE
    }

    /**
     * The shape of the swarm.
     *
     * @param peers     how many there are
     * @param perSecond how many connect in each second
     * @param behaviour     what they do then
     * @param timeout   how long a peer waits for the server until it is ready
     */
    public record Plan(int peers, int perSecond, Behaviour behaviour, Duration timeout) {}

    private PeerSwarm(final Plan plan, final TargetAddress target, final SslContext tls) {
        this.plan = plan;
        this.target = target;
        this.undecided = new CountDownLatch(plan.peers());
        this.connector = new WireConnector("peer-swarm", 1, tls, plan.timeout());
    }

    /** Begins to connect a swarm: the swarm, which {@link #close} sends home. */
    public static PeerSwarm gather(final Plan plan, final TargetAddress target, final SslContext tls) {
        final PeerSwarm swarm = new PeerSwarm(plan, target, tls);
        for (int peer = 0; peer < plan.peers(); peer++) {
            final Member member = swarm.new Member(peer, swarm.connector.next());
            swarm.members.add(member);
            final long delay =
                    swarm.startNanos + (long) (peer * NANOS_PER_SECOND / plan.perSecond()) - System.nanoTime();
            member.eventLoop.schedule(member::connect, Math.max(0, delay), TimeUnit.NANOSECONDS);
        }
        return swarm;
    }

    /** Waits until each peer is ready or has failed: whether it is so. */
    public boolean awaitGathered(final Duration patience) throws InterruptedException {
        return undecided.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    public Presence presence() {
        final List<Member> over =
                members.stream().filter(member -> member.cause != null).toList();
        final long dropped = over.stream().filter(member -> member.isReady).count();
        final long ready = members.stream().filter(member -> member.isReady).count();
        final Map<String, Long> causes = over.stream()
                .collect(Collectors.groupingBy(member -> member.cause, TreeMap::new, Collectors.counting()));
        final double seconds = lastReadyNanos.get() / NANOS_PER_SECOND;
        return new Presence(plan.peers(), ready, over.size() - dropped, dropped, seconds, causes);
    }

    /**
     * The state of the peers.
     *
     * @param peers         how many there are
     * @param ready         who got ready for transactions
     * @param refused       who did not
     * @param dropped       whose connection ended after they were ready
     * @param seconds       from the first connect until the last one was ready
     * @param causes        of refused and dropped
     */
    public record Presence(
            int peers, long ready, long refused, long dropped, double seconds, Map<String, Long> causes) {

        /** The peers that are there: ready and not dropped. */
        public long present() {
            return ready - dropped;
        }
    }

    /** Closes every connection, without any leave. */
    @Override
    public void close() {
        members.forEach(member -> member.eventLoop.execute(member::leave));
        connector.close();
    }

    /** One peer. Lives on its event loop. */
    private final class Member implements WireConversation.Listener {

        private final int peer;
        private final EventLoop eventLoop;
        private final WireConversation conversation;
        private ScheduledFuture<?> trickle;
        private boolean gone;

        /** Both are read on other threads, too. */
        private volatile boolean isReady;

        private volatile String cause;

        Member(final int peer, final EventLoop eventLoop) {
            this.peer = peer;
            this.eventLoop = eventLoop;
            this.conversation = new WireConversation(target, plan.timeout(), Shape.push(1, SLOW_PACKET_BYTES), this);
        }

        void connect() {
            if (!gone) {
                connector.connect(peer, eventLoop, conversation);
            }
        }

        @Override
        public void onReady() {
            isReady = true;
            lastReadyNanos.accumulateAndGet(System.nanoTime() - startNanos, Math::max);
            undecided.countDown();
            if (plan.behaviour() == Behaviour.TRICKLE) {
                conversation.beginPacket(Map.of(), SLOW_PACKET_BYTES);
                trickle = eventLoop.scheduleAtFixedRate(
                        () -> conversation.sendPiece(Unpooled.wrappedBuffer(new byte[] {'.'})), 1, 1, TimeUnit.SECONDS);
            }
        }

        @Override
        public void onFailure(final String failure) {
            if (gone) {
                return;
            }
            gone = true;
            cause = failure;
            if (isReady) {
                stopTrickling();
            } else {
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

        private void stopTrickling() {
            if (trickle != null) {
                trickle.cancel(false);
            }
        }
    }
}
