// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Pauses of a run, by what its JVMs had counted before and afterwards. Runs on the test's thread. */
class ServerPausesTest {

    private static final Duration WALL = Duration.ofSeconds(10);

    @Test
    void onlyPausesOfTheRunCount() {
        assertEquals(Map.of("gc-percent", 2.0), ServerPauses.metrics(Map.of(1L, 900.0), Map.of(1L, 1_100.0), WALL));
    }

    @Test
    void theShareOfAClusterIsThatOfItsNodesOnAverage() {
        assertEquals(
                Map.of("gc-percent", 2.0),
                ServerPauses.metrics(Map.of(1L, 0.0, 2L, 0.0), Map.of(1L, 100.0, 2L, 300.0), WALL));
    }

    @Test
    void aServerThatWasRestartedOrTellsNothingHasNoPauses() {
        assertEquals(Map.of(), ServerPauses.metrics(Map.of(1L, 1.0), Map.of(2L, 1.0), WALL));
        assertEquals(Map.of(), ServerPauses.metrics(Map.of(), Map.of(), WALL));
        assertEquals(Map.of(), ServerPauses.metrics(Map.of(1L, 1.0), Map.of(), WALL));
    }
}
