// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/**
 * Peers that speak nonsense, and peers that leave: their connection is closed, a bystander in the middle of a
 * transaction notices nothing, and the log has no more than one line a minute for each cause.
 * Runs on the thread of the tests against the shared NiFi.
 */
@ResourceLock(SharedNifi.Lock.NIO)
class BadInputIT {

    private static final int MANY = 20;
    private static final String PACKET_ID = "packet.id";
    private static final String LEFT = "left";
    private static final String STAYED = "stayed";
    private static final byte[] CONTENT = {1, 2, 3};

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static NifiNode nifi;
    private static TestPeer bystander;

    @BeforeAll
    static void start() throws IOException {
        nifi = SharedNifi.NIO.get();
        bystander = atInput();
        bystander.push();
    }

    @AfterEach
    void theBystanderNoticesNothing() throws IOException {
        bystander.packet(Map.of(), CONTENT);
        bystander.say(ResponseCode.CONTINUE_TRANSACTION);
        try (TestPeer newcomer = atInput()) {
            assertEquals(ResponseCode.TRANSACTION_FINISHED, newcomer.push(Map.of(), CONTENT));
        }
    }

    @AfterAll
    static void theBystandersTransactionIsWhole() throws IOException {
        bystander.packet(Map.of(), CONTENT);
        assertEquals(ResponseCode.TRANSACTION_FINISHED, bystander.finishPush());
        bystander.close();
        noCauseIsLoggedMoreThanOnceAMinute();
    }

    @ParameterizedTest
    @ValueSource(strings = {"NiFo", "GET / HTTP/1.1\r\n\r\n", "\u0016\u0003\u0001\u0002\u0000\u0001"})
    void aWrongMagicIsCutOff(final String magic) throws IOException {
        for (int peer = 0; peer < MANY; peer++) {
            try (TestPeer stranger = Peers.connect(nifi)) {
                stranger.say(magic.getBytes(StandardCharsets.ISO_8859_1));
                assertTrue(stranger.isEnded());
            }
        }
    }

    @Test
    void garbageBehindAPacketIsCutOff() throws IOException {
        for (int peer = 0; peer < MANY; peer++) {
            try (TestPeer stranger = atInput()) {
                stranger.push();
                stranger.packet(Map.of(), CONTENT);
                stranger.say(new byte[] {'X', 'Y', 'Z'});
                assertTrue(stranger.isEnded());
            }
        }
    }

    /** How far a peer comes before it leaves. */
    private enum Leaving {
        AT_ONCE,
        IN_THE_MAGIC,
        AFTER_THE_MAGIC,
        IN_THE_HANDSHAKE,
        AFTER_THE_HANDSHAKE,
        AFTER_THE_CODEC,
        AFTER_THE_REQUEST,
        IN_A_PACKET,
        BEHIND_A_PACKET,
        BEFORE_IT_CONFIRMS
    }

    @ParameterizedTest
    @EnumSource
    void aPeerThatLeavesHarmsNobodyAndLeavesNoFlowFile(final Leaving leaving) throws IOException {
        final Path ids = nifi.keepPacketIds("left-" + leaving);
        for (int peer = 0; peer < MANY; peer++) {
            try (TestPeer leaver = Peers.connect(nifi)) {
                walk(leaver, leaving);
            }
        }
        try (TestPeer newcomer = atInput()) {
            assertEquals(ResponseCode.TRANSACTION_FINISHED, newcomer.push(Map.of(PACKET_ID, STAYED), CONTENT));
        }
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> Files.exists(ids) && Files.readAllLines(ids).contains(STAYED));
        assertFalse(Files.readAllLines(ids).contains(LEFT));
        nifi.dropPacketIds();
    }

    private static void walk(final TestPeer peer, final Leaving leaving) throws IOException {
        switch (leaving) {
            case AT_ONCE -> {}
            case IN_THE_MAGIC -> peer.say(new byte[] {'N', 'i'});
            case AFTER_THE_MAGIC -> peer.magic();
            case IN_THE_HANDSHAKE -> {
                peer.negotiate();
                peer.say(new byte[] {0, 9, 'x'});
            }
            default -> walkOn(peer, leaving);
        }
    }

    private static void walkOn(final TestPeer peer, final Leaving leaving) throws IOException {
        peer.negotiate();
        peer.handshake(Message.properties(nifi.portId("input"))).response();
        if (leaving == Leaving.AFTER_THE_HANDSHAKE) {
            return;
        }
        peer.negotiateCodec();
        if (leaving == Leaving.AFTER_THE_CODEC) {
            return;
        }
        peer.push();
        if (leaving == Leaving.AFTER_THE_REQUEST) {
            return;
        }
        if (leaving == Leaving.IN_A_PACKET) {
            peer.say(new byte[] {0, 0, 0, 1, 0, 0});
            return;
        }
        peer.packet(Map.of(PACKET_ID, LEFT), CONTENT);
        if (leaving == Leaving.BEHIND_A_PACKET) {
            return;
        }
        peer.say(ResponseCode.FINISH_TRANSACTION);
        peer.response();
    }

    private static TestPeer atInput() throws IOException {
        return Peers.atPort(nifi, nifi.portId("input"));
    }

    private static void noCauseIsLoggedMoreThanOnceAMinute() {
        final Map<String, LocalDateTime> last = new TreeMap<>();
        final List<String> tooSoon = new ArrayList<>();
        for (final FaultLine line : FaultLine.of(nifi.log())) {
            final LocalDateTime before = last.put(line.kind(), line.time());
            if (before != null && Duration.between(before, line.time()).compareTo(FaultLine.INTERVAL) < 0) {
                tooSoon.add(line.text());
            }
        }
        assertTrue(last.containsKey("WRONG_MAGIC"), () -> "the causes that were logged are " + last.keySet());
        assertEquals(List.of(), tooSoon);
    }
}
