// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;

/** Runs side by side: medians, spread, ratios, and what is shown when there is no figure. Runs on the test's thread. */
class ComparisonTest {

    @Test
    void theMedianOfEachListenerAndTheirRatioAreShown() {
        final Comparison comparison = Comparison.of(
                List.of(run("stock", 1_000, 0), run("stock", 1_300, 0), run("stock", 900, 0)),
                List.of(run("nio", 2_500, 0), run("nio", 2_400, 0), run("nio", 3_000, 0)));

        final Comparison.Line rate = comparison.lines().getFirst();
        assertEquals(Figure.RATE, rate.figure());
        assertEquals(new Comparison.Spread(1_000, 900, 1_300), rate.stock());
        assertEquals(2.5, rate.ratio());
        final String row = comparison.table().text().toString().lines().toList().get(2);
        assertEquals(
                List.of("tx/s", "1,000 (900 – 1,300)", "2,500 (2,400 – 3,000)", "2.50"),
                List.of(row.substring(1, row.length() - 1).split("\\|")).stream()
                        .map(String::strip)
                        .toList());
    }

    @Test
    void anEvenNumberOfRunsTakesTheMeanOfTheMiddleTwo() {
        final Comparison comparison = Comparison.of(
                List.of(run("stock", 1, 0), run("stock", 2, 0)), List.of(run("nio", 3, 0), run("nio", 4, 0)));

        assertEquals(1.5, comparison.lines().getFirst().stock().median());
    }

    @Test
    void thereIsNoRatioToZero() {
        final Comparison comparison = Comparison.of(List.of(run("stock", 1_000, 0)), List.of(run("nio", 1_000, 3)));

        final String failures = comparison
                .table()
                .text()
                .toString()
                .lines()
                .filter(line -> line.contains("failures"))
                .findFirst()
                .orElseThrow();
        assertTrue(failures.matches("\\| failures\\s+\\|\\s+0 \\|\\s+3 \\|\\s+– \\|"), failures);
    }

    @Test
    void aFigureThatNoRunHasIsLeftOut() {
        final Comparison comparison = Comparison.of(List.of(run("stock", 1_000, 0)), List.of(run("nio", 1_000, 0)));

        assertTrue(comparison.lines().stream().noneMatch(line -> line.figure() == Figure.RESPONSE_P99));
    }

    @Test
    void aRunWithoutServerAndLedgerShowsDashes() {
        final String table = RunReport.sideBySide(
                        "runs", List.of(bare()), List.of(Figure.RATE, Figure.SERVER_CPU, Figure.LOST))
                .text()
                .toString();

        assertTrue(table.contains("| 127.0.0.1:9 |"), table);
        assertEquals(2, table.chars().filter(character -> character == '–').count());
        assertTrue(RunReport.of(bare()).contains("no ledger at hand"));
    }

    @Test
    void failuresAndTheLedgerAreSpelledOut() {
        final String text = RunReport.of(run("nio", 10, 3));

        assertTrue(text.contains("failed: 3 × time-out while waiting"), text);
        assertTrue(text.contains("ledger: 50 packets acknowledged, 50 arrived, 0 lost, 0 duplicated"), text);
    }

    @Test
    void onlyARunWithoutFailureAndWithAnExactLedgerIsFlawless() {
        assertTrue(run("nio", 10, 0).flawless());
        assertFalse(run("nio", 10, 1).flawless());
        assertTrue(bare().flawless());
    }

    private static RunResult run(final String listener, final double rate, final long failures) {
        return new RunResult(
                "1-" + listener,
                "run",
                listener,
                "wire",
                Instant.EPOCH,
                settings(),
                1,
                false,
                10,
                rate,
                failures,
                failures == 0 ? Map.of() : Map.of("time-out while waiting", failures),
                0,
                0,
                Map.of(Phase.TOTAL, new LatencySummary(10, 5, 4, 9, 10)),
                new GeneratorFigures(0.1, 20, 15, 1.0),
                new ServerFigures(100, 0.5, 50, 1 << 30, 100),
                new LedgerFigures(50, 50, 0, 0, 0, true),
                new Disturbance(5, 0),
                null);
    }

    private static RunResult bare() {
        return new RunResult(
                "127.0.0.1:9",
                "run",
                "127.0.0.1:9",
                "wire",
                Instant.EPOCH,
                settings(),
                1,
                false,
                10,
                10,
                0,
                Map.of(),
                0,
                0,
                Map.of(),
                new GeneratorFigures(0.1, 20, 15, null),
                null,
                null,
                null,
                null);
    }

    private static LoadSettings settings() {
        final Duration second = Duration.ofSeconds(1);
        return new LoadSettings(1, 10, Duration.ZERO, 5, 10, Duration.ZERO, Duration.ZERO, second);
    }
}
