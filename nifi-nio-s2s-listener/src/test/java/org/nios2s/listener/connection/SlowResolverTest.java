// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.net.InetAddress;
import java.util.concurrent.CountDownLatch;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.peers.TestPeer;

/** A name service that does not answer. Lives on the test's thread. */
@Timeout(60)
class SlowResolverTest {
    private static final int TRANSACTIONS = 20;

    @Test
    @DisplayName("while the resolver is silent, transactions are committed, with the address for the name")
    void silentResolver() throws Exception {
        final CountDownLatch lookedUp = new CountDownLatch(1);
        final CountDownLatch mayAnswer = new CountDownLatch(1);
        try (SteppedListener listener = new SteppedListener(address -> {
                    lookedUp.countDown();
                    awaitUninterruptibly(mayAnswer);
                    return SteppedListener.HOST_NAME;
                });
                TestPeer peer = listener.connect()) {
            peer.open(INPUT_PORT);
            for (int i = 0; i < TRANSACTIONS; i++) {
                peer.pushPacket("a").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            }
            // Not one lookup has come to its end.
            SteppedListener.awaiting().until(() -> lookedUp.getCount() == 0);
            assertEquals(TRANSACTIONS, listener.input().committed().size());
            assertEquals(
                    InetAddress.getLoopbackAddress().getHostAddress(),
                    listener.input().committed().get(0).getAttribute("s2s.host"));
            mayAnswer.countDown();
        }
    }

    private static void awaitUninterruptibly(final CountDownLatch latch) {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
