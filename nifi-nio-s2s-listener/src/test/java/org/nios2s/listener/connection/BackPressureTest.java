// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.peers.TestPeer;

/** What peers hear of a destination that is full, or becomes so. Lives on the test's thread. */
class BackPressureTest {
    private static final int THRESHOLD = 10;

    private final AtomicLong clock = new AtomicLong(System.nanoTime());
    private SteppedListener listener;

    @BeforeEach
    void start() throws Exception {
        listener = new SteppedListener(clock::get);
        listener.input().backPressure(THRESHOLD);
    }

    @AfterEach
    void stop() {
        listener.close();
    }

    private TestPeer finished() throws IOException {
        return finished(1);
    }

    private TestPeer finished(final int bytes) throws IOException {
        final TestPeer peer = listener.connect().open(INPUT_PORT);
        peer.push()
                .packet(Map.of(), new byte[bytes])
                .say(ResponseCode.FINISH_TRANSACTION)
                .flush();
        return peer;
    }

    private static List<TestPeer> answered(final List<TestPeer> peers) throws IOException {
        final List<TestPeer> answered = new ArrayList<>();
        for (final TestPeer peer : peers) {
            if (peer.in().available() > 0) {
                answered.add(peer);
            }
        }
        return answered;
    }

    private static List<TestPeer> awaitAnswered(final List<TestPeer> peers, final int count) throws IOException {
        SteppedListener.awaiting().until(() -> answered(peers).size() >= count);
        return answered(peers);
    }

    @Test
    @DisplayName(
            "of 150 peers that finish at once as many are told to confirm as there is room for, and hear when it is full")
    void burst() throws Exception {
        final List<TestPeer> waiting = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            waiting.add(finished());
        }
        SteppedListener.awaiting().until(() -> listener.stepsNamed("AwaitRoomStep") == 150 - THRESHOLD);
        final List<TestPeer> toConfirm = awaitAnswered(waiting, THRESHOLD);
        assertEquals(THRESHOLD, toConfirm.size());
        for (final TestPeer peer : toConfirm) {
            peer.expectConfirmation().confirm().flush();
        }
        final Map<Integer, Integer> codes = new TreeMap<>();
        for (final TestPeer peer : toConfirm) {
            codes.merge(Byte.toUnsignedInt(peer.in().readNBytes(3)[2]), 1, Integer::sum);
        }
        final int full = codes.remove(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL.getCode());
        final int finished = codes.getOrDefault(ResponseCode.TRANSACTION_FINISHED.getCode(), 0);
        assertEquals(THRESHOLD, full + finished);
        assertEquals(THRESHOLD, listener.input().queuedBehind());
        waiting.removeAll(toConfirm);
        listener.input().drain(3);
        assertEquals(3, awaitAnswered(waiting, 3).size());
        for (final TestPeer peer : waiting) {
            peer.close();
        }
        for (final TestPeer peer : toConfirm) {
            peer.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2_000_000})
    @DisplayName("nobody else is told to confirm while what was confirmed waits for a port task, in memory or streamed")
    void unserved(final int bytes) throws Exception {
        try (TestPeer first = finished(bytes);
                TestPeer next = listener.connect().open(INPUT_PORT)) {
            first.expectConfirmation();
            next.push().packet(Map.of(), new byte[bytes]).flush();
            listener.awaitStep("ReceiveIndicatorStep");
            listener.input().scheduled(false);
            first.confirm().flush();
            SteppedListener.awaiting().until(() -> listener.dispatchers().waiting() == 1);
            listener.passTime(clock, Duration.ofSeconds(2));
            next.say(ResponseCode.FINISH_TRANSACTION).flush();
            listener.awaitStep("AwaitRoomStep");
            listener.passTime(clock, Duration.ofSeconds(2));
            assertEquals(0, next.in().available());
            listener.input().scheduled(true);
            first.expect(ResponseCode.TRANSACTION_FINISHED);
            next.expectConfirmation();
            listener.assertNoFault();
        }
    }

    @Test
    @DisplayName("a peer that waits for room may leave, and the room goes to the next")
    void leavesWaiting() throws Exception {
        listener.input().backPressure(1);
        final TestPeer first = finished();
        awaitAnswered(List.of(first), 1);
        try (TestPeer quitter = finished()) {
            listener.awaitStep("AwaitRoomStep");
            quitter.halfClose();
            quitter.expectEnd();
        }
        listener.awaitFault(ConnectionFault.Kind.PEER_CLOSED);
        try (TestPeer next = finished()) {
            listener.awaitStep("AwaitRoomStep");
            first.close();
            next.expectConfirmation().confirm().expect(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL);
        }
    }

    @Test
    @DisplayName(
            "a peer that was told to confirm and does not keeps the room for a few seconds while others wait, and no longer")
    void doesNotConfirm() throws Exception {
        listener.input().backPressure(1);
        try (TestPeer silent = finished();
                TestPeer next = awaitedBehind(silent)) {
            listener.passTime(clock, Duration.ofSeconds(2));
            listener.assertNoFault();
            listener.passTime(clock, Duration.ofSeconds(2));
            listener.awaitFault(ConnectionFault.Kind.SLOW_PEER);
            next.expectConfirmation().confirm().expect(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL);
        }
        assertEquals(1, listener.input().committed().size());
    }

    private TestPeer awaitedBehind(final TestPeer first) throws IOException {
        awaitAnswered(List.of(first), 1);
        final TestPeer next = finished();
        listener.awaitStep("AwaitRoomStep");
        return next;
    }

    @Test
    @DisplayName("a peer that waits for room is cut off when its port is stopped: it may send again safely")
    void stoppedWhileWaiting() throws Exception {
        try (TestPeer peer = listener.connect().open(INPUT_PORT)) {
            listener.input().full(true);
            peer.push()
                    .packet(Map.of(), new byte[1])
                    .say(ResponseCode.FINISH_TRANSACTION)
                    .flush();
            listener.awaitStep("AwaitRoomStep");
            listener.input().running(false);
            listener.checkDeadlinesAfter(Duration.ZERO);
            peer.expectEnd();
            listener.awaitFault(ConnectionFault.Kind.PORT_NOT_RUNNING);
        }
    }

    @Test
    @DisplayName("a port is shown as transmitting while a peer sends, and not when it has done so")
    void transmitting() throws Exception {
        try (TestPeer peer = listener.connect().open(INPUT_PORT)) {
            listener.dispatchers().sweep();
            assertFalse(listener.input().port().isTransmitting());
            peer.push().say(new byte[1]).flush();
            listener.awaitStep("ReceivePacketStep");
            listener.dispatchers().sweep();
            assertTrue(listener.input().port().isTransmitting());
        }
        SteppedListener.awaiting().until(() -> {
            listener.dispatchers().sweep();
            return !listener.input().port().isTransmitting();
        });
    }
}
