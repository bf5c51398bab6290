// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.load.ClientLoadGenerator;
import org.nios2s.harness.load.LoadClientContract;
import org.nios2s.harness.load.LoadGenerator;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadServer;
import org.nios2s.harness.load.LoadServer.Script;
import org.nios2s.harness.load.LoadSettings;

/** The load of peers that write each field alone, against a scripted server on loopback. Runs on the test's thread. */
class MinifiLoadClientsTest extends LoadClientContract {

    @Test
    void everyFieldThatIsWrittenAloneArrivesAndTheChecksumIsThatOfAll() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            final LoadOutcome outcome = drive(server, settings(3, 2, Duration.ZERO, PATIENCE, 70_000));

            assertEquals(Map.of(), outcome.totals().failures());
            assertEquals(6, outcome.successes());
            assertEquals(12, new HashSet<>(server.packetIds()).size());
        }
    }

    @Override
    protected LoadGenerator load(final LoadSettings settings, final int port) {
        return new ClientLoadGenerator(
                "run", settings, () -> WireLoadClients.asMinifi("run", settings, List.of(address(port)), null));
    }
}
