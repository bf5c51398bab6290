// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.connection.Drain;
import org.nios2s.peers.LogLines;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** An operator has the listener drain, and resume. Lives on the test's thread. */
@Timeout(120)
class DrainTest {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int PEERS = 8;
    private static final int PUSHES_BEFORE = 50;

    @AutoClose
    private final LogLines log = new LogLines(Drain.class, Level.INFO);

    private List<String> lines() {
        return log.lines().stream()
                .map(line -> line.replaceFirst(".* on port \\d+ (?:is |has )?(\\w+).*", "$1"))
                .toList();
    }

    private static void assertEnded(final TestPeer peer) throws IOException {
        assertTrue(peer.isEndedWithin(PATIENCE_MILLIS));
    }

    private static void beginPush(final TestPeer peer, final MatrixListener listener) throws IOException {
        Place.CONTENT.reach(peer, listener);
        MatrixListener.awaiting().until(() -> listener.metric("TransactionsInProgress") == 1);
    }

    private static void finishPush(final TestPeer peer, final byte[] rest) throws IOException {
        peer.say(rest);
        assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.finishPush());
    }

    private static void assertRefused(final MatrixListener listener) throws IOException {
        try (TestPeer newcomer = listener.connect()) {
            newcomer.negotiate().say(Message.handshake(MatrixListener.INPUT_PORT));
            newcomer.expect(ResponseCode.PORT_NOT_IN_VALID_STATE, "Port not running");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN_EPOLL", "PLAIN_NIO", "BORINGSSL_EPOLL", "JDK_TLS_NIO"})
    @DisplayName("what is under way ends well, what is idle is closed, a newcomer is told that the port is not running")
    void drains(final Variant variant) throws Exception {
        try (MatrixListener listener = MatrixListener.patient(variant);
                TestPeer idle = listener.connect();
                TestPeer lister = listener.connect();
                TestPeer small = listener.connect();
                TestPeer large = listener.connect();
                TestPeer pull = listener.connect()) {
            Place.PUSH.reach(idle, listener);
            Place.PEER_LIST.reach(lister, listener);
            Place.CONTENT.reach(small, listener);
            Place.STREAMED_CONTENT.reach(large, listener);
            Place.FINISH.reach(pull, listener);
            MatrixListener.awaiting().until(() -> listener.metric("TransactionsInProgress") == 3);

            assertTrue(listener.call("drain").startsWith("The listener drains"));
            assertEnded(idle);
            MatrixListener.awaiting().until(() -> listener.metric("ConnectionsToDrain") == 3);
            assertEquals("The listener drains: 3 connections are left", listener.call("drain"));
            assertEquals(1, listener.metric("Draining"));
            assertRefused(listener);
            lister.request("REQUEST_PEER_LIST");
            assertEquals(1, lister.read(Integer.BYTES)[Integer.BYTES - 1], "the only node is in the list");

            finishPush(small, Place.Size.SMALL_CONTENT);
            assertEnded(small);
            finishPush(large, Place.Size.LARGE_REST);
            assertEnded(large);
            assertEquals(List.of("drains"), lines());
            pull.say(ResponseCode.TRANSACTION_FINISHED);
            assertEnded(pull);

            MatrixListener.awaiting().until(() -> lines().equals(List.of("drains", "empty")));
            assertEquals(0, listener.metric("ConnectionsToDrain"));
            assertEquals(
                    "The listener is empty: no peer is connected to a port, and no transaction begins",
                    listener.call("drain"));
            assertEquals(2, listener.input().commits());
            assertEquals(1, listener.output().commits());
            assertEquals(0, listener.metric("Faults"));
        }
        assertEquals(List.of("drains", "empty"), lines());
    }

    @Test
    @DisplayName("a listener is not empty while it commits what a peer has confirmed that has left")
    void commitOfDepartedPeer() throws Exception {
        final CountDownLatch commits = new CountDownLatch(1);
        final CountDownLatch mayCommit = new CountDownLatch(1);
        try (MatrixListener listener = MatrixListener.patient(Variant.PLAIN_EPOLL)) {
            listener.input().beforeCommit(flowFiles -> {
                commits.countDown();
                MatrixListener.awaiting().until(() -> mayCommit.getCount() == 0);
            });
            try (TestPeer peer = listener.connect()) {
                beginPush(peer, listener);
                peer.say(Place.Size.SMALL_CONTENT, Message.response(ResponseCode.FINISH_TRANSACTION));
                peer.expect(ResponseCode.CONFIRM_TRANSACTION);
                peer.confirm();
                MatrixListener.awaiting().until(() -> commits.getCount() == 0);
                listener.call("drain");
                peer.reset();
                listener.awaitNoConnection();
                assertEquals(List.of("drains"), lines());
                assertEquals(1, listener.metric("ConnectionsToDrain"));
                assertEquals(
                        "The listener drains: no connection is left, but transactions of peers that have left are being committed",
                        listener.call("drain"));
            } finally {
                mayCommit.countDown();
            }
            MatrixListener.awaiting().until(() -> lines().equals(List.of("drains", "empty")));
            assertEquals(1, listener.input().commits());
        }
    }

    @Test
    @DisplayName("a listener that resumes serves newcomers, also those that it has refused; it can drain again")
    void resumes() throws Exception {
        try (MatrixListener listener = MatrixListener.patient(Variant.PLAIN_EPOLL);
                TestPeer refused = listener.connect()) {
            assertEquals("The listener serves its peers", listener.call("resume"));
            listener.call("drain");
            refused.negotiate();
            refused.say(Message.handshake(MatrixListener.INPUT_PORT));
            refused.expect(ResponseCode.PORT_NOT_IN_VALID_STATE);
            assertEquals("The listener serves its peers", listener.call("resume"));
            assertEquals(0, listener.metric("Draining"));
            refused.say(Message.utf("NEGOTIATE_FLOWFILE_CODEC"), Message.codec());
            refused.expectResource();
            refused.push();
            finishPush(refused, Message.packet(Place.Size.SMALL_CONTENT));
            listener.call("drain");
            assertEnded(refused);
            MatrixListener.awaiting()
                    .until(() -> lines().equals(List.of("drains", "empty", "resumed", "drains", "empty")));
        }
    }

    @Test
    @DisplayName(
            "a full destination is not what a newcomer is told of, and one that may not use the port hears that as ever")
    void answersInNifisOrder() throws Exception {
        try (MatrixListener listener = MatrixListener.patient(Variant.PLAIN_EPOLL)) {
            listener.call("drain");
            listener.input().full(true);
            assertRefused(listener);
            listener.input().allow(identity -> false);
            try (TestPeer peer = listener.connect()) {
                peer.negotiate();
                peer.say(Message.handshake(MatrixListener.INPUT_PORT));
                peer.expect(ResponseCode.UNAUTHORIZED);
            }
        }
    }

    @Test
    @DisplayName("a peer that was refused and begins a transaction all the same is cut off")
    void refusedPeerGoesOn() throws Exception {
        try (MatrixListener listener = MatrixListener.patient(Variant.PLAIN_EPOLL);
                TestPeer peer = listener.connect()) {
            listener.call("drain");
            peer.negotiate();
            peer.say(Message.handshake(MatrixListener.INPUT_PORT));
            peer.expect(ResponseCode.PORT_NOT_IN_VALID_STATE);
            peer.say(Message.utf("NEGOTIATE_FLOWFILE_CODEC"), Message.codec());
            peer.expectResource();
            peer.push();
            assertEnded(peer);
            assertEquals(1, listener.metric("Faults_PORT_NOT_RUNNING"));
        }
    }

    /** Pushes one transaction after the other until its connection ends. */
    private record Pusher(TestPeer peer, AtomicInteger acknowledged, AtomicInteger unknown) implements Runnable {
        @Override
        public void run() {
            boolean isConfirmed = false;
            try (TestPeer closed = peer) {
                while (true) {
                    isConfirmed = false;
                    closed.push();
                    closed.say(
                            Message.packet(Place.Size.SMALL_CONTENT),
                            Message.response(ResponseCode.FINISH_TRANSACTION));
                    closed.expect(ResponseCode.CONFIRM_TRANSACTION);
                    isConfirmed = true;
                    closed.confirm();
                    closed.expect(ResponseCode.TRANSACTION_FINISHED);
                    acknowledged.incrementAndGet();
                }
            } catch (final IOException e) {
                // The listener has let go of the peer.
                unknown.addAndGet(isConfirmed ? 1 : 0);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN_EPOLL", "BORINGSSL_EPOLL", "JDK_TLS_NIO"})
    @DisplayName("peers in full traffic know of every transaction what became of it, and none is a fault")
    void underLoad(final Variant variant) throws Exception {
        final AtomicInteger acknowledged = new AtomicInteger();
        final AtomicInteger unknown = new AtomicInteger();
        try (MatrixListener listener = MatrixListener.patient(variant)) {
            final List<Thread> threads = new ArrayList<>();
            for (int peer = 0; peer < PEERS; peer++) {
                final TestPeer pusher = listener.connect();
                Place.PUSH.reach(pusher, listener);
                threads.add(Thread.ofPlatform().start(new Pusher(pusher, acknowledged, unknown)));
            }
            MatrixListener.awaiting().until(() -> acknowledged.get() > PUSHES_BEFORE);
            listener.call("drain");
            for (final Thread thread : threads) {
                thread.join();
            }
            MatrixListener.awaiting().until(() -> lines().equals(List.of("drains", "empty")));
            assertEquals(0, unknown.get());
            assertEquals(acknowledged.get(), listener.metric("PushesCommitted"));
            assertEquals(0, listener.metric("Faults"));
        }
    }

    @Test
    @DisplayName("a push that waits for a place is closed by a drain, and no place is kept for it")
    void waitsForPlace() throws Exception {
        try (MatrixListener listener =
                        MatrixListener.patient(Variant.PLAIN_EPOLL, "request.queue.size", "1", "worker.threads", "1");
                TestPeer first = listener.connect();
                TestPeer second = listener.connect();
                TestPeer third = listener.connect()) {
            beginPush(first, listener);
            Place.PUSH.reach(second, listener);
            second.push();
            // The only IO worker answers the third one after it has read what the second one sent.
            Place.PUSH.reach(third, listener);

            listener.call("drain");
            assertEnded(second);
            assertEnded(third);
            finishPush(first, Place.Size.SMALL_CONTENT);
            assertEnded(first);

            MatrixListener.awaiting().until(() -> lines().equals(List.of("drains", "empty")));
            assertEquals(0, listener.metric("TransactionsInProgress"));
            assertEquals(0, listener.metric("BufferUsedBytes"));
        }
    }

    @Test
    @DisplayName("a listener that is stopped while it drains says nothing more of it")
    void stopped() throws Exception {
        try (MatrixListener listener = MatrixListener.patient(Variant.PLAIN_EPOLL);
                TestPeer peer = listener.connect()) {
            beginPush(peer, listener);
            listener.call("drain");
            assertEquals(1, listener.metric("ConnectionsToDrain"));
            // While the peer is connected: if it left first, the listener would rightly be empty before it stops.
            listener.stop();
        }
        assertEquals(List.of("drains"), lines());
    }

    /** The JVM's own signals, which the compiler warns of. */
    private static final class Signals {
        private final Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
        private final Method raise;
        private final Method handle;
        private final Object term;

        private Signals() throws ReflectiveOperationException {
            final Class<?> type = Class.forName("sun.misc.Signal");
            raise = type.getMethod("raise", type);
            handle = type.getMethod("handle", type, handlerType);
            term = type.getConstructor(String.class).newInstance("TERM");
        }

        private Object install(final Object handler) throws ReflectiveOperationException {
            return handle.invoke(null, term, handler);
        }

        private Object handler(final Runnable action) {
            return Proxy.newProxyInstance(
                    DrainTest.class.getClassLoader(), new Class<?>[] {handlerType}, (proxy, method, arguments) -> {
                        action.run();
                        return null;
                    });
        }

        private void raise() throws ReflectiveOperationException {
            raise.invoke(null, term);
        }
    }

    @Test
    @DisplayName(
            "a process that is told to end drains first, for as long as the setting says; a second signal ends it at once")
    void beforeStop() throws Exception {
        final Signals signals = new Signals();
        final CountDownLatch ended = new CountDownLatch(1);
        final Object former = signals.install(signals.handler(ended::countDown));
        try (MatrixListener listener = MatrixListener.patient(Variant.PLAIN_EPOLL, "drain.before.stop", "1 hour");
                TestPeer peer = listener.connect()) {
            beginPush(peer, listener);
            signals.raise();
            MatrixListener.awaiting().until(() -> lines().equals(List.of("drains")));
            assertEquals(1, ended.getCount());
            finishPush(peer, Place.Size.SMALL_CONTENT);
            assertEnded(peer);
            ended.await();
            assertEquals(List.of("drains", "empty"), lines());
        } finally {
            signals.install(former);
        }
    }

    @Test
    @DisplayName(
            "a process that was told to end twice does not wait for its peers, and one that stops gives the signal back")
    void secondSignal() throws Exception {
        final Signals signals = new Signals();
        final AtomicInteger ends = new AtomicInteger();
        final Object former = signals.install(signals.handler(ends::incrementAndGet));
        try {
            try (MatrixListener listener = MatrixListener.patient(Variant.PLAIN_EPOLL, "drain.before.stop", "1 hour");
                    TestPeer peer = listener.connect()) {
                beginPush(peer, listener);
                signals.raise();
                MatrixListener.awaiting().until(() -> lines().equals(List.of("drains")));
                signals.raise();
                MatrixListener.awaiting().until(() -> ends.get() == 1);
            }
            // The first one goes on when the listener has stopped.
            MatrixListener.awaiting().until(() -> ends.get() == 2);
            MatrixListener.patient(Variant.PLAIN_EPOLL, "drain.before.stop", "1 hour")
                    .close();
            signals.raise();
            MatrixListener.awaiting().until(() -> ends.get() == 3);
        } finally {
            signals.install(former);
        }
    }
}
