// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** How a conversation opens: magic and protocol version. Lives on the test's thread. */
class OpeningTest extends OnePeer {
    @Test
    @DisplayName("the magic bytes are answered with silence, and the protocol is awaited")
    void magic() throws Exception {
        peer.magic().flush();
        listener.awaitStep("NegotiateProtocolStep");
        listener.assertNoFault();
    }

    @Test
    @DisplayName("magic bytes that arrive one by one are the magic bytes")
    void splitMagic() throws Exception {
        listener.splitByteByByte();
        peer.magic().protocol(6).expectResource();
    }

    @ParameterizedTest
    @ValueSource(strings = {"NiFI", "GET / HTTP/1.1\r\n\r\n", "    "})
    @DisplayName("other bytes than the magic ones close the connection without an answer")
    void wrongMagic(final String bytes) throws Exception {
        peer.say(bytes.getBytes(StandardCharsets.US_ASCII)).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.WRONG_MAGIC);
    }

    @Test
    @DisplayName("two letters are not enough to tell the magic bytes")
    void incompleteMagic() throws Exception {
        peer.say(new byte[] {(byte) 'N', (byte) 'i'}).halfClose().expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PEER_CLOSED);
    }

    @Test
    @DisplayName("a health check, which connects and leaves without a word, is no fault")
    void nothingSaid() throws Exception {
        listener.awaitStep("MagicStep");
        peer.close();
        listener.awaitNoConnections();
        listener.assertNoFault();
    }

    @Test
    @DisplayName("nor is one that resets its connection")
    void nothingSaidBeforeReset() throws Exception {
        listener.awaitStep("MagicStep");
        peer.reset();
        listener.awaitNoConnections();
        listener.assertNoFault();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    @DisplayName("a protocol version from 1 to 6 is agreed on as asked")
    void supportedVersion(final int version) throws Exception {
        peer.magic().protocol(version).expectResource();
        peer.say(Message.handshake(version, Message.COMMUNICATIONS_ID, Message.properties(INPUT_PORT)))
                .expect(ResponseCode.PROPERTIES_OK);
    }

    @ParameterizedTest
    @CsvSource({"7, 6", "8, 6", "2147483647, 6"})
    @DisplayName("a version above 6 is answered with 6, and the peer may ask again")
    void newerVersion(final int asked, final int preferred) throws Exception {
        peer.magic().protocol(asked).expectByte(TestPeer.DIFFERENT_VERSION);
        assertEquals(preferred, peer.in().readInt());
        peer.protocol(preferred).expectResource();
    }

    @Test
    @DisplayName("a peer that asks for its second choice before it is answered is answered twice")
    void hastyVersions() throws Exception {
        peer.magic().protocol(7).protocol(6).expectByte(TestPeer.DIFFERENT_VERSION);
        assertEquals(6, peer.in().readInt());
        peer.expectResource();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    @DisplayName("a version below 1 is answered with abort, and the connection closes")
    void olderVersion(final int asked) throws Exception {
        peer.magic().protocol(asked).expectByte(TestPeer.ABORT).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNKNOWN_PROTOCOL);
    }

    @Test
    @DisplayName("a protocol of another name closes the connection without an answer")
    void unknownProtocol() throws Exception {
        peer.magic().say(Message.resource("HttpFlowFileProtocol", 1)).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNKNOWN_PROTOCOL);
    }

    @Test
    @DisplayName("a protocol name that is no modified UTF-8 closes the connection")
    void garbledProtocol() throws Exception {
        peer.magic()
                .say(new byte[] {(byte) 0, (byte) 2, (byte) 0xFF, (byte) 0xFF, (byte) 0, (byte) 0, (byte) 0, (byte) 6});
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PROTOCOL_ERROR);
    }

    @Test
    @DisplayName("a peer that says nothing for the handshake timeout is closed")
    void silentFromTheStart() throws Exception {
        listener.awaitStep("MagicStep");
        listener.checkDeadlinesAfter(Duration.ofSeconds(29));
        listener.assertNoFault();
        listener.checkDeadlinesAfter(Duration.ofSeconds(31));
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.HANDSHAKE_TIMEOUT);
    }

    @Test
    @DisplayName("the handshake timeout runs from accept, however often the peer says something")
    void slowHandshake() throws Exception {
        peer.magic().protocol(6).expectResource();
        listener.awaitStep("HandshakeStep");
        listener.checkDeadlinesAfter(Duration.ofSeconds(31));
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.HANDSHAKE_TIMEOUT);
    }
}
