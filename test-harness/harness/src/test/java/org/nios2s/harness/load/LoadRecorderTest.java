// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Times are there once in the intervals and once in all. Runs on the test's thread. */
class LoadRecorderTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    void ticksTakeTheirIntervalAndTheWholeKeepsEverything() {
        final LoadRecorder recorder = new LoadRecorder(load(1, Duration.ZERO));
        recorder.succeeded(times(), false, 1, 1);
        assertEquals(1, recorder.tick().get(Phase.TOTAL).getTotalCount());
        recorder.succeeded(times(), false, 1, 1);
        recorder.succeeded(times(), false, 1, 1);

        assertEquals(2, recorder.tick().get(Phase.TOTAL).getTotalCount());
        assertEquals(0, recorder.tick().get(Phase.TOTAL).getTotalCount());
        assertEquals(3, recorder.histograms(recorder.window()).get(Phase.TOTAL).getTotalCount());
        assertEquals(3, recorder.bytes());
        assertEquals(
                3, recorder.histograms(recorder.window()).get(Phase.RESPONSE).getTotalCount());
    }

    @Test
    void whatFailedCountsWithTheTimeThatItsCallerWaited() {
        final LoadRecorder recorder = new LoadRecorder(load(1, Duration.ZERO));
        recorder.succeeded(times(), false, 1, 1);

        recorder.failed("time-out", System.nanoTime() - 60 * SECOND);

        assertTrue(recorder.histograms(recorder.window()).get(Phase.RESPONSE).getMaxValue() >= 59_000_000);
        assertEquals(
                1, recorder.histograms(recorder.window()).get(Phase.TOTAL).getTotalCount(), "what the server served");
        assertEquals(1, recorder.failures());
    }

    @Test
    void onlyWhatHappensWhileAllClientsAreAtWorkIsSteady() {
        final LoadRecorder recorder = new LoadRecorder(load(2, Duration.ZERO));
        recorder.clientBegins();
        recorder.succeeded(times(), false, 1, 0);
        recorder.clientBegins();
        recorder.succeeded(times(), false, 1, 0);
        recorder.succeeded(times(), false, 1, 0);
        recorder.clientEnds();
        recorder.succeeded(times(), false, 1, 0);
        recorder.clientEnds();

        assertEquals(2, recorder.window().transactions());
        assertEquals(4, recorder.successes());
    }

    @Test
    void aWindowOfAMomentIsNotUsed() {
        final SteadyWindow moment = SteadyWindow.of(0, SECOND, SECOND + 1, 2 * SECOND, 5, true);
        final SteadyWindow most = SteadyWindow.of(0, SECOND, 9 * SECOND, 10 * SECOND, 80, true);

        assertFalse(moment.usable());
        assertTrue(most.usable());
        assertEquals(10, most.perSecond());
        assertEquals(1, most.rampSeconds());
        assertEquals(1, most.tailSeconds());
    }

    @Test
    void whatThePaceAskedForAndNobodyCameToCountsAsLongAsItWaited() {
        final LoadSettings load = load(1, Duration.ofMillis(100));
        final LoadRecorder recorder = new LoadRecorder(load);
        final RunPlan plan = new RunPlan(load, System.nanoTime() - SECOND);

        plan.missed(0, 4, plan.clientStart(0) + 4 * SECOND / 10, recorder);

        assertEquals(6, recorder.missed());
        assertEquals(
                6, recorder.histograms(recorder.window()).get(Phase.RESPONSE).getTotalCount());
        assertTrue(recorder.histograms(recorder.window()).get(Phase.RESPONSE).getMaxValue() >= 600_000);
        assertEquals(0, recorder.histograms(recorder.window()).get(Phase.TOTAL).getTotalCount());
    }

    @Test
    void whatTheGeneratorWasLateIsKeptApart() {
        final LoadRecorder recorder = new LoadRecorder(load(1, Duration.ofSeconds(1)));
        recorder.began(TimeUnit.MILLISECONDS.toNanos(7));
        recorder.began(-1);

        assertEquals(2, recorder.lateness().getTotalCount());
        assertEquals(7_000, recorder.lateness().getMaxValue(), 10);
    }

    static LoadSettings load(final int clients, final Duration interval) {
        return new LoadSettings(
                clients,
                LoadSettings.UNLIMITED,
                Duration.ofSeconds(1),
                interval,
                Duration.ZERO,
                Duration.ofSeconds(5),
                LoadSettings.Shape.push(1, 10),
                LoadSettings.Connection.KEPT);
    }

    private static TransactionTimes times() {
        final TransactionTimes times = new TransactionTimes();
        times.start(System.nanoTime());
        times.ended(Phase.CREATE);
        times.ended(Phase.SEND);
        times.ended(Phase.CONFIRM);
        times.ended(Phase.COMPLETE);
        return times;
    }
}
