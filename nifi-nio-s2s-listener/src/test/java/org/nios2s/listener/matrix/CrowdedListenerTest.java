// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.peers.TestPeer;

/** Newcomers find as many connections as there may be. Lives on the test's thread. */
@Timeout(120)
class CrowdedListenerTest {
    private static final int MOST = 200;
    private static final int NEWCOMERS = 400;

    @ParameterizedTest
    @EnumSource(names = {"PLAIN_EPOLL", "PLAIN_NIO"})
    @DisplayName("each newcomer is served while half of the connections are idle, and none that is busy is cut off")
    void newcomers(final Variant variant) throws Exception {
        final List<TestPeer> peers = new ArrayList<>();
        try (MatrixListener listener = MatrixListener.patient(variant, "connections.max", String.valueOf(MOST))) {
            final List<TestPeer> busy = new ArrayList<>();
            for (int i = 0; i < MOST / 2; i++) {
                final TestPeer pushing = listener.connect();
                busy.add(pushing);
                Place.CONTENT.reach(pushing, listener);
                final TestPeer idle = listener.connect();
                peers.add(idle);
                Place.PUSH.reach(idle, listener);
            }
            for (int i = 0; i < NEWCOMERS; i++) {
                final TestPeer newcomer = listener.connect();
                peers.add(newcomer);
                Place.CONTENT.reach(newcomer, listener);
                finish(newcomer);
            }
            for (final TestPeer pushing : busy) {
                finish(pushing);
                pushing.close();
            }
            assertEquals(MOST / 2 + NEWCOMERS, listener.input().commits());
            assertEquals(NEWCOMERS, listener.faults(ConnectionFault.Kind.TOO_MANY_CONNECTIONS), "those that gave way");
            assertEquals(NEWCOMERS, listener.metric("Faults"));
        } finally {
            for (final TestPeer peer : peers) {
                peer.close();
            }
        }
    }

    private static void finish(final TestPeer peer) throws Exception {
        peer.say(Place.Size.SMALL_CONTENT);
        assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.finishPush());
    }
}
