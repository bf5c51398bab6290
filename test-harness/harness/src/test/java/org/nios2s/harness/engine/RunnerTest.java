// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.load.LoadServer;
import org.nios2s.harness.load.LoadServer.Script;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.plan.Axis;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.target.Target;
import org.nios2s.harness.target.Targets;

/** Experiments against a scripted server. Runs on the test's thread. */
@Timeout(300)
class RunnerTest {

    private static final Settings ANY = Settings.DEFAULTS
            .with("clients", "4")
            .with("stagger", "20ms")
            .with("warmup", "0s")
            .with("settle", "0s")
            .with("lead", "0s")
            .with("rounds", "2");

    private static final Settings SHORT = ANY.with("duration", "1s");

    private static final Settings TWO_SECONDS = ANY.with("duration", "2s").with("rounds", "1");

    @Test
    void everyCellIsMeasuredInEveryRound() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            final List<RunResult> runs = run(server, ANY.with("duration", "400ms"), "packets=1,2");

            assertEquals(
                    List.of("packets 1, nio #1", "packets 2, nio #1", "packets 1, nio #2", "packets 2, nio #2"),
                    runs.stream().map(run -> run.place().toString()).toList());
            for (final RunResult run : runs) {
                assertTrue(run.load().transactions() > 0);
                assertTrue(run.flawless(), () -> run.load().failuresByCause().toString());
                assertNotNull(run.generator().loopP99Millis());
            }
        }
    }

    @Test
    void withoutAWarmUpTheFirstRunOfARowIsColdWhateverLedIt() throws Exception {
        for (final String lead : List.of("0s", "200ms")) {
            try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
                final List<RunResult> runs =
                        run(server, ANY.with("duration", "300ms").with("lead", lead), "packets=1,2");

                assertEquals(
                        List.of(true, true, false, false),
                        runs.stream().map(run -> run.execution().cold()).toList(),
                        "lead " + lead);
            }
        }
    }

    @Test
    void aServerThatStallsCostsAPacedClientTheTimeFromItsIntendedStarts() throws Exception {
        try (LoadServer server = new LoadServer(Script.STALLS_ONCE)) {
            final RunResult run = run(
                            server,
                            SHORT.with("clients", "1").with("interval", "20ms").with("rounds", "1"),
                            "packets=1")
                    .getFirst();

            // 400 ms of silence: one transaction sees it all, those that are due meanwhile are late because of it.
            assertTrue(
                    Metric.by("max").of(run).orElseThrow() > 300,
                    () -> "from the intended start: " + run.load().latencyMillis());
            assertTrue(
                    run.load().latencyMillis().get(Phase.RESPONSE).average()
                            > 2 * run.load().latencyMillis().get(Phase.TOTAL).average(),
                    () -> run.load().latencyMillis().toString());
        }
    }

    @Test
    void aPaceThatCannotBeKeptIsNotedAndWhatWasNeverBegunCounts() throws Exception {
        try (LoadServer server = new LoadServer(Script.SLOW)) {
            final RunResult run = run(server, TWO_SECONDS.with("interval", "5ms"), "packets=1")
                    .getFirst();

            assertTrue(Metric.PACE.of(run).orElseThrow() < 50);
            assertTrue(run.load().missed() > 100, () -> run.load().missed() + " never begun");
            assertTrue(Metric.by("max").of(run).orElseThrow() > 300);
        }
    }

    @Test
    void whatComesFromAnOutputPortIsCountedAndConfirmed() throws Exception {
        for (final String gzip : List.of("false", "true")) {
            try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
                final RunResult run = run(
                                server,
                                SHORT.with("direction", "pull")
                                        .with("gzip", gzip)
                                        .with("rounds", "1"),
                                "packets=3")
                        .getFirst();

                assertTrue(run.load().transactions() > 0);
                assertEquals(0, run.load().failures(), () -> run.load()
                        .failuresByCause()
                        .toString());
                assertEquals(
                        run.load().transactions() * 3 * LoadServer.PULLED_BYTES,
                        run.load().bytes());
            }
        }
    }

    @Test
    void packetsMayBeCompressed() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            final RunResult run = run(
                            server,
                            SHORT.with("gzip", "true")
                                    .with("size", "50%10b+50%70k")
                                    .with("rounds", "1"),
                            "packets=2")
                    .getFirst();

            assertEquals(
                    0, run.load().failures(), () -> run.load().failuresByCause().toString());
            assertTrue(server.sizes().contains(70 * 1024) && server.sizes().contains(10));
        }
    }

    private static List<RunResult> run(final LoadServer server, final Settings settings, final String axis)
            throws Exception {
        final Target target = new Target(
                "nio",
                new TargetAddress("127.0.0.1", server.port(), LoadServer.PORT_ID, null),
                null,
                null,
                null,
                List.of());
        final List<RunResult> runs = new ArrayList<>();
        final Experiment experiment =
                new Experiment("test", "", settings, List.of(), List.of(), List.of()).vary(Axis.parse(axis));
        try (ShutdownHook interruption = ShutdownHook.install();
                Targets servers = Targets.given(() -> target)) {
            new Runner(experiment, servers, interruption, text -> {}).run(run -> runs.add(run.result()));
        }
        return runs;
    }
}
