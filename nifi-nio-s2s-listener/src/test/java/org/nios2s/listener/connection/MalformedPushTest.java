// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.peers.TestPeer;

/** A peer pushes what is no packet: it alone is closed, and it costs no memory. Lives on the test's thread. */
class MalformedPushTest {
    private SteppedListener listener;
    private TestPeer peer;
    private TestPeer bystander;

    @BeforeEach
    void start() throws Exception {
        listener = new SteppedListener();
        bystander = listener.connect().open(INPUT_PORT);
        peer = listener.connect().open(INPUT_PORT).push();
    }

    @AfterEach
    void stop() throws Exception {
        bystander.pushPacket("untouched").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        assertEquals(1, listener.input().committed().size());
        peer.close();
        bystander.close();
        listener.close();
    }

    private void assertClosedAsMalformed() throws Exception {
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PROTOCOL_ERROR);
        listener.awaitNothingHeld();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 25_001, Integer.MAX_VALUE, Integer.MIN_VALUE})
    @DisplayName("a number of attributes beyond 25,000 or below 0 closes the connection")
    void attributeCount(final int count) throws Exception {
        peer.out().writeInt(count);
        assertClosedAsMalformed();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    @DisplayName("an attribute name of an absurd length closes the connection as soon as it is claimed")
    void nameLength(final int length) throws Exception {
        peer.out().writeInt(1);
        peer.out().writeInt(length);
        assertClosedAsMalformed();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    @DisplayName("an attribute value of an absurd length closes the connection as soon as it is claimed")
    void valueLength(final int length) throws Exception {
        peer.out().writeInt(1);
        peer.out().writeInt(1);
        peer.out().write('k');
        peer.out().writeInt(length);
        assertClosedAsMalformed();
    }

    @Test
    @DisplayName("a claimed content of an exabyte takes the memory of what has arrived")
    void contentLength() throws Exception {
        listener.input().scheduled(false);
        peer.out().writeInt(0);
        peer.out().writeLong(Long.MAX_VALUE);
        peer.say(new byte[100]).flush();
        listener.awaitStep("AwaitSessionStep");
        listener.input().scheduled(true);
        listener.awaitStep("ReceivePacketStep");
        assertEquals(0, (listener.budget().peakSinceLastCall() - MemoryBudget.SMALL_BYTES) / 4096);
        peer.reset();
        listener.awaitFault(ConnectionFault.Kind.CONNECTION_LOST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "RX", "    "})
    @DisplayName("garbage behind a packet closes the connection")
    void garbageBehindPacket(final String garbage) throws Exception {
        peer.packet(Map.of(), new byte[10]).say(garbage.getBytes(StandardCharsets.US_ASCII));
        assertClosedAsMalformed();
    }

    @Test
    @DisplayName("an unknown response code closes the connection")
    void unknownCode() throws Exception {
        peer.packet(Map.of(), new byte[10]).say(new byte[] {(byte) 'R', (byte) 'C', (byte) 99});
        assertClosedAsMalformed();
    }

    @Test
    @DisplayName("garbage in place of a confirmation closes the connection")
    void garbageConfirmation() throws Exception {
        peer.packet(Map.of(), new byte[10]).say(ResponseCode.FINISH_TRANSACTION).expectConfirmation();
        peer.say("garbage".getBytes(StandardCharsets.US_ASCII));
        assertClosedAsMalformed();
    }

    @Test
    @DisplayName("a compressed packet that does not start with SYNC closes the connection")
    void noSync() throws Exception {
        try (TestPeer compressing =
                listener.connect().open(INPUT_PORT, "GZIP", "true").push()) {
            compressing.say("SINC".getBytes(StandardCharsets.US_ASCII)).expectEnd();
            listener.awaitFault(ConnectionFault.Kind.PROTOCOL_ERROR);
        }
    }

    @Test
    @DisplayName("compressed bytes that are no zlib close the connection")
    void noZlib() throws Exception {
        try (TestPeer compressing =
                listener.connect().open(INPUT_PORT, "GZIP", "true").push()) {
            compressing.say("SYNC".getBytes(StandardCharsets.US_ASCII));
            compressing.out().writeInt(100);
            compressing.out().writeInt(8);
            compressing.say("no zlib!".getBytes(StandardCharsets.US_ASCII)).expectEnd();
            listener.awaitFault(ConnectionFault.Kind.PROTOCOL_ERROR);
        }
    }

    @Test
    @DisplayName("compressed lengths below zero close the connection")
    void negativeChunk() throws Exception {
        try (TestPeer compressing =
                listener.connect().open(INPUT_PORT, "GZIP", "true").push()) {
            compressing.say("SYNC".getBytes(StandardCharsets.US_ASCII));
            compressing.out().writeInt(-1);
            compressing.out().writeInt(-1);
            compressing.expectEnd();
            listener.awaitFault(ConnectionFault.Kind.PROTOCOL_ERROR);
        }
    }
}
