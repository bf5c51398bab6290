// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.result.RunResult.LatencySummary;

/** Microseconds go in, milliseconds come out. Runs on the test's thread. */
class LatencySummaryTest {

    private static final double ONE_PERCENT = 0.01;

    @Test
    void figuresAreInMilliseconds() {
        final Histogram micros = new Histogram(3);
        for (int i = 1; i <= 1_000; i++) {
            micros.recordValue(i * 1_000L);
        }

        final LatencySummary summary = LatencySummary.of(micros);

        assertEquals(1_000, summary.count());
        assertEquals(500.5, summary.average(), 500.5 * ONE_PERCENT);
        assertEquals(500, summary.p50(), 500 * ONE_PERCENT);
        assertEquals(950, summary.p95(), 950 * ONE_PERCENT);
        assertEquals(990, summary.p99(), 990 * ONE_PERCENT);
        assertEquals(999, summary.p999(), 999 * ONE_PERCENT);
        assertEquals(1_000, summary.max(), 1_000 * ONE_PERCENT);
    }

    @Test
    void anEmptyHistogramGivesZeros() {
        assertEquals(new LatencySummary(0, 0, 0, 0.0, 0, null, 0), LatencySummary.of(new Histogram(3)));
    }
}
