// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.peers.TestPeer;

/** Behind its TLS handshake a peer sends what is no TLS, nothing but TLS, or the end of it. Lives on the test's thread. */
class BrokenRecordTest {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int RENEWALS = 20_000;

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL_EPOLL", "JDK_TLS_NIO"})
    @DisplayName("a record that is none closes the connection, as a fault of the peer's TLS and not of ours")
    void noRecord(final Variant variant) throws Exception {
        try (MatrixListener listener = new MatrixListener(variant);
                TestPeer peer = listener.connect()) {
            Place.PUSH.reach(peer, listener);
            peer.sayBelowTls(new byte[100]);
            assertTrue(peer.isEndedWithin(PATIENCE_MILLIS));
            listener.awaitNoConnection();
            assertEquals(1, listener.faults(ConnectionFault.Kind.TLS));
            assertEquals(0, listener.internalFaults());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL_EPOLL", "JDK_TLS_EPOLL", "JDK_TLS_NIO"})
    @DisplayName(
            "new keys again and again, and nothing said with them, end the connection before they keep a worker busy")
    void nothingButNewKeys(final Variant variant) throws Exception {
        try (MatrixListener listener = new MatrixListener(variant);
                TestPeer peer = listener.connect()) {
            Place.PUSH.reach(peer, listener);
            renewKeys(peer);
            listener.awaitNoConnection();
            assertEquals(1, listener.faults(ConnectionFault.Kind.TLS));
            assertEquals(0, listener.internalFaults());
        }
    }

    private static void renewKeys(final TestPeer peer) {
        try {
            peer.renewKeys(RENEWALS);
        } catch (final IOException e) {
            // As it should be; why, the listener's faults say.
            return;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL_EPOLL", "BORINGSSL_NIO", "JDK_TLS_EPOLL", "JDK_TLS_NIO"})
    @DisplayName(
            "an end of TLS that is read together with a message ends the connection, though a pull is to be answered")
    void endBehindMessage(final Variant variant) throws Exception {
        try (MatrixListener listener = new MatrixListener(variant);
                TestPeer peer = listener.connect()) {
            Place.PULL_SESSION.reach(peer, listener);
            peer.holdBack();
            peer.say(new byte[1]);
            peer.halfClose();
            listener.output().scheduled(true);
            assertTrue(peer.isEndedWithin(PATIENCE_MILLIS));
            peer.leave();
            listener.awaitNoConnection();
            listener.awaitAsBefore();
            assertEquals(0, listener.internalFaults());
        }
    }
}
