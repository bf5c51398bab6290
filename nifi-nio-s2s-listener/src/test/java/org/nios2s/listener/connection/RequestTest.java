// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.remote.PortAuthorizationResult;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** What a peer may ask for behind its handshake, and in which order. Lives on the test's thread. */
class RequestTest extends OnePeer {
    private static final Map<String, String> NO_PORT = Message.properties(null);

    @Test
    @DisplayName("the codec of NiFi is agreed on, again and again")
    void codec() throws Exception {
        peer.shakeHands(INPUT_PORT);
        peer.negotiateCodec();
        peer.negotiateCodec();
        listener.assertNoFault();
    }

    @Test
    @DisplayName("a peer that asks faster than it is answered lets others have their turn, and waits a moment itself")
    void takesTurns() throws Exception {
        final int requests = 1_000;
        peer.shakeHands(INPUT_PORT);
        for (int i = 0; i < requests; i++) {
            peer.codec();
        }
        listener.watchTurns(requests);
        final long asked = System.nanoTime();
        peer.flush();
        assertEquals(requests, peer.in().readNBytes(requests).length);
        assertTrue(listener.mostInATurn() < 100, () -> listener.mostInATurn() + " answers in a turn");
        assertTrue(System.nanoTime() - asked > Duration.ofSeconds(1).toNanos(), "answered without a pause");
        listener.assertNoFault();
    }

    @Test
    @DisplayName("peers that ask without end and read nothing hold no more memory than there is")
    void memoryBesideTransactions() throws Exception {
        final List<TestPeer> hasty = new ArrayList<>();
        try (SteppedListener narrow = new SteppedListener("buffer.memory", "1 MB")) {
            for (int i = 0; i < 40; i++) {
                final TestPeer one = narrow.connect().shakeHands(INPUT_PORT);
                hasty.add(one);
                for (int j = 0; j < 5_000; j++) {
                    one.codec();
                }
            }
            final int before = narrow.flushes();
            // Each of them is read as long as the listener can use more.
            hasty.forEach(one -> Thread.ofVirtual().start(() -> {
                try {
                    one.flush();
                } catch (final IOException e) {
                    // It is closed before it has said all.
                }
            }));
            SteppedListener.awaiting().until(() -> narrow.flushes() - before > 10 * hasty.size());
            final long most = narrow.budget().peakSinceLastCall();
            assertTrue(most < narrow.budget().limit() * 9 / 8, most + " bytes held");
            try (TestPeer honest = narrow.connect().open(INPUT_PORT)) {
                honest.pushPacket("x".repeat(20_000)).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            }
            narrow.assertNoFault();
            for (final TestPeer one : hasty) {
                one.close();
            }
        }
    }

    @Test
    @DisplayName("who stops in the middle of a negotiation gives way when there are too many connections")
    void silentNegotiation() throws Exception {
        try (SteppedListener narrow = new SteppedListener("connections.max", "1");
                TestPeer silent = narrow.connect().shakeHands(INPUT_PORT)) {
            silent.request("NEGOTIATE_FLOWFILE_CODEC").flush();
            narrow.awaitStep("NegotiateCodecStep");
            try (TestPeer next = narrow.connect().open(INPUT_PORT)) {
                next.pushPacket("next").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            }
            silent.expectEnd();
            narrow.awaitFault(ConnectionFault.Kind.TOO_MANY_CONNECTIONS);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("what was answered before the end is read before the end, however late the peer reads it")
    void answersBeforeTheEnd(final boolean endsOutput) throws Exception {
        final int requests = 50;
        peer.open(INPUT_PORT);
        listener.holdAnswers();
        for (int i = 0; i < requests; i++) {
            peer.codec();
        }
        peer.request("SHUTDOWN").flush();
        if (endsOutput) {
            peer.halfClose();
        }
        listener.awaitStep("ClosingStep");
        listener.releaseAnswers();
        assertEquals(requests, peer.in().readAllBytes().length);
        listener.assertNoFault();
    }

    @Test
    @DisplayName("the answers to requests that arrive together leave together")
    void answersLeaveTogether() throws Exception {
        final int requests = 20;
        peer.shakeHands(INPUT_PORT);
        final int before = peer.out().size();
        for (int i = 0; i < requests; i++) {
            peer.codec();
        }
        listener.gather(peer.out().size() - before);
        final int flushes = listener.flushes();
        assertEquals(requests, peer.in().readNBytes(requests).length);
        assertEquals(1, listener.flushes() - flushes);
        listener.assertNoFault();
    }

    @ParameterizedTest
    @CsvSource({"StandardFlowFileCodec, 2", "StandardFlowFileCodec, 0", "OtherCodec, 1"})
    @DisplayName("another codec, or another version of it, closes the connection")
    void unknownCodec(final String name, final int version) throws Exception {
        peer.shakeHands(INPUT_PORT);
        peer.request("NEGOTIATE_FLOWFILE_CODEC")
                .say(Message.resource(name, version))
                .expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNKNOWN_CODEC);
    }

    @Test
    @DisplayName("without a port the codec is refused with an explanation, once, and the peer may ask again")
    void codecWithoutPort() throws Exception {
        peer.shakeHands(NO_PORT);
        peer.codec().expectByte(TestPeer.ABORT);
        assertEquals(
                "Cannot transfer FlowFiles because no port was specified",
                peer.in().readUTF());
        peer.say(Message.codec()).expectResource();
        listener.assertNoFault();
    }

    @Test
    @DisplayName("a codec that was proposed again before the refusal was read is agreed on")
    void hastyCodecs() throws Exception {
        peer.shakeHands(NO_PORT);
        peer.codec().say(Message.codec()).expectByte(TestPeer.ABORT);
        peer.in().readUTF();
        peer.expectResource();
    }

    @Test
    @DisplayName("the peer list of a standalone NiFi is itself, with nothing queued")
    void peerList() throws Exception {
        peer.shakeHands(NO_PORT).request("REQUEST_PEER_LIST");
        assertEquals(List.of("nifi.example:" + listener.address().getPort() + " false 0"), peer.peerList());
    }

    @Test
    @DisplayName("shutdown ends the connection and is no fault")
    void shutdown() throws Exception {
        peer.open(INPUT_PORT).request("SHUTDOWN").expectEnd();
        peer.close();
        listener.awaitNoConnections();
        listener.assertNoFault();
    }

    @Test
    @DisplayName("a peer that sends on behind its shutdown is not listened to, and closed before long")
    void talkativeShutdown() throws Exception {
        peer.open(INPUT_PORT).request("SHUTDOWN").request("REQUEST_PEER_LIST").expectEnd();
        listener.checkDeadlinesAfter(Duration.ofSeconds(3));
        listener.awaitNoConnections();
        listener.assertNoFault();
    }

    @Test
    @DisplayName("leaving between requests is no fault")
    void leavesBetweenRequests() throws Exception {
        peer.open(INPUT_PORT).close();
        listener.awaitNoConnections();
        listener.assertNoFault();
    }

    @ParameterizedTest
    @ValueSource(strings = {"STEAL_FLOWFILES", "send_flowfiles", ""})
    @DisplayName("an unknown request closes the connection")
    void unknownRequest(final String request) throws Exception {
        peer.open(INPUT_PORT).request(request).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNKNOWN_REQUEST);
    }

