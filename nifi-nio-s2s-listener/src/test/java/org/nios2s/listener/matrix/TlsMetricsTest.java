// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.peers.TestPeer;

/** What is counted of TLS handshakes, whatever does their arithmetic. Lives on the test's thread. */
class TlsMetricsTest {
    private static final int PEERS = 4;

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL_EPOLL", "JDK_TLS_NIO"})
    void allButTheFirstHandshakeOfAClientAreResumptions(final Variant variant) throws Exception {
        try (MatrixListener listener = new MatrixListener(variant)) {
            for (int peers = 1; peers <= PEERS; peers++) {
                try (TestPeer peer = listener.connect()) {
                    Place.REQUEST.reach(peer, listener);
                }
                assertEquals(peers, listener.metric("TlsHandshakes"));
                assertEquals(peers - 1, listener.metric("TlsResumptions"));
            }
            listener.awaitAsBefore();
        }
    }
}
