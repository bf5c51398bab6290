// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.nifi.Jcmd.GcPauses;

/** Pauses of a run, by what its JVMs had counted before and afterwards. Runs on the test's thread. */
class ServerPausesTest {

    private static final Duration WALL = Duration.ofSeconds(10);

    @Test
    void onlyPausesOfTheRunCount() {
        assertEquals(
                Map.of("gc-pauses", 4.0, "gc-percent", 2.0),
                ServerPauses.metrics(Map.of(1L, new GcPauses(10, 900)), Map.of(1L, new GcPauses(14, 1_100)), WALL));
    }

    @Test
    void theShareOfAClusterIsThatOfItsNodesOnAverage() {
        final GcPauses none = new GcPauses(0, 0);
        assertEquals(
                Map.of("gc-pauses", 3.0, "gc-percent", 2.0),
                ServerPauses.metrics(
                        Map.of(1L, none, 2L, none), Map.of(1L, new GcPauses(1, 100), 2L, new GcPauses(2, 300)), WALL));
    }

    @Test
    void aServerThatWasRestartedOrTellsNothingHasNoPauses() {
        final GcPauses some = new GcPauses(1, 1);
        assertEquals(Map.of(), ServerPauses.metrics(Map.of(1L, some), Map.of(2L, some), WALL));
        assertEquals(Map.of(), ServerPauses.metrics(Map.of(), Map.of(), WALL));
        assertEquals(Map.of(), ServerPauses.metrics(Map.of(1L, some), Map.of(), WALL));
    }
}
