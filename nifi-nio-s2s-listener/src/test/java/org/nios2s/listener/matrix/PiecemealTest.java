// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/**
 * Peers without TCP_NODELAY, whose next piece stays with them until the one before is acknowledged: it is at once. Lives on the
 * test's thread.
 */
@ParameterizedClass
@EnumSource(Variant.class)
@EnabledOnOs(OS.LINUX)
class PiecemealTest {
    private static final int TRANSACTIONS = 3;
    private static final byte[] CONTENT = new byte[10];
    private static final byte[] PACKET = Message.packet(CONTENT);

    private final Variant variant;
    private MatrixListener listener;
    private TestPeer peer;
    private long acknowledged;

    PiecemealTest(final Variant variant) {
        this.variant = variant;
    }

    @BeforeEach
    void connect() throws Exception {
        listener = new MatrixListener(variant);
        peer = listener.connect();
    }

    @AfterEach
    void leave() throws Exception {
        peer.close();
        listener.close();
    }

    private void open(final String port) throws Exception {
        peer.open(port, listener.properties());
        acknowledged = quickAcks();
    }

    private long quickAcks() throws Exception {
        return listener.metric("QuickAcks");
    }

    private void sayAlone(final byte[] piece) throws Exception {
        peer.say(piece);
        awaitAcknowledgement();
    }

    private void awaitAcknowledgement() {
        acknowledged++;
        MatrixListener.awaiting().until(() -> quickAcks() >= acknowledged);
    }

    private void assertNoFurtherAcknowledgement() throws Exception {
        assertEquals(acknowledged, quickAcks());
    }

    @Test
    @DisplayName("NiFi's client pushes: its request is acknowledged alone, and nothing else")
    void pushAsNifi() throws Exception {
        open(MatrixListener.INPUT_PORT);
        for (int transaction = 0; transaction < TRANSACTIONS; transaction++) {
            sayAlone(Message.utf("SEND_FLOWFILES"));
            peer.say(PACKET, Message.response(ResponseCode.FINISH_TRANSACTION));
            peer.expect(ResponseCode.CONFIRM_TRANSACTION);
            peer.confirm();
            peer.expect(ResponseCode.TRANSACTION_FINISHED);
            assertNoFurtherAcknowledgement();
        }
    }

    @Test
    @DisplayName("MiNiFi pushes: every field but the last of a message is acknowledged")
    void pushAsMinifi() throws Exception {
        open(MatrixListener.INPUT_PORT);
        for (int transaction = 0; transaction < TRANSACTIONS; transaction++) {
            sayAllAlone(split(Message.utf("SEND_FLOWFILES"), Short.BYTES));
            sayAllAlone(split(PACKET, 4, 4, 4, 4, 5, 8));
            peer.say(ResponseCode.FINISH_TRANSACTION);
            peer.expect(ResponseCode.CONFIRM_TRANSACTION);
            sayAlone(ResponseCode.CONFIRM_TRANSACTION.getCodeSequence());
            final List<byte[]> text = split(Message.utf("CONFIRM_TRANSACTION"), Short.BYTES);
            sayAlone(text.getFirst());
            peer.say(text.getLast());
            peer.expect(ResponseCode.TRANSACTION_FINISHED);
            assertNoFurtherAcknowledgement();
        }
    }

    private void sayAllAlone(final List<byte[]> pieces) throws Exception {
        for (final byte[] piece : pieces) {
            sayAlone(piece);
        }
    }

    /** Pieces of these lengths, and what is left. */
    private static List<byte[]> split(final byte[] message, final int... lengths) {
        final List<byte[]> pieces = new ArrayList<>();
        int from = 0;
        for (final int length : lengths) {
            pieces.add(Arrays.copyOfRange(message, from, from + length));
            from += length;
        }
        pieces.add(Arrays.copyOfRange(message, from, message.length));
        return pieces;
    }

    @Test
    @DisplayName("NiFi's client pulls: its last word, which has no answer, is acknowledged, and nothing else")
    void pullAsNifi() throws Exception {
        open(MatrixListener.OUTPUT_PORT);
        for (int transaction = 0; transaction < TRANSACTIONS; transaction++) {
            listener.offer(CONTENT);
            peer.request("RECEIVE_FLOWFILES");
            peer.expect(ResponseCode.MORE_DATA);
            final byte[] packet = listener.readPacket(peer, CONTENT);
            peer.expect(ResponseCode.FINISH_TRANSACTION);
            peer.say(ResponseCode.CONFIRM_TRANSACTION, Message.checksum(packet));
            peer.expect(ResponseCode.CONFIRM_TRANSACTION);
            assertNoFurtherAcknowledgement();
            sayAlone(Message.response(ResponseCode.TRANSACTION_FINISHED));
        }
    }

    @Test
    @DisplayName("a peer whose messages come whole gets its acknowledgements with the answers")
    void wholeMessages() throws Exception {
        open(MatrixListener.INPUT_PORT);
        for (int transaction = 0; transaction < TRANSACTIONS; transaction++) {
            peer.say(Message.utf("SEND_FLOWFILES"), PACKET, Message.response(ResponseCode.FINISH_TRANSACTION));
            peer.expect(ResponseCode.CONFIRM_TRANSACTION);
            peer.confirm();
            peer.expect(ResponseCode.TRANSACTION_FINISHED);
        }
        assertNoFurtherAcknowledgement();
    }

    @Test
    @DisplayName("half a record of TLS, of which nothing can be seen yet, is acknowledged")
    void halfARecord() throws Exception {
        assumeTrue(variant.isSecure());
        open(MatrixListener.INPUT_PORT);
        peer.sayInHalves(
                this::awaitAcknowledgement,
                Message.utf("SEND_FLOWFILES"),
                PACKET,
                Message.response(ResponseCode.FINISH_TRANSACTION));
        peer.expect(ResponseCode.CONFIRM_TRANSACTION);
        assertNoFurtherAcknowledgement();
    }
}
