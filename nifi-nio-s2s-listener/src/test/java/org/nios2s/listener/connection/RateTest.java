// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.TestHolder;
import org.nios2s.listener.port.PortDispatcher;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** Peers under a rule of {@code rate.}, beside others. Lives on the test's thread, and one more for the limited peer. */
@Timeout(120)
class RateTest {
    private static final String LIMITED = "127.0.0.2";

    private static final int CONTENT = 256 * 1024;

    /** If each of these counted, the next transaction would wait for longer than a test peer does. */
    private static final int TRANSACTIONS_GIVEN_UP = 60;

    /** At 64 KB a second, less what may come at once. */
    private static final Duration SHORTEST = Duration.ofMillis(3_200);

    private SteppedListener listener;

    @BeforeEach
    void start() throws Exception {
        listener = new SteppedListener(
                NanoClock.SYSTEM,
                "rate.slow.address",
                LIMITED,
                "rate.slow.bytes",
                "64 KB",
                "rate.slow.transactions",
                "1");
    }

    @AfterEach
    void stop() {
        listener.close();
    }

    private static void push(final TestPeer peer) throws IOException {
        peer.push()
                .packet(Map.of("uuid", "source"), new byte[CONTENT])
                .say(ResponseCode.FINISH_TRANSACTION)
                .expectConfirmation()
                .confirm()
                .expect(ResponseCode.TRANSACTION_FINISHED);
    }

    /** However slow the machine is. */
    private static void assertNotFasterThanAllowed(final long beganNanos) {
        final Duration took = Duration.ofNanos(System.nanoTime() - beganNanos);
        assertTrue(took.compareTo(SHORTEST) > 0, took::toString);
    }

    private static CompletableFuture<Void> inBackground(final IoTask task) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        task.run();
                    } catch (final IOException e) {
                        throw new IllegalStateException(e);
                    }
                },
                Executors.newVirtualThreadPerTaskExecutor());
    }

    /** What a peer does. */
    private interface IoTask {
        void run() throws IOException;
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    @DisplayName("a limited push takes its time, whatever deadlines say")
    void push(final String streams) throws Exception {
        if (streams.equals("true")) {
            stop();
            listener = new SteppedListener(
                    NanoClock.SYSTEM,
                    "transaction.memory",
                    "4 KB",
                    "rate.slow.address",
                    LIMITED,
                    "rate.slow.bytes",
                    "64 KB");
        }
        try (TestPeer limited = listener.connectFrom(LIMITED);
                TestPeer free = listener.connect()) {
            // A peer that is not heard for so long is silent.
            limited.open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", "1000");
            free.open(INPUT_PORT);
            final long beganNanos = System.nanoTime();
            final CompletableFuture<Void> slow = inBackground(() -> push(limited));
            listener.awaitAnyStep("ReceivePacketStep");
            push(free);
            slow.get();
            assertNotFasterThanAllowed(beganNanos);
            assertEquals(2, listener.input().committed().size());
            listener.assertNoFault();
        }
        listener.awaitNoConnections();
    }

    @Test
    @DisplayName("a peer that waits for its rate alone is neither silent nor slow, though memory is scarce")
    void deadlines() throws Exception {
        try (TestPeer limited = listener.connectFrom(LIMITED)) {
            limited.open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", "1000");
            final CompletableFuture<Void> slow = inBackground(() -> push(limited));
            SteppedListener.awaiting().until(() -> listener.isRatePaused());
            final PortDispatcher dispatcher =
                    listener.dispatchers().acquire(listener.input().port());
            try (SharedResource.Grant other = dispatcher.limits().memory().open(new TestHolder("others"))) {
                other.add(listener.budget().limit() / 2);
                final SharedResource.Grant waits = dispatcher
                        .limits()
                        .memory()
                        .request(new TestHolder("waits"), MemoryBudget.SMALL_BYTES, 0, () -> {});
                listener.checkDeadlinesWhileHeldBackAfter(Duration.ZERO);
                listener.checkDeadlinesWhileHeldBackAfter(Duration.ofSeconds(2));
                listener.assertNoFault();
                waits.close();
            } finally {
                listener.dispatchers().release(dispatcher);
            }
            slow.get();
            listener.assertNoFault();
        }
    }

    @Test
    @DisplayName("a limited pull takes its time")
    void pull() throws Exception {
        listener.output().queue(Map.of("uuid", "source"), new byte[CONTENT]);
        try (TestPeer limited = listener.connectFrom(LIMITED);
                TestPeer free = listener.connect()) {
            limited.open(SteppedListener.OUTPUT_PORT, "REQUEST_EXPIRATION_MILLIS", "1000");
            free.open(INPUT_PORT);
            final long beganNanos = System.nanoTime();
            limited.request("RECEIVE_FLOWFILES").expect(ResponseCode.MORE_DATA);
            final byte[] packet = Message.packet(Map.of("uuid", "source"), new byte[CONTENT]);
            final CompletableFuture<Void> slow =
                    inBackground(() -> assertEquals(packet.length, limited.in().readNBytes(packet.length).length));
            push(free);
            slow.get();
            assertNotFasterThanAllowed(beganNanos);
            limited.expect(ResponseCode.FINISH_TRANSACTION);
            listener.assertNoFault();
        }
    }

    @Test
    @DisplayName(
            "of many transactions of a limited peer one begins in its turn; those that wait lose nothing, and hold nothing")
    void transactions() throws Exception {
        try (TestPeer limited = listener.connectFrom(LIMITED);
                TestPeer free = listener.connect()) {
            limited.open(INPUT_PORT);
            limited.pushPacket("first").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            final CompletableFuture<Void> second = inBackground(
                    () -> limited.pushPacket("second").confirm().expect(ResponseCode.TRANSACTION_FINISHED));
            listener.awaitAnyStep("AwaitRateStep");
            free.open(INPUT_PORT).pushPacket("free").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            second.get();
            assertEquals(3, listener.input().committed().size());
            listener.assertNoFault();
        }
    }

    @Test
    @DisplayName("a transaction that its peer gives up before its time has come takes no other one's time")
    void givenUp() throws Exception {
        try (TestPeer limited = listener.connectFrom(LIMITED)) {
            limited.open(INPUT_PORT);
            limited.pushPacket("first").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
        listener.awaitNoConnections();
        final List<TestPeer> leaving = new ArrayList<>();
        for (int number = 0; number < TRANSACTIONS_GIVEN_UP; number++) {
            final TestPeer limited = listener.connectFrom(LIMITED);
            leaving.add(limited);
            limited.open(INPUT_PORT);
            limited.push().flush();
        }
        listener.awaitAnyStep("AwaitRateStep");
        for (final TestPeer limited : leaving) {
            limited.reset();
        }
        listener.awaitNoConnections();
        try (TestPeer limited = listener.connectFrom(LIMITED)) {
            limited.open(INPUT_PORT);
            limited.pushPacket("last").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
        assertEquals(2, listener.input().committed().size());
    }

    @Test
    @DisplayName("a limited peer that leaves while it waits leaves nothing behind")
    void leaves() throws Exception {
        try (TestPeer limited = listener.connectFrom(LIMITED)) {
            limited.open(INPUT_PORT);
            inBackground(() -> push(limited));
            SteppedListener.awaiting().until(() -> listener.isRatePaused());
            limited.reset();
        }
        listener.awaitNoConnections();
        listener.awaitNothingHeld();
    }
}
