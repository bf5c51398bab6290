// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.Samples;

/** Two results as one page. Runs on the test's thread. */
class SideBySideTest {

    private final ExperimentResult both = SideBySide.of(results());

    @Test
    void everyResultHasALetterAndSaysWhatItSaid() {
        final List<String> row = both.tables().getFirst().texts().getLast();

        assertEquals(List.of("B", "results/second"), row.subList(0, 2));
        assertEquals("nio: 3 transactions failed.", row.getLast());
    }

    @Test
    void failuresOfABaselineAreNoTroubleOfSeveralResultsEither() {
        assertEquals("nio: 6 transactions failed.", HtmlReport.headline(both));
    }

    @Test
    void crossedGatesAndLossesTakeThePlaceOfTheSentence() {
        final ExperimentResult praised = Samples.flawless();
        assertEquals(praised.conclusion().sentence(), said(praised));

        final List<RunResult> runs = new ArrayList<>(praised.runs());
        runs.set(1, Samples.withLost(25, runs.get(1)));
        assertEquals("nio: of 50 acknowledged packets 25 were lost.", said(Samples.with(runs, praised)));
    }

    private static String said(final ExperimentResult result) {
        return SideBySide.of(Map.of("directory", result))
                .tables()
                .getFirst()
                .texts()
                .getFirst()
                .getLast();
    }

    @Test
    void mediansOfEachKindOfRunStandBesideEachOther() {
        assertEquals(
                List.of("The results", "Ratios again: 9 of 9 within 10 %", "stock", "nio"),
                both.tables().stream().map(DataTable::title).toList());
        assertEquals(
                List.of("tx/s", "2,500", "2,500", "1.00"),
                both.tables().getLast().texts().getFirst());
    }

    @Test
    void chartsOfTheSameTitleLieOverEachOther() {
        assertEquals(
                List.of("A nio", "B nio"),
                both.charts().getFirst().series().stream()
                        .map(Chart.Series::name)
                        .toList());
        assertEquals(
                List.of("A, stock", "A, nio", "B, stock", "B, nio"),
                RunCharts.of(both.runs()).getFirst().series().stream()
                        .map(Chart.Series::name)
                        .toList());
        assertTrue(HtmlReport.of(both).contains("Side by side: A (compare), B (compare)."));
    }

    @Test
    void aRatioThatDoesNotComeAgainSaysWhetherThePairsExplainIt() {
        final ExperimentResult first = Samples.comparison(1_000, 2_000, 1_000, 3_000);

        assertEquals(
                List.of("nio / stock", "tx/s", "2.50 × (2.00 – 3.00)", "2.60 × (2.60 – 2.60)", "within 10 %"),
                repetition(first, Samples.comparison(1_000, 2_600, 1_000, 2_600)));
        assertEquals(
                "-20 %, within the range of 2 and 2 pairs",
                repetition(first, Samples.comparison(1_000, 1_900, 1_000, 2_100))
                        .getLast());
        assertEquals(
                "-40 %, beyond the range of 2 and 2 pairs",
                repetition(first, Samples.comparison(1_000, 1_500, 1_000, 1_500))
                        .getLast());
    }

    private static List<String> repetition(final ExperimentResult first, final ExperimentResult second) {
        final Map<String, ExperimentResult> two = new LinkedHashMap<>();
        two.put("first", first);
        two.put("second", second);
        return SideBySide.of(two).tables().get(1).texts().getFirst();
    }

    private static Map<String, ExperimentResult> results() {
        final ExperimentResult one = Samples.comparison();
        final Map<String, ExperimentResult> results = new LinkedHashMap<>();
        results.put("results/first", one);
        results.put("results/second", one);
        return results;
    }
}
