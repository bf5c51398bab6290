// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.load.ClientStats;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadRecorder;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.TransactionTimes;

/** The CSV and the index line of the 2019 scale test. Runs on the test's thread. */
class ScaleCsvTest {

    private static final LoadSettings SETTINGS = new LoadSettings(
            2,
            30,
            Duration.ZERO,
            Duration.ofSeconds(1),
            Duration.ofMillis(10),
            Duration.ofSeconds(60),
            LoadSettings.Shape.push(5, 10),
            LoadSettings.Connection.KEPT);

    @Test
    void theNameIsTheStartAndTheNumberOfClients() {
        assertEquals("20261121_0205_2.csv", ScaleCsv.fileName(outcome(), ZoneOffset.UTC));
    }

    @Test
    void aLinePerClientFollowsTheHeader() {
        final List<String> lines = ScaleCsv.lines(outcome());

        assertEquals(3, lines.size());
        assertEquals(
                "clientId,start,end,failures,createTxMillis,sendMillis,confirmMillis,completeMillis,"
                        + "avgCreate,avgSend,avgConfirm,avgComplete",
                lines.get(0));
        assertTrue(lines.get(1).matches("0,\\d{13},\\d{13},1,\\d+,\\d+,\\d+,\\d+(,\\d+\\.\\d\\d){4}"), lines.get(1));
        assertTrue(lines.get(2).matches("1,\\d{13},\\d{13},0,0,0,0,0,0.00,0.00,0.00,0.00"), lines.get(2));
    }

    @Test
    void theIndexLineSumsTheRunUp() {
        final String line = ScaleCsv.indexLine("20261121_0205_2.csv", SETTINGS, outcome());

        assertTrue(
                line.matches("- 20261121_0205_2\\.csv: numOfClient=2, numOfTx=30, numOfPacketsPerTx=5,"
                        + " txIntervalMillis=1000, totalSuccessfulTx=1, totalFailureTx=1,"
                        + " avgCreateTxMillis=\\d+\\.\\d\\d, avgSendMillis=\\d+\\.\\d\\d,"
                        + " avgConfirmMillis=\\d+\\.\\d\\d, avgCompleteMillis=\\d+\\.\\d\\d"),
                line);
    }

    private static LoadOutcome outcome() {
        final LoadRecorder recorder = new LoadRecorder(SETTINGS);
        final TransactionTimes times = new TransactionTimes();
        times.start(System.nanoTime());
        times.ended(Phase.CREATE);
        times.ended(Phase.SEND);
        times.ended(Phase.CONFIRM);
        times.ended(Phase.COMPLETE);
        final ClientStats busy = new ClientStats(0, recorder);
        busy.begin();
        busy.succeeded(0, times, false, 1, 50);
        busy.failed("time-out", new TransactionTimes());
        busy.end();
        final ClientStats idle = new ClientStats(1, recorder);
        idle.begin();
        idle.end();
        return recorder.outcome(
                "run", Instant.parse("2026-11-21T02:05:59Z"), Duration.ofSeconds(1), List.of(busy, idle));
    }
}
