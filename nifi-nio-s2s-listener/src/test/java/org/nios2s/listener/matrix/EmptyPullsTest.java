// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import java.util.List;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.peers.LogLines;
import org.nios2s.peers.TestPeer;

/** A peer that asks an empty queue again and again. Lives on the test's thread. */
class EmptyPullsTest {
    private static final int PULLS = 1_000;

    @ParameterizedTest
    @EnumSource(names = {"PLAIN_EPOLL", "JDK_TLS_NIO"})
    @DisplayName("1,000 pulls of an empty queue are answered and leave no line in the log")
    void noLine(final Variant variant) throws Exception {
        try (MatrixListener listener = new MatrixListener(variant);
                TestPeer peer = listener.connect()) {
            peer.open(MatrixListener.OUTPUT_PORT, listener.properties());
            try (LogLines log = new LogLines("org.nios2s.listener", Level.INFO)) {
                for (int pull = 0; pull < PULLS; pull++) {
                    peer.request("RECEIVE_FLOWFILES");
                    peer.expect(ResponseCode.NO_MORE_DATA);
                }
                assertEquals(PULLS, listener.metric("PullsEmpty"));
                assertEquals(List.of(), log.lines());
            }
        }
    }
}
