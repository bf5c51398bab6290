// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.connectable.Port;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** What a handshake asks for and what it is answered. Lives on the test's thread. */
class HandshakeTest extends OnePeer {
    @BeforeEach
    void negotiate() throws Exception {
        peer.negotiate();
    }

    private void assertClosedAsRefused() throws Exception {
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.HANDSHAKE_REFUSED);
    }

    private void assertStaysOpen() throws Exception {
        peer.request("REQUEST_PEER_LIST");
        assertEquals(1, peer.in().readInt());
        listener.assertNoFault();
    }

    @Test
    @DisplayName("all properties that NiFi knows are accepted")
    void allProperties() throws Exception {
        peer.handshake(
                Message.properties(INPUT_PORT, "BATCH_COUNT", "10", "BATCH_SIZE", "1048576", "BATCH_DURATION", "5000"));
        peer.expect(ResponseCode.PROPERTIES_OK);
    }

    @Test
    @DisplayName("a handshake without a port is accepted")
    void noPort() throws Exception {
        peer.handshake(Map.of("GZIP", "true")).expect(ResponseCode.PROPERTIES_OK);
    }

    @Test
    @DisplayName("a handshake with a port and without a request expiration is accepted")
    void noRequestExpiration() throws Exception {
        peer.handshake(Message.properties(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", null))
                .expect(ResponseCode.PROPERTIES_OK);
    }

    @Test
    @DisplayName("a handshake that arrives byte by byte is accepted")
    void byteByByte() throws Exception {
        listener.splitByteByByte();
        peer.handshake(Message.properties(INPUT_PORT)).expect(ResponseCode.PROPERTIES_OK);
    }

    @Test
    @DisplayName("an unknown property is answered with unknown property name, and the connection closes")
    void unknownProperty() throws Exception {
        peer.handshake(Map.of("COLOUR", "blue"));
        peer.expect(ResponseCode.UNKNOWN_PROPERTY_NAME, "Received unknown property: COLOUR");
        assertClosedAsRefused();
    }

    @ParameterizedTest
    @ValueSource(strings = {"REQUEST_EXPIRATION_MILLIS", "BATCH_COUNT", "BATCH_SIZE", "BATCH_DURATION"})
    @DisplayName("a value that is no number is answered with illegal property value, and the connection closes")
    void illegalValue(final String property) throws Exception {
        peer.handshake(Map.of(property, "ten"));
        peer.expect(
                ResponseCode.ILLEGAL_PROPERTY_VALUE,
                "Received invalid value for property '" + property + "'; invalid value: ten");
        assertClosedAsRefused();
    }

    @Test
    @DisplayName("a handshake that does not say GZIP is answered with missing property, and the connection closes")
    void missingGzip() throws Exception {
        peer.handshake(Message.properties(INPUT_PORT, "GZIP", null));
        peer.expect(ResponseCode.MISSING_PROPERTY, "Missing Property GZIP");
        assertClosedAsRefused();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    @DisplayName("no properties at all, or fewer, lack GZIP")
    void noProperties(final int count) throws Exception {
        peer.out().writeUTF(Message.COMMUNICATIONS_ID);
        peer.out().writeUTF(Message.TRANSIT_URI);
        peer.out().writeInt(count);
        peer.expect(ResponseCode.MISSING_PROPERTY, "Missing Property GZIP");
        assertClosedAsRefused();
    }

    @Test
    @DisplayName("a port that is not there is answered with unknown port, and the connection closes")
    void unknownPort() throws Exception {
        peer.handshake(Message.properties("nowhere")).expect(ResponseCode.UNKNOWN_PORT);
        assertClosedAsRefused();
    }

    @Test
    @DisplayName("a port without remote access is answered with unknown port, and the connection closes")
    void localPort() throws Exception {
        final Port local = mock(Port.class);
        when(listener.rootGroup().findInputPort("local")).thenReturn(local);
        peer.handshake(Message.properties("local")).expect(ResponseCode.UNKNOWN_PORT);
        assertClosedAsRefused();
    }

    @Test
    @DisplayName("a peer that may not use the port is answered with unauthorized, and the connection stays")
    void unauthorized() throws Exception {
        listener.input().allow(identity -> false);
        peer.handshake(Message.properties(INPUT_PORT)).expect(ResponseCode.UNAUTHORIZED, "User null is not authorized");
        assertStaysOpen();
    }

    @Test
    @DisplayName("a port that is not valid is answered with port not in valid state, and the connection stays")
    void invalidPort() throws Exception {
        listener.input().valid(false);
        peer.handshake(Message.properties(INPUT_PORT))
                .expect(ResponseCode.PORT_NOT_IN_VALID_STATE, "Port is not valid");
        assertStaysOpen();
    }

    @Test
    @DisplayName("a port that does not run is answered with port not in valid state, and the connection stays")
    void stoppedPort() throws Exception {
        listener.input().running(false);
        peer.handshake(Message.properties(INPUT_PORT)).expect(ResponseCode.PORT_NOT_IN_VALID_STATE, "Port not running");
        assertStaysOpen();
    }

    @Test
    @DisplayName("a port with a full connection is answered with port's destination full, and the connection stays")
    void fullPort() throws Exception {
        listener.input().full(true);
        peer.handshake(Message.properties(INPUT_PORT)).expect(ResponseCode.PORTS_DESTINATION_FULL);
        assertStaysOpen();
    }

    @Test
    @DisplayName("version 1 does not hear of a full connection")
    void fullPortInVersionOne() throws Exception {
        listener.input().full(true);
        try (TestPeer old = listener.connect()) {
            old.magic().protocol(1).expectResource();
            old.say(Message.handshake(1, Message.COMMUNICATIONS_ID, Message.properties(INPUT_PORT)))
                    .expect(ResponseCode.PROPERTIES_OK);
        }
    }

    @Test
    @DisplayName("a negative request expiration closes the connection behind the answer, as a socket does not take it")
    void negativeExpiration() throws Exception {
        peer.handshake(Message.properties(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", "-1"));
        peer.expect(ResponseCode.PROPERTIES_OK);
        assertClosedAsRefused();
    }

    @Test
    @DisplayName("properties beyond all measure close the connection")
    void endlessProperties() throws Exception {
        final String value = "x".repeat(3_000);
        peer.out().writeUTF(Message.COMMUNICATIONS_ID);
        peer.out().writeUTF(Message.TRANSIT_URI);
        peer.out().writeInt(Integer.MAX_VALUE);
        for (final String name : List.of("a", "b", "c", "d", "e")) {
            peer.out().writeUTF(name);
            peer.out().writeUTF(value);
        }
        assertClosedAsRefused();
    }

    @Test
    @DisplayName("a port whose look-up fails closes that connection alone")
    void failingLookUp() throws Exception {
        when(listener.rootGroup().findInputPort(anyString()))
                .thenThrow(new IllegalStateException("The flow is loading"));
        peer.handshake(Message.properties(INPUT_PORT)).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.INTERNAL);
        try (TestPeer other = listener.connect()) {
            other.shakeHands(Map.of("GZIP", "false"));
        }
    }

    @Test
    @DisplayName("a peer that leaves while its handshake is checked leaves nothing behind")
    void leavesDuringCheck() throws Exception {
        peer.handshake(Message.properties(INPUT_PORT)).flush();
        peer.reset();
        listener.awaitNoConnections();
        assertEquals(0, listener.dispatchers().waiting());
    }

    @Test
    @DisplayName("for peers that have left before their handshake is checked NiFi is not asked")
    void leavesBeforeCheck() throws Exception {
        final AtomicInteger asked = new AtomicInteger();
        final CountDownLatch mayAnswer = new CountDownLatch(1);
        when(listener.rootGroup().findInputPort("slow")).thenAnswer(invocation -> {
            asked.incrementAndGet();
            SteppedListener.awaiting().until(() -> mayAnswer.getCount() == 0);
            return null;
        });
        final Map<String, String> properties = Message.properties("slow");
        final List<TestPeer> staying = new ArrayList<>();
        for (int i = 0; i < SteppedListener.BLOCKING_THREADS; i++) {
            staying.add(listener.connect());
        }
        for (final TestPeer each : staying) {
            each.magic().protocol(Message.NEWEST_VERSION).handshake(properties).flush();
        }
        SteppedListener.awaiting().until(() -> asked.get() == staying.size());
        for (int i = 0; i < 10; i++) {
            final TestPeer quitter = listener.connect();
            quitter.magic()
                    .protocol(Message.NEWEST_VERSION)
                    .handshake(properties)
                    .flush();
            listener.awaitStep("ValidateHandshakeStep");
            quitter.reset();
        }
        SteppedListener.awaiting().until(() -> listener.metrics().openConnections() == 1 + staying.size());
        peer.handshake(properties).flush();
        mayAnswer.countDown();
        peer.expect(ResponseCode.UNKNOWN_PORT);
        assertEquals(staying.size() + 1, asked.get());
        for (final TestPeer each : staying) {
            each.close();
        }
    }
}
