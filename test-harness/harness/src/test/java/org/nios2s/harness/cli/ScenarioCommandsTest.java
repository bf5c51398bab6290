// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.harness.S2sHarness;
import org.nios2s.harness.result.LatencySummary;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** What the scenarios refuse before anything starts, and in which words. Runs on the test's thread. */
@Timeout(60)
class ScenarioCommandsTest {

    private final StringWriter errors = new StringWriter();

    @Test
    void reactorRefusesImpossibleRows() {
        assertRefused("--connections must be between 1 and 1000, not 0", "reactor", "--connections", "1,0");
        assertRefused("need as many requests at least", "reactor", "--connections", "32", "--requests", "16");
        assertRefused("reactor measures plain TCP", "reactor", "--secure");
        assertRefused("reactor measures single NiFis", "reactor", "--nodes", "2");
        assertRefused("expected one of [SERIAL, PARALLEL, G1, Z, SHENANDOAH]", "reactor", "--gc", "none");
        assertRefused("expected one of [NIFI, NULL]", "reactor", "--sink", "disk");
    }

    @Test
    void repeatRefusesWhatItCannotRepeat() {
        assertRefused("--runs must be between 1 and 100, not 0", "repeat", "--runs", "0");
        assertRefused("repeat has --pool on,off in place of --reconnect", "repeat", "--reconnect");
        assertRefused("--pool off needs --client wire", "repeat", "--client", "stock");
    }

    @Test
    void commitCostRefusesImpossibleCommits() {
        assertRefused("--commits must be between 1 and 100000, not 0", "commit-cost", "--commits", "1,0");
        assertRefused("clients must be between 1 and 60000, not 0", "commit-cost", "--clients", "0");
        assertRefused("--duration longer than 0", "commit-cost", "--duration", "0s");
    }

    @Test
    void rampRefusesImpossibleSteps() {
        assertRefused(
                "--concurrency must be between 1 and the 20 --bulks", "ramp", "--bulks", "20", "--concurrency", "30");
        assertRefused("--pool and --semaphore must be 0 or more", "ramp", "--pool", "-1");
        assertRefused("ramp has --transport plain,tls in place of --secure", "ramp", "--secure");
        assertRefused("packets must be between 1 and 1000000, not 0", "ramp", "--bulk", "0");
    }

    @Test
    void soakRefusesImpossibleLaps() {
        assertRefused("--laps must be between 4 and 1000, not 3", "soak", "--laps", "3");
        assertRefused("--total must be between 2000", "soak", "--total", "1999");
    }

    @Test
    void handoffRefusesImpossiblePaces() {
        assertRefused("--rate must be between 1 and 10000000, not 0", "handoff", "--rate", "0");
        assertRefused("--stored-events at least the 1000", "handoff", "--stored-events", "999");
        assertRefused("--route stored is for plain TCP", "handoff", "--secure");
    }

    @Test
    void moreCallersGainNothingFromTheLastStepThatGainedSomething() {
        final Map<Integer, RampCommand.Row> steps = new LinkedHashMap<>();
        steps.put(1, row(100));
        steps.put(5, row(300));
        steps.put(10, row(310));
        steps.put(20, row(330));
        steps.put(30, row(200));

        assertEquals(20, RampCommand.enough(steps));
    }

    @Test
    void aBulkIsStuckWhenItTookTooLongAndTimedOutWhenThereWasNoAnswer() {
        final Histogram total = new Histogram(3);
        total.recordValue(900_000);
        total.recordValue(1_500_000);
        total.recordValue(3_000_000);
        assertEquals(2, RampCommand.Row.stuck(total, Duration.ofSeconds(1)));
        assertEquals(0, RampCommand.Row.stuck(total, Duration.ofSeconds(9)));
        assertEquals(
                3,
                RampCommand.Row.timedOut(
                        Map.of("time-out while idle", 2L, "refused", 1L, "DEADLINE_PASSED in step SEND", 1L)));
    }

    private static RampCommand.Row row(final double bulksPerSecond) {
        return new RampCommand.Row(bulksPerSecond, 1, LatencySummary.of(new Histogram(3)), 0, 0, 0);
    }

    private void assertRefused(final String message, final String... arguments) {
        errors.getBuffer().setLength(0);
        final CommandLine commandLine = S2sHarness.commandLine().setErr(new PrintWriter(errors, true));
        final int actual = commandLine.execute(arguments);
        assertTrue(errors.toString().contains(message), errors.toString());
        assertEquals(ExitCode.USAGE, actual);
    }
}
