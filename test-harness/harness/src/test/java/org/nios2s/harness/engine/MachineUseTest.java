// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.result.RunResult.Disturbance;

/** What others did on the machine, by the kernel's counters. Runs on the test's thread. */
class MachineUseTest {

    private static final double EXACT = 1e-9;

    @Test
    void whatNeitherServerNorGeneratorUsedIsForeign() {
        final MachineUse before = MachineUse.of(lines("cpu  100 0 50 800 50 0 0 0 0 0"));
        // 10 s of two processors: 2,000 ticks, of which 900 busy, 200 stolen.
        final MachineUse after = MachineUse.of(lines("cpu  800 100 100 1650 100 25 25 200 0 0"));

        final Disturbance disturbance = after.since(before, Duration.ofSeconds(6), Duration.ofSeconds(10));

        assertEquals(30, disturbance.foreignPercent(), EXACT);
        assertEquals(20, disturbance.stolenPercent(), EXACT);
    }

    @Test
    void aRunThatUsedAllOfItLeavesNothingForOthers() {
        final MachineUse before = MachineUse.of(lines("cpu  0 0 0 0 0 0 0 0 0 0"));
        final MachineUse after = MachineUse.of(lines("cpu  100 0 0 100 0 0 0 0 0 0"));

        assertEquals(new Disturbance(0, 0), after.since(before, Duration.ofMillis(1_010), Duration.ofSeconds(1)));
    }

    private static List<String> lines(final String all) {
        return List.of(all, "cpu0 1 2 3 4 5 6 7 8 9 10", "cpu1 1 2 3 4 5 6 7 8 9 10", "intr 1 2 3");
    }
}
