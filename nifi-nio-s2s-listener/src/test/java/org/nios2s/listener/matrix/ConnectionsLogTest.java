// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.access.AccessLines;
import org.nios2s.peers.TestPeer;

/** How a connection is told of, whatever serves it. Lives on the test's thread. */
class ConnectionsLogTest {
    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL_EPOLL", "JDK_TLS_NIO"})
    @DisplayName("over TLS the line has the identity, the protocol and the suite")
    void secure(final Variant variant) throws Exception {
        try (AccessLines log = new AccessLines("Connections", Level.DEBUG);
                MatrixListener listener = MatrixListener.patient(variant)) {
            try (TestPeer peer = listener.connect()) {
                Place.REQUEST.reach(peer, listener);
                MatrixListener.awaiting().until(() -> log.lines().size() == 1);
            }
            final String line = log.lines().get(0);
            assertTrue(line.startsWith("Peer 127.0.0.1 (OU=Tests, CN=matrix): connected to port "), line);
            assertTrue(line.matches(".*: version 6, TLSv1\\.3 TLS_[A-Z0-9_]+"), line);
            listener.awaitAsBefore();
            assertEquals(1, log.lines().size());
        }
    }
}
