// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Times are there once in the intervals and once in all. Runs on the test's thread. */
class LoadMeterTest {

    @Test
    void ticksTakeTheirIntervalAndTheWholeKeepsEverything() {
        final LoadMeter meter = new LoadMeter(false);
        meter.succeeded(times(), false);
        assertEquals(1, meter.tick().get(Phase.TOTAL).getTotalCount());
        meter.succeeded(times(), false);
        meter.succeeded(times(), false);

        assertEquals(3, meter.histograms().get(Phase.TOTAL).getTotalCount());
        assertEquals(2, meter.tick().get(Phase.TOTAL).getTotalCount());
        assertEquals(0, meter.tick().get(Phase.TOTAL).getTotalCount());
        assertEquals(3, meter.histograms().get(Phase.TOTAL).getTotalCount());
        assertFalse(meter.histograms().containsKey(Phase.RESPONSE));
    }

    @Test
    void whatTheGeneratorWasLateIsKeptApart() {
        final LoadMeter meter = new LoadMeter(true);
        meter.began(TimeUnit.MILLISECONDS.toNanos(7));
        meter.began(-1);

        assertEquals(2, meter.lateness().getTotalCount());
        assertEquals(7_000, meter.lateness().getMaxValue(), 10);
    }

    private static TransactionTimes times() {
        final TransactionTimes times = new TransactionTimes();
        times.start(System.nanoTime());
        times.created();
        times.sent();
        times.confirmed();
        times.completed();
        return times;
    }
}
