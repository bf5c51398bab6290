// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** Peers that are refused, in a listener as NiFi starts it. Lives on the test's thread. */
class RefusalTest {
    private static final int PATIENCE_MILLIS = 20_000;

    @Test
    @DisplayName("a refused handshake is counted by its code, for the metrics of the listener")
    void counted() throws Exception {
        try (MatrixListener listener = MatrixListener.patient(Variant.PLAIN_EPOLL)) {
            listener.input().running(false);
            try (TestPeer peer = listener.connect()) {
                peer.negotiate();
                peer.say(Message.handshake(MatrixListener.INPUT_PORT));
                peer.expect(ResponseCode.PORT_NOT_IN_VALID_STATE);
            }
            try (TestPeer peer = listener.connect()) {
                peer.negotiate();
                peer.say(Message.handshake("nowhere"));
                peer.expect(ResponseCode.UNKNOWN_PORT);
            }
            assertEquals(1, listener.metric("HandshakesRefused_PORT_NOT_IN_VALID_STATE"));
            assertEquals(1, listener.metric("HandshakesRefused_UNKNOWN_PORT"));
            assertEquals(0, listener.metric("HandshakesRefused_UNAUTHORIZED"));
        }
    }

    @Test
    @DisplayName("a peer that has lost its permission takes no place from the others while NiFi is asked")
    void placeAfterPermission() throws Exception {
        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch mayAnswer = new CountDownLatch(1);
        try (MatrixListener listener = MatrixListener.patient(Variant.JDK_TLS_NIO);
                TestPeer peer = listener.connect()) {
            Place.PUSH.reach(peer, listener);
            listener.input().allow(identity -> {
                asked.countDown();
                MatrixListener.awaiting().until(() -> mayAnswer.getCount() == 0);
                return false;
            });
            try {
                peer.push();
                MatrixListener.awaiting().until(() -> asked.getCount() == 0);
                assertEquals(0, listener.metric("TransactionsInProgress"));
            } finally {
                mayAnswer.countDown();
            }
            assertTrue(peer.isEndedWithin(PATIENCE_MILLIS));
            assertEquals(1, listener.faults(ConnectionFault.Kind.NOT_AUTHORIZED));
        }
    }
}
