// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.ScriptedServer;
import org.nios2s.harness.load.ScriptedServer.Script;
import org.nios2s.harness.load.TargetAddress;

/** A server whose process ends in mid-run. Runs on the test's thread, and on one that ends the process. */
@Timeout(60)
class BrokenRunTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void theRunEndsAtOnceAndWhatWasMeasuredIsKept() throws Exception {
        final Process process = new ProcessBuilder("sleep", "600").start();
        try (ScriptedServer server = new ScriptedServer(Script.FAITHFUL);
                Interruption interruption = Interruption.install()) {
            final TargetAddress address = new TargetAddress("127.0.0.1", server.port(), ScriptedServer.PORT_ID, null);
            final Target target = new Target("nio", address, process.toHandle(), null, null);
            final LoadSettings settings = new LoadSettings(
                    2, LoadSettings.UNLIMITED, Duration.ofMinutes(10), 1, 1, Duration.ZERO, Duration.ZERO, PATIENCE);
            Thread.ofVirtual().start(() -> {
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> server.packetIds().size() > 10);
                process.destroyForcibly();
            });

            final BrokenRunException broken =
                    assertThrows(BrokenRunException.class, () -> new LoadScenario(ClientKind.WIRE, interruption)
                            .run(settings, target));

            assertTrue(
                    broken.getMessage().contains("process " + process.pid() + ", ended in mid-run"),
                    broken::getMessage);
            assertTrue(broken.measured().result().transactions() >= 10);
            assertTrue(broken.measured().result().interrupted());
            assertTrue(broken.measured().result().server() == null);
        } finally {
            process.destroyForcibly();
        }
    }
}
