// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.plan.Settings;

/** How the starts of a pace lie. Runs on the test's thread. */
class ArrivalsTest {

    private static final long INTERVAL = 1_000_000;

    @Test
    void everyPatternAsksForTheSameRate() {
        for (final Arrivals arrivals : Arrivals.values()) {
            assertEquals(INTERVAL, mean(arrivals), INTERVAL * 0.02, arrivals.name());
        }
    }

    @Test
    void gapsByChanceSpreadAsWidelyAsTheyAreLongAndComeAgain() {
        final double mean = mean(Arrivals.POISSON);
        final double variance = IntStream.range(0, 100_000)
                .mapToDouble(number -> Math.pow(Arrivals.POISSON.gap(3, number, INTERVAL) - mean, 2))
                .average()
                .orElseThrow();

        assertEquals(1, Math.sqrt(variance) / mean, 0.05);
        assertEquals(Arrivals.POISSON.gap(5, 7, INTERVAL), Arrivals.POISSON.gap(5, 7, INTERVAL));
        assertTrue(Arrivals.POISSON.gap(5, 7, INTERVAL) != Arrivals.POISSON.gap(6, 7, INTERVAL));
    }

    @Test
    void allClientsOfABurstAreDueAtOnce() {
        final LoadSettings load = Settings.DEFAULTS
                .with(Map.of("clients", "10", "interval", "100ms", "arrivals", "bursts"))
                .load();
        final RunPlan plan = new RunPlan(load);

        assertEquals(plan.clientStart(0), plan.clientStart(9));
        assertEquals(TimeUnit.MILLISECONDS.toNanos(100), plan.gap(0, 0));
    }

    private static double mean(final Arrivals arrivals) {
        return IntStream.range(0, 100_000)
                .mapToLong(number -> arrivals.gap(3, number, INTERVAL))
                .average()
                .orElseThrow();
    }
}
