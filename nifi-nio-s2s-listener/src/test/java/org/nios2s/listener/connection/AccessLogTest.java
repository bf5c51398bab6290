// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import ch.qos.logback.classic.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.listener.access.AccessLines;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** What the log tells of pushes and of connections, where it is asked to; of pulls PullTest tells. Lives on the test's thread. */
@Timeout(60)
class AccessLogTest {
    private static final int STREAMED_BYTES = 5_000_000;

    @Test
    @DisplayName("a connection is told of when its handshake is over, once")
    void connection() throws Exception {
        try (AccessLines log = new AccessLines("Connections", Level.DEBUG);
                SteppedListener listener = new SteppedListener();
                TestPeer peer = listener.connect()) {
            peer.open(INPUT_PORT);
            peer.pushPacket("abc").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            assertEquals(1, log.lines().size());
            final String line = log.lines().get(0);
            assertTrue(line.startsWith("Peer 127.0.0.1: connected to port "), line);
            assertTrue(line.endsWith(": version 6, plain TCP"), line);
        }
    }

    @Test
    @DisplayName("a peer that is refused, and stays connected, is told of as no access")
    void refused() throws Exception {
        try (AccessLines log = new AccessLines("Connections", Level.DEBUG);
                SteppedListener listener = new SteppedListener()) {
            listener.input().running(false);
            assertRefused(listener, ResponseCode.PORT_NOT_IN_VALID_STATE);
            listener.input().running(true);
            listener.input().full(true);
            assertRefused(listener, ResponseCode.PORTS_DESTINATION_FULL);
            listener.input().allow(identity -> false);
            assertRefused(listener, ResponseCode.UNAUTHORIZED);
            assertEquals(List.of(), log.lines());
        }
    }

    /** The answer to the next request comes after everything that the handshake has done. */
    private static void assertRefused(final SteppedListener listener, final ResponseCode code) throws Exception {
        try (TestPeer peer = listener.connect()) {
            peer.negotiate();
            peer.handshake(Message.properties(INPUT_PORT)).expect(code);
            listener.awaitStep("RequestStep");
        }
    }

    @Test
    @DisplayName("a push is told of when it was committed, and when it was rolled back")
    void pushes() throws Exception {
        try (AccessLines log = new AccessLines("Transactions", Level.DEBUG);
                SteppedListener listener = new SteppedListener()) {
            try (TestPeer peer = listener.connect().open(INPUT_PORT)) {
                peer.pushPacket("abc").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
                peer.pushPacket("de").flush();
                listener.awaitStep("AwaitConfirmationStep");
                peer.reset();
                listener.awaitFault(ConnectionFault.Kind.CONNECTION_LOST);
            }
            listener.awaitNoConnections();
            final List<String> lines = log.lines();
            assertEquals(2, lines.size(), lines::toString);
            assertTrue(
                    lines.get(0).startsWith("Peer 127.0.0.1: committed: received 1 FlowFiles with 3 bytes in N ms at "),
                    lines::toString);
            assertTrue(
                    lines.get(1)
                            .startsWith("Peer 127.0.0.1: rolled back: received 1 FlowFiles with 2 bytes in N ms at "),
                    lines::toString);
            assertEquals(0, listener.possibleDuplicates());
        }
    }

    @Test
    @DisplayName("a streamed push whose peer leaves while it waits for its commit is told of once")
    void streamedPushThatWaits() throws Exception {
        try (AccessLines log = new AccessLines("Transactions", Level.DEBUG);
                SteppedListener listener = new SteppedListener()) {
            try (TestPeer peer = listener.connect().open(INPUT_PORT)) {
                peer.push()
                        .packet(Map.of(), new byte[STREAMED_BYTES])
                        .say(ResponseCode.FINISH_TRANSACTION)
                        .expectConfirmation();
                listener.input().scheduled(false);
                peer.confirm().flush();
                listener.awaitStep("AwaitCommitStep");
                SteppedListener.awaiting().until(() -> listener.input().inPort() == 1);
                peer.reset();
                listener.awaitFault(ConnectionFault.Kind.CONNECTION_LOST);
            }
            listener.awaitNoConnections();
            SteppedListener.awaiting()
                    .until(() -> listener.metrics().get(ListenerMetrics.Counter.PUSHES_ROLLED_BACK) == 1);
            assertEquals(1, log.lines().size(), () -> log.lines().toString());
            assertTrue(log.lines().get(0).startsWith("Peer 127.0.0.1: rolled back"), log.lines()::toString);
        }
    }

    @Test
    @DisplayName("switched off, nothing is told")
    void off() throws Exception {
        try (AccessLines transactions = new AccessLines("Transactions", Level.INFO);
                AccessLines connections = new AccessLines("Connections", Level.INFO);
                SteppedListener listener = new SteppedListener();
                TestPeer peer = listener.connect().open(INPUT_PORT)) {
            peer.pushPacket("abc").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            assertEquals(List.of(), transactions.lines());
            assertEquals(List.of(), connections.lines());
        }
    }

    @Test
    @DisplayName("a peer that leaves while its push is being committed will send it again, and one line says so")
    void leavesDuringCommit() throws Exception {
        final CountDownLatch committing = new CountDownLatch(1);
        final CountDownLatch mayCommit = new CountDownLatch(1);
        try (SteppedListener listener = new SteppedListener()) {
            listener.input().beforeCommit(flowFiles -> {
                committing.countDown();
                SteppedListener.awaiting().until(() -> mayCommit.getCount() == 0);
            });
            try (TestPeer peer = listener.connect().open(INPUT_PORT)) {
                peer.pushPacket("abc").confirm().flush();
                committing.await();
                peer.reset();
                listener.awaitFault(ConnectionFault.Kind.CONNECTION_LOST);
            }
            mayCommit.countDown();
            SteppedListener.awaiting().until(() -> listener.possibleDuplicates() == 1);
            assertEquals(1, listener.input().committed().size());
        } finally {
            mayCommit.countDown();
        }
    }
}