    @Test
    @DisplayName("pushing without a port in the handshake closes the connection")
    void pushWithoutPort() throws Exception {
        peer.shakeHands(NO_PORT).push().expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNEXPECTED_REQUEST);
    }

    @Test
    @DisplayName("pushing before a codec was agreed on closes the connection")
    void pushBeforeCodec() throws Exception {
        peer.shakeHands(INPUT_PORT).push().expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNEXPECTED_REQUEST);
    }

    @Test
    @DisplayName("pulling from an input port closes the connection")
    void pullFromInputPort() throws Exception {
        peer.open(INPUT_PORT).request("RECEIVE_FLOWFILES").expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNEXPECTED_REQUEST);
    }

    @Test
    @DisplayName("pushing to an output port closes the connection")
    void pushToOutputPort() throws Exception {
        final PublicPort output = mock(PublicPort.class);
        final PortAuthorizationResult authorized = mock(PortAuthorizationResult.class);
        when(authorized.isAuthorized()).thenReturn(true);
        when(output.checkUserAuthorization((String) null)).thenReturn(authorized);
        when(output.isValid()).thenReturn(true);
        when(output.isRunning()).thenReturn(true);
        when(output.getConnectableType()).thenReturn(ConnectableType.OUTPUT_PORT);
        when(listener.rootGroup().findOutputPort(SteppedListener.OUTPUT_PORT)).thenReturn(output);
        peer.open(SteppedListener.OUTPUT_PORT).push().expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNEXPECTED_REQUEST);
    }

    @Test
    @DisplayName("pushing to a port that was stopped since the handshake closes the connection")
    void pushToStoppedPort() throws Exception {
        peer.open(INPUT_PORT);
        listener.input().running(false);
        peer.push().expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PORT_NOT_RUNNING);
    }

    @Test
    @DisplayName("a peer may be silent between requests for twice its request expiration")
    void silentBetweenRequests() throws Exception {
        peer.open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", "10000");
        listener.awaitStep("RequestStep");
        listener.checkDeadlinesAfter(Duration.ofSeconds(19));
        listener.assertNoFault();
        listener.checkDeadlinesAfter(Duration.ofSeconds(21));
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.IDLE_TIMEOUT);
    }

    @Test
    @DisplayName("a request whose name comes in two parts, a request expiration apart, is understood")
    void nameInTwoParts() throws Exception {
        final byte[] name = "NEGOTIATE_FLOWFILE_CODEC".getBytes(StandardCharsets.UTF_8);
        final int half = name.length / 2;
        peer.open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", "10000");
        peer.say(new byte[] {0, (byte) name.length})
                .say(Arrays.copyOf(name, half))
                .flush();
        SteppedListener.awaiting().until(() -> listener.budget().used() >= half);
        listener.checkDeadlinesAfter(Duration.ofSeconds(15));
        peer.say(Arrays.copyOfRange(name, half, name.length))
                .say(Message.codec())
                .expectResource();
        listener.assertNoFault();
    }

    @Test
    @DisplayName("of a request expiration only what fits into an int counts")
    void expirationBeyondInt() throws Exception {
        peer.open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", String.valueOf((1L << Integer.SIZE) + 10_000));
        listener.awaitStep("RequestStep");
        listener.checkDeadlinesAfter(Duration.ofSeconds(19));
        listener.assertNoFault();
        listener.checkDeadlinesAfter(Duration.ofSeconds(21));
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.IDLE_TIMEOUT);
    }

    @Test
    @DisplayName("without a request expiration a peer may be silent for ever")
    void neverExpires() throws Exception {
        peer.open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", "0");
        listener.awaitStep("RequestStep");
        listener.checkDeadlinesAfter(Duration.ofDays(365));
        listener.assertNoFault();
        peer.negotiateCodec();
    }

    @Test
    @DisplayName("a stopped port does not cut off a peer between requests, and serves it when it runs again")
    void portStoppedBetweenRequests() throws Exception {
        peer.open(INPUT_PORT);
        listener.input().running(false);
        listener.checkDeadlinesAfter(Duration.ZERO);
        listener.input().running(true);
        peer.pushPacket("again").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        listener.assertNoFault();
    }
}
