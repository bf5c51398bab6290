// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.protocol.ProxyHeaders;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** More peers come at once than may be in their handshake. Lives on the test's thread; each peer has its own. */
@DisplayName("A storm of handshakes")
class HandshakeStormTest {
    private static final int PEERS = 40;
    private static final int MOST_HANDSHAKES = 4;
    private static final long PAUSE_MILLIS = 50;
    private static final int RESOURCE_OK = 20;

    private static MatrixListener listener(final Variant variant, final int mostHandshakes) throws Exception {
        return new MatrixListener(
                variant, "handshakes.max", String.valueOf(mostHandshakes), "handshake.timeout", "60 secs");
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN_EPOLL", "PLAIN_NIO", "JDK_TLS_EPOLL", "BORINGSSL_EPOLL"})
    @DisplayName("waits in the backlog, and cuts off nobody who makes progress")
    void allComplete(final Variant variant) throws Exception {
        try (MatrixListener listener = listener(variant, MOST_HANDSHAKES);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            final Executor afterAPause =
                    CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS, threads);
            final List<CompletableFuture<Void>> peers = new ArrayList<>();
            for (int i = 0; i < PEERS; i++) {
                peers.add(CompletableFuture.supplyAsync(() -> connect(listener), threads)
                        .thenApplyAsync(peer -> say(peer, Message.magic()), afterAPause)
                        .thenApplyAsync(HandshakeStormTest::agreeOnProtocol, afterAPause)
                        .thenAcceptAsync(HandshakeStormTest::shakeHands, afterAPause));
            }
            for (final CompletableFuture<Void> peer : peers) {
                peer.get(60, TimeUnit.SECONDS);
            }
            for (final ConnectionFault.Kind kind : ConnectionFault.Kind.values()) {
                assertEquals(0, listener.faults(kind), kind::toString);
            }
        }
    }

    private static TestPeer connect(final MatrixListener listener) {
        try {
            return listener.connect();
        } catch (final Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static TestPeer say(final TestPeer peer, final byte[] message) {
        try {
            peer.say(message);
            return peer;
        } catch (final Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static TestPeer agreeOnProtocol(final TestPeer peer) {
        try {
            peer.say(Message.protocol(6));
            assertEquals(RESOURCE_OK, peer.read(1)[0]);
            return peer;
        } catch (final Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** And leaves. */
    private static void shakeHands(final TestPeer peer) {
        try (peer) {
            peer.say(Message.handshake(MatrixListener.INPUT_PORT));
            peer.expect(ResponseCode.PROPERTIES_OK);
        } catch (final Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("gets the place of a handshake that stands still")
    void stalled() throws Exception {
        try (MatrixListener listener = listener(Variant.PLAIN_EPOLL, 1);
                TestPeer stalled = listener.connect()) {
            stalled.say(Message.magic());
            try (TestPeer next = listener.connect()) {
                next.say(Message.magic());
                agreeOnProtocol(next);
                shakeHands(next);
            }
            assertEquals(1, listener.faults(ConnectionFault.Kind.SLOW_PEER));
        }
    }

    @Test
    @DisplayName(
            "is served beside an address that drips into more handshakes than there may be, and lets one end now and then")
    void dripping() throws Exception {
        final byte[] opening = Message.opening(MatrixListener.INPUT_PORT);
        final List<TestPeer> hostile = new ArrayList<>();
        try (MatrixListener listener = listener(Variant.PLAIN_EPOLL, 20);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 2 * 20; i++) {
                hostile.add(listener.connect());
            }
            final CompletableFuture<Void> honest = CompletableFuture.supplyAsync(() -> connect(listener), threads)
                    .thenApply(peer -> say(peer, Message.magic()))
                    .thenApply(HandshakeStormTest::agreeOnProtocol)
                    .thenAccept(HandshakeStormTest::shakeHands);
            final AtomicInteger drops = new AtomicInteger();
            MatrixListener.awaiting().pollInterval(Duration.ofMillis(500)).until(() -> {
                final int drop = drops.getAndIncrement();
                hostile.forEach(peer -> peer.trySay(new byte[] {opening[drop]}));
                if (drop % 4 == 3) {
                    hostile.get(drop / 4).close();
                }
                return honest.isDone();
            });
            honest.get();
            assertTrue(listener.faults(ConnectionFault.Kind.SLOW_PEER) > 0);
        } finally {
            for (final TestPeer peer : hostile) {
                peer.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN_EPOLL", "JDK_TLS_NIO"})
    @DisplayName("gets the place of one of a load balancer's connections whose headers come bit by bit and do not end")
    void endlessHeader(final Variant variant) throws Exception {
        final byte[] beginning = ProxyHeaders.binary(ProxyHeaders.PROXY, ProxyHeaders.TCP_4, 4_000, new byte[0]);
        try (MatrixListener listener = new MatrixListener(
                        variant,
                        "handshakes.max",
                        "2",
                        "handshake.timeout",
                        "60 secs",
                        "proxy.protocol.from",
                        "127.0.0.1");
                TestPeer endless = listener.connectPlain();
                TestPeer other = listener.connectPlain()) {
            endless.say(beginning);
            other.say(beginning);
            MatrixListener.awaiting()
                    .pollInterval(Duration.ofMillis(PAUSE_MILLIS))
                    .until(() -> {
                        endless.trySay(new byte[1]);
                        other.trySay(new byte[1]);
                        return listener.faults(ConnectionFault.Kind.SLOW_PEER) == 1;
                    });
        }
    }
}
