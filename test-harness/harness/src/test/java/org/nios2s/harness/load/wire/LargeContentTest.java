// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.harness.load.ClientLoadGenerator;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadServer;
import org.nios2s.harness.load.LoadServer.Script;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.TargetAddress;

/** Large FlowFiles against a scripted server on loopback. Runs on the test's thread. */
@Timeout(60)
class LargeContentTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int BYTES = 3 * LargeContent.PIECE_BYTES + 5;

    @Test
    void everyFlowFileArrivesWithItsSizeAndChecksum() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            final LoadOutcome outcome = push(server);

            assertEquals(Map.of(), outcome.totals().failures());
            assertEquals(2, outcome.successes());
            assertEquals(List.of(BYTES, BYTES), server.sizes());
        }
    }

    @Test
    void aServerThatComputesAnotherChecksumFailsThePush() throws Exception {
        try (LoadServer server = new LoadServer(Script.WRONG_CHECKSUM)) {
            assertEquals(0, push(server).successes());
        }
    }

    @Test
    void contentsAreAsLongAsAskedForAndUnlikeEachOther() {
        long length = 0;
        final LargeContent content = new LargeContent("a", BYTES);
        while (content.hasNext()) {
            final ByteBuf piece = content.next();
            length += piece.readableBytes();
            piece.release();
        }
        assertEquals(BYTES, length);
        final int checksum = LargeContent.parcel("a", BYTES).content();
        assertEquals(checksum, LargeContent.parcel("a", BYTES).content());
        assertNotEquals(checksum, LargeContent.parcel("b", BYTES).content());
        assertNotEquals(checksum, LargeContent.parcel("a", BYTES - 1).content());
    }

    private static LoadOutcome push(final LoadServer server) throws InterruptedException {
        final TargetAddress address = new TargetAddress(
                InetAddress.getLoopbackAddress().getHostAddress(), server.port(), LoadServer.PORT_ID, null);
        final LoadSettings load = new LoadSettings(
                2,
                1,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                PATIENCE,
                LoadSettings.Shape.push(1, BYTES),
                LoadSettings.Connection.KEPT);
        return new ClientLoadGenerator(
                        "run", load, () -> new WireLoadClients("run", load, List.of(address), null, true))
                .drive();
    }
}
