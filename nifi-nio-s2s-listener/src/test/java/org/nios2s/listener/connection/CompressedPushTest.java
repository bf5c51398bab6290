// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.peers.TestPeer;
import org.nios2s.wire.PacketReader;

/** What it takes to inflate, and whose it is. Lives on the test's thread. */
class CompressedPushTest {
    private static final int STALLED = 40;
    private static final int MIB = 1024 * 1024;

    @Test
    @DisplayName("compressed pushes that stall hold no more than the budget, and others are served behind them")
    void stalled() throws Exception {
        final List<TestPeer> stalled = new ArrayList<>();
        try (SteppedListener narrow = new SteppedListener("buffer.memory", "1 MB")) {
            for (int i = 0; i < STALLED; i++) {
                stalled.add(stall(narrow));
            }
            narrow.awaitAnyStep("AdmitTransactionStep");
            SteppedListener.awaiting().until(() -> narrow.budget().used() > MIB / 2 - 2 * PacketReader.INFLATER_BYTES);
            assertTrue(narrow.budget().used() <= MIB / 2, narrow.budget().used() + " bytes");
            final TestPeer honest = narrow.connect().open(INPUT_PORT, "GZIP", "true", "REQUEST_EXPIRATION_MILLIS", "0");
            honest.gzip()
                    .push()
                    .packet(Map.of(), new byte[1_000])
                    .say(ResponseCode.FINISH_TRANSACTION)
                    .flush();
            for (final TestPeer one : stalled) {
                one.close();
            }
            honest.expectConfirmation().confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            honest.close();
        }
    }

    /** The beginning of a chunk. */
    private static TestPeer stall(final SteppedListener listener) throws Exception {
        final TestPeer peer = listener.connect().open(INPUT_PORT, "GZIP", "true", "REQUEST_EXPIRATION_MILLIS", "0");
        return peer.push()
                .say(new byte[] {(byte) 'S', (byte) 'Y', (byte) 'N', (byte) 'C'})
                .flush();
    }

    @Test
    @DisplayName("a compressed push that is complete keeps only what it holds")
    void complete() throws Exception {
        try (SteppedListener listener = new SteppedListener();
                TestPeer peer = listener.connect().open(INPUT_PORT, "GZIP", "true")) {
            listener.input().scheduled(false);
            peer.gzip().pushPacket("small").confirm().flush();
            listener.awaitStep("AwaitCommitStep");
            assertTrue(listener.budget().used() < 2_000, listener.budget().used() + " bytes");
            listener.input().scheduled(true);
            peer.expect(ResponseCode.TRANSACTION_FINISHED);
            assertEquals(1, listener.input().committed().size());
        }
    }
}
