// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.load.LoadServer;
import org.nios2s.harness.load.LoadServer.Script;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.ObservedServer;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.Place;
import org.nios2s.harness.target.MeasuredTarget;
import org.nios2s.harness.target.Target;

/** A server whose process ends in mid-run. Runs on the test's thread, and on one that ends the process. */
@Timeout(60)
class BrokenRunTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void theRunEndsAtOnceAndWhatWasMeasuredIsKept() throws Exception {
        final Process process = new ProcessBuilder("sleep", "600").start();
        try (LoadServer server = new LoadServer(Script.FAITHFUL);
                ShutdownHook interruption = ShutdownHook.install()) {
            final TargetAddress address = new TargetAddress("127.0.0.1", server.port(), LoadServer.PORT_ID, null);
            final Target target = new Target("nio", address, process.toHandle(), null, null, List.of());
            final Settings settings = Settings.DEFAULTS
                    .with("clients", "2")
                    .with("duration", "10m")
                    .with("packets", "1")
                    .with("size", "1b");
            Thread.ofVirtual().start(() -> {
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> server.packetIds().size() > 10);
                process.destroyForcibly();
            });

            final BrokenRunException broken =
                    assertThrows(BrokenRunException.class, () -> new LoadRun(settings, () -> target, interruption)
                            .run(new Place("", "nio", 1, 1), settings.load()));

            assertTrue(
                    broken.getMessage().contains("process " + process.pid() + ", ended in mid-run"),
                    broken::getMessage);
            // Of eleven packets that have come two may be of transactions under way.
            assertTrue(broken.measured().result().load().transactions() >= 9);
            assertTrue(broken.measured().result().execution().interrupted());
            assertTrue(broken.measured().result().server() == null);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void ofNothingAcknowledgedThereIsNoCostOfATransaction() throws Exception {
        final Process process = new ProcessBuilder("sleep", "600").start();
        try (LoadServer server = new LoadServer(Script.CLOSE_INSTEAD_OF_FINISHING);
                ShutdownHook interruption = ShutdownHook.install()) {
            final TargetAddress address = new TargetAddress("127.0.0.1", server.port(), LoadServer.PORT_ID, null);
            final Target target = new Target("stock", address, process.toHandle(), null, null, List.of());
            final Settings settings = Settings.DEFAULTS.with("clients", "1").with("duration", "300ms");

            final RunResult run = new LoadRun(settings, () -> target, interruption)
                    .run(new Place("", "stock", 1, 1), settings.load())
                    .result();

            assertTrue(run.load().failures() > 0 && run.load().transactions() == 0, run::toString);
            assertTrue(run.server().cpuMillis() >= 0);
            assertTrue(Metric.CPU.orNull(run) == null, "0.000 would look like a server that costs nothing");
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void whatAnotherListenerServesIsNoRun() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL);
                ShutdownHook interruption = ShutdownHook.install()) {
            final TargetAddress address = new TargetAddress("127.0.0.1", server.port(), LoadServer.PORT_ID, null);
            final Target target = new Target("nio", address, null, null, null, List.of());
            final AtomicInteger looks = new AtomicInteger();
            final Settings settings = Settings.DEFAULTS
                    .with("listener", "nio")
                    .with("clients", "1")
                    .with("duration", "100ms");

            for (final int last : new int[] {0, 1}) {
                looks.set(0);
                final MeasuredTarget replaced = new MeasuredTarget() {
                    @Override
                    public Target target() {
                        return target;
                    }

                    @Override
                    public ObservedServer observe() {
                        return ObservedServer.of(looks.getAndIncrement() < last ? "nio" : "stock");
                    }
                };
                final HarnessException refusal =
                        assertThrows(HarnessException.class, () -> new LoadRun(settings, replaced, interruption)
                                .run(new Place("", "nio", 1, 1), settings.load()));

                assertTrue(refusal.getMessage().contains("no run of the listener 'nio'"), refusal::getMessage);
                assertTrue(refusal.getMessage().contains("'stock' serves"), refusal::getMessage);
            }
        }
    }
}
