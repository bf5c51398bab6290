// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.harness.result.Samples.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.plan.Axis;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Presets;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.ExperimentResult.Headline;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.Disturbance;
import org.nios2s.harness.result.RunResult.GeneratorMetrics;
import org.nios2s.harness.result.RunResult.Place;
import org.nios2s.harness.result.Samples;

/** What runs are said to show, and what is said against them. Runs on the test's thread. */
class AnalysisTest {

    private static final GeneratorMetrics CHEAP = new GeneratorMetrics(0.05, 20, 15, 1.0, 2.0);
    private static final int PROCESSORS = 2;

    @Test
    void ratiosAreThoseOfPairsAndNotOfMedians() {
        // Medians: 1,000 and 2,000. Pairs: 3, 2, 1 of each other:
        // the machine became slower, and the pair says nothing of it.
        final List<RunResult> runs = List.of(
                run("stock", 1, 1_000), run("nio", 1, 3_000),
                run("stock", 2, 1_000), run("nio", 2, 2_000),
                run("stock", 3, 500), run("nio", 3, 500));

        final List<String> rate = row(runs, "tx/s");

        assertEquals("1,000 (500 – 1,000)", rate.get(1));
        assertEquals("2,000 (500 – 3,000)", rate.get(2));
        assertEquals("2.00 × (1.00 – 3.00)", rate.get(3));
        assertEquals("3 pairs: not enough to tell", rate.get(4));
        assertFalse(analysis(runs).headlines().stream()
                .anyMatch(headline -> headline.caption().startsWith("tx/s")));
    }

    @Test
    void theNamesOfFiguresStandUnderTheWordFigure() {
        final DataTable table =
                analysis(List.of(run("stock", 1, 1_000), run("nio", 1, 1_500))).table();

        assertEquals(
                List.of("metric", "stock", "nio", "nio / stock", "which means"),
                table.columns().stream().map(DataTable.Column::title).toList());
        assertTrue(table.note().contains("A metric is the median of its runs, with the least and the most"));
    }

    @Test
    void aDifferenceThatNoFigureShowsIsNone() {
        assertEquals(
                "no difference shown", row(rounds(6, 10_000, 9_999), "tx/s").get(4));
    }

    @Test
    void aDifferenceThatEveryPairShowsIsOne() {
        final List<RunResult> runs = rounds(6, 1_000, 1_500);

        assertEquals("50 % more, better", row(runs, "tx/s").get(4));
        assertEquals("1,000 → 1,500", analysis(runs).headlines().getFirst().value());
        assertEquals(
                "(1,000 – 1,000) → (1,500 – 1,500)",
                analysis(runs).headlines().getFirst().range());
        assertEquals("the same", row(runs, "server CPU ms/tx").get(4));
        assertTrue(analysis(runs)
                .verdict(PROCESSORS)
                .startsWith("nio / stock: tx/s 1.50 × (1.50 – 1.50), 50 % more, better"));
        assertEquals("1,500 tx/s with nio and 1,000 with stock.", analysis(runs).sentence());
    }

    @Test
    void nothingAtAllIsSaidInWords() {
        final List<RunResult> runs = List.of(run("stock", 1, 0), run("nio", 1, 1_500));

        assertEquals("stock has none", row(runs, "tx/s").get(4));
    }

    @Test
    void whereOneSideDoesNothingTheSentenceSaysSo() {
        assertEquals(
                "1,500 tx/s with nio and 0 with stock.",
                analysis(rounds(6, 0, 1_500)).sentence());
    }

    @Test
    void aTimeIsSaidWithItsName() {
        assertEquals(
                "the median latency is 0.6 ms with nio and 43.0 ms with stock",
                Metric.P50.said("0.6", "nio", "43.0", "stock"));
        assertEquals(
                "the server's processor time per transaction is 0.24 ms with nio and 0.51 ms with stock",
                Metric.CPU.said("0.24", "nio", "0.51", "stock"));
    }

    @Test
    void onePairHasNoSpread() {
        final List<RunResult> runs = List.of(run("stock", 1, 1_000), run("nio", 1, 1_500));

        assertEquals("1 pair: not enough to tell", row(runs, "tx/s").get(4));
        assertEquals("No difference is shown in this run.", analysis(runs).sentence());
    }

    @Test
    void fivePairsThatAgreeAreLeftToChance() {
        assertEquals(
                "5 pairs: not enough to tell",
                row(rounds(5, 1_000, 1_500), "tx/s").get(4));
        assertEquals(List.of(), analysis(rounds(5, 1_000, 1_500)).headlines());
    }

    @Test
    void nothingIsSaidWhereRangesOverlap() {
        // A machine that becomes slower: every pair shows the same, and the metrics lie among each other.
        final List<RunResult> runs = new ArrayList<>();
        for (int round = 1; round <= 6; round++) {
            runs.add(run("stock", round, 2_000 - 200 * round));
            runs.add(run("nio", round, 1.1 * (2_000 - 200 * round)));
        }

        assertEquals(
                "no difference shown: their ranges overlap", row(runs, "tx/s").get(4));
    }

    @Test
    void aRunThatDidNotKeepItsPaceOrWasColdOrEndedEarlyGivesNoTimeToAnyMedian() {
        final List<RunResult> runs = new ArrayList<>(rounds(2, 1_000, 1_000).stream()
                .map(each -> Samples.paced(1_000, each))
                .toList());
        assertEquals(2, Metric.P50.range(runs.subList(0, 2)).orElseThrow().count());

        final RunResult slow = Samples.paced(3_000, run("nio", 3, 1_000));

        assertTrue(Metric.P50.range(List.of(slow)).isEmpty(), "a queue that grows");
        assertEquals(1, Metric.PACE.range(List.of(slow)).orElseThrow().count());
        assertEquals(4, Metric.P50.orNull(slow), "a threshold still sees it");
        assertTrue(Metric.P50
                .range(List.of(Samples.but("cold", run("nio", 3, 1_000))))
                .isEmpty());
        assertTrue(Metric.RATE
                .range(List.of(Samples.but("interrupted", run("nio", 3, 1_000))))
                .isEmpty());
    }

    @Test
    void whereNoRunTellsEnoughTheSentenceSaysSo() {
        final Experiment experiment = Presets.parse("x", "{listener: nio}");
        final List<RunResult> runs = List.of(Samples.but("interrupted", run("nio", 1, 1_000)));

        assertEquals("No run has enough data for a metric.", new Analysis(experiment, runs).sentence());
    }

    /** One run of three is beyond the limit: its median is not, a fault of it would be one too many. */
    @Test
    void aGateIsOnTheMedianOrOnARatioOfPairs() {
        assertEquals(List.of(), gate("nio: rate > 1600"));
        assertEquals(List.of("nio: tx/s > 1,400 holds in nio: 1,500"), gate("nio: rate > 1400"));
        assertEquals(List.of(), gate("nio/stock: rate < 1.5"));
        assertEquals(List.of("nio/stock: tx/s < 1.60 × holds in nio: 1.50 ×"), gate("nio/stock: rate < 1.6"));
        assertEquals(List.of("failures > 4 holds in nio #3: 5"), gate("failures > 4"));
    }

    @Test
    void aRunThatDidNotKeepItsPaceIsNotExcusedFromAGateOnARatio() {
        final List<RunResult> runs =
                List.of(Samples.paced(1_000, run("stock", 1, 1_000)), Samples.paced(3_000, run("nio", 1, 1_000)));
        final Experiment experiment = Samples.experiment().withThresholds(List.of("nio/stock: p50 >= 1"));

        assertEquals(
                List.of("nio/stock: p50 ms >= 1.00 × holds in nio: 1.00 ×"),
                new Analysis(experiment, runs).crossedThresholds());
    }

    /** To do something where the other does nothing is more than any ratio. */
    @Test
    void aRatioToNothingIsInfiniteAndOneOfTwoNothingsIsNone() {
        final List<RunResult> some = rounds(2, 0, 1_500);
        final List<RunResult> none = rounds(2, 0, 0);

        assertEquals(List.of(), gates("nio/stock: rate < 1.5", some).getFirst().crossed());
        assertTrue(gates("nio/stock: rate < 1.5", some).getFirst().checked());
        assertEquals(
                List.of("nio/stock: tx/s > 1.50 × holds in nio: infinite, the other has 0"),
                gates("nio/stock: rate > 1.5", some).getFirst().crossed());
        assertFalse(gates("nio/stock: rate < 1.5", none).getFirst().checked());
    }

    private static List<Gate> gates(final String threshold, final List<RunResult> runs) {
        return new Analysis(Samples.experiment().withThresholds(List.of(threshold)), runs).gates();
    }

    private static List<String> gate(final String threshold) {
        final List<RunResult> runs = new ArrayList<>(rounds(2, 1_000, 1_500));
        runs.add(run("stock", 3, 1_000));
        runs.add(Samples.withFailures(5, run("nio", 3, 2_000)));
        return new Analysis(Samples.experiment().withThresholds(List.of(threshold)), runs).crossedThresholds();
    }

    /** Runs with fewer transactions have no p99.9 of their own: medians of those that have one would lie below the p99 of all. */
    @Test
    void aCurveOfPercentilesIsOfAllRunsTogether() {
        final Histogram times = new Histogram(3);
        times.recordValueWithCount(1_000, 990);
        times.recordValueWithCount(70_000, 10);
        final Chart curve = new Analysis(Samples.experiment(), rounds(2, 1_000, 1_500), Map.of("nio", times))
                .charts().stream()
                        .filter(chart -> chart.title().equals("Times by percentile"))
                        .findFirst()
                        .orElseThrow();

        final List<Chart.Point> points = curve.series().getLast().points();
        assertEquals("99.0", points.getLast().x(), "one of a thousand is no percentile");
        assertEquals(1, points.getLast().y(), 0.01);
    }

    @Test
    void aBaselineMayBeAnySetting() {
        final Experiment experiment = Presets.parse(
                "x",
                "{vary: {secure: [{name: senior, secure: false}, {name: TLS, secure: true}]}, baseline: {secure: false}}");
        final List<RunResult> runs = List.of(run("senior", 1, 1_000), run("TLS", 1, 500));

        final DataTable table = new Analysis(experiment, runs).table();

        assertEquals(
                List.of("metric", "senior", "TLS", "TLS / senior", "which means"),
                table.columns().stream().map(DataTable.Column::title).toList());
        assertEquals("0.50 ×", table.texts().getFirst().get(3));
    }

    @Test
    void aLoadIsComparedWithTheLoadOfTheBaseline() {
        final Experiment experiment = Presets.parse(
                "x", "{listener: nio, vary: {reconnect: [false, true]}, baseline: {reconnect: false}, metrics: rate}");
        final List<RunResult> runs = List.of(
                run("nio", 1, 1_000).at(new Place("no reconnect", "nio", 1, 1)),
                run("nio", 1, 250).at(new Place("reconnect", "nio", 1, 1)));

        final DataTable table = new Analysis(experiment, runs).table();

        assertEquals("nio / no reconnect", table.columns().get(3).title());
        assertEquals(
                "0.25 ×",
                table.texts().stream()
                        .filter(row -> row.get(1).equals("tx/s"))
                        .toList()
                        .getLast()
                        .get(3));
    }

    @Test
    void otherWorkIsNoBaseline() {
        final Experiment experiment = Presets.read("connections");

        assertEquals(
                List.of("nio, 1,000 / stock, 1,000"),
                new Analysis(experiment, List.of())
                        .comparisons().stream()
                                .map(each -> each.column() + " / " + each.againstColumn())
                                .toList());
    }

    @Test
    void theFourTilesAreOfDifferentMetricsFirst() {
        final Experiment experiment = new Experiment(
                        "x", "", Settings.DEFAULTS, List.of(), List.of("rate", "generator-cpu"), List.of())
                .vary(Axis.parse("clients=1,2,3,4"))
                .vary(Axis.parse("listener=stock,nio"));
        final List<RunResult> runs = new ArrayList<>();
        for (final String row : List.of("clients 1", "clients 2", "clients 3", "clients 4")) {
            for (int round = 1; round <= 6; round++) {
                runs.add(run("stock", round, 1_000).at(new Place(row, "stock", round, 1)));
                runs.add(run("nio", round, 1_500, CHEAP, Samples.QUIET).at(new Place(row, "nio", round, 1)));
            }
        }

        final List<Headline> tiles = new Analysis(experiment, runs).headlines();

        assertEquals(4, tiles.size());
        assertTrue(tiles.get(0).caption().startsWith("tx/s, "), tiles::toString);
        assertTrue(tiles.get(1).caption().startsWith("generator CPU ms/tx, "), tiles::toString);
    }

    @Test
    void ofAMetricThatIsNotShownNothingIsToBewareOf() {
        final Experiment experiment = new Experiment("x", "", Settings.DEFAULTS, List.of(), List.of("cpu"), List.of())
                .vary(Axis.parse("listener=stock,nio"));
        final List<RunResult> runs = List.of(run("nio", 1, 1_000), run("nio", 2, 1_300));

        assertEquals(1, analysis(runs).warnings(PROCESSORS).size());
        assertEquals(List.of(), new Analysis(experiment, runs).warnings(PROCESSORS));
    }

    @Test
    void aBarHasTheLeastAndTheMostOfItsRuns() {
        final List<RunResult> runs =
                List.of(run("stock", 1, 1_000), run("nio", 1, 1_500), run("nio", 2, 1_700), run("nio", 3, 1_600));
        final Chart rate = analysis(runs).charts().getFirst();
        assertEquals(
                List.of(new Chart.Point("stock", 1_000.0), new Chart.Point("nio", 1_600.0, 1_500.0, 1_700.0)),
                rate.series().stream().flatMap(each -> each.points().stream()).toList());
        assertTrue(rate.hasSpread());
    }

    /** So many rounds of both, in which nothing changes. */
    private static List<RunResult> rounds(final int count, final double stock, final double nio) {
        return IntStream.rangeClosed(1, count)
                .boxed()
                .flatMap(round -> Stream.of(run("stock", round, stock), run("nio", round, nio)))
                .toList();
    }

    @Test
    void aClientThatCatchesUpKeepsItsPaceAndNoMore() {
        assertEquals(100, Metric.PACE.orNull(Samples.paced(1_000, run("nio", 1, 1_277))), 0.001);
        assertEquals(50, Metric.PACE.orNull(Samples.paced(2_000, run("nio", 1, 1_000))), 0.001);
    }

    @Test
    void failuresAreCountedInTheVerdict() {
        final String verdict =
                analysis(List.of(run("stock", 1, 1_000), run("nio", 1, 1_500))).verdict(PROCESSORS);

        assertTrue(
                verdict.contains("stock: 3 failed, of 50 packets 0 lost, 0 duplicated, 0 damaged; nio: 3 failed"),
                verdict);
        assertTrue(verdict.endsWith("But the order is not balanced."), verdict);
    }

    @Test
    void nothingIsSaidOfPacketsThatNobodyCounted() {
        final RunResult run = Samples.withFailures(0, run("nio", 1, 1_000));
        assertTrue(analysis(List.of(run))
                .verdict(PROCESSORS)
                .contains("no failure; of 50 packets 0 lost, 0 duplicated, 0 damaged"));
        assertTrue(analysis(List.of(run, Samples.uncounted(run)))
                .verdict(PROCESSORS)
                .contains("no failure; of 50 packets in 1 of 2 runs 0 lost"));
        final String uncounted = analysis(List.of(Samples.uncounted(run))).verdict(PROCESSORS);
        assertTrue(uncounted.contains("no failure; packets were not counted"), uncounted);
        final String failed =
                analysis(List.of(Samples.uncounted(run("nio", 1, 1_000)))).verdict(PROCESSORS);
        assertTrue(failed.contains("nio: 3 failed, packets not counted"), failed);
    }

    /** What is to be said where every metric is shown. */
    private static List<Warning> warnings(final List<RunResult> runs) {
        return Warning.of(runs, PROCESSORS, (row, metric) -> true);
    }

    @Test
    void aBusyGeneratorAndANoisyMachineAreNamedForAnyKindOfRun() {
        final List<Warning> warnings = warnings(List.of(
                run("nio", 1, 1_000, new GeneratorMetrics(0.1, 110, 97, 120.0, 60.0), Samples.QUIET),
                run("nio", 2, 1_000, Samples.EASY, new Disturbance(60, 12))));

        assertEquals(
                List.of(
                        "the load generator was the limit",
                        "the load generator fell behind",
                        "the load generator read late",
                        "the machine was noisy"),
                warnings.stream().map(Warning::brief).toList());
        assertTrue(warnings.getFirst().remark().contains("its busiest thread took up to 97 % of a processor"));
        assertTrue(warnings.get(1).remark().contains("up to 120 ms (p99) later than due"));
        assertTrue(warnings.get(2).remark().contains("up to 60 ms (p99) late"));
    }

    @Test
    void manyRunsAreCountedAndNotListed() {
        final List<RunResult> runs = IntStream.rangeClosed(1, 6)
                .mapToObj(row -> run("nio", 1, 1_000, Samples.EASY, row == 6 ? Samples.QUIET : new Disturbance(60, 12))
                        .at(new Place("row " + row, "nio", 1, 1)))
                .toList();

        final String remark = warnings(runs).getFirst().remark();

        assertTrue(remark.startsWith("The machine was noisy in 5 of 6 runs, the first of them row 1, nio: "), remark);
    }

    @Test
    void runsOfTheSameWorkThatLieFarApartAreNoise() {
        assertEquals(
                List.of("runs of the same work differ widely"),
                warnings(List.of(run("nio", 1, 1_000), run("nio", 2, 1_300))).stream()
                        .map(Warning::brief)
                        .toList());
        assertEquals(List.of(), warnings(List.of(run("nio", 1, 1_000), run("nio", 2, 1_100))));
    }

    @Test
    void aPositionThatExplainsADifferenceIsNamed() {
        final List<RunResult> runs = new ArrayList<>();
        for (int round = 1; round <= 6; round++) {
            runs.add(run("stock", round, 1_000 + round));
            runs.add(run("nio", round, Experiment.isForwards(round) ? 5_240 + round : 3_760 + round));
        }

        final Warning position = warnings(runs).stream()
                .filter(warning -> warning.brief().startsWith("the position"))
                .findFirst()
                .orElseThrow();

        assertTrue(position.remark().contains("tx/s of nio (5,244 and 3,763)"), position.remark());
        assertFalse(position.remark().contains("stock"), position.remark());
    }

    @Test
    void countsThatASearchTriesAreNotTheSameWork() {
        final RunResult another = Samples.withClients(4, run("nio", 2, 4_000));

        assertEquals(List.of(), warnings(List.of(run("nio", 1, 1_000), another)));
    }

    @Test
    void rulesAreReadWithTheirUnitsAndHoldForTheirTargetOnly() {
        final RunResult run = run("nio", 1, 1_000);

        assertTrue(Threshold.parse("p99 > 8ms").holds(run));
        assertFalse(Threshold.parse("p99 > 0.01s").holds(run));
        final Settings nio = Settings.DEFAULTS.with("listener", "nio").with("secure", "true");
        assertTrue(Threshold.parse("nio: failures > 0").isAbout(nio), "whatever the column is called");
        assertFalse(Threshold.parse("stock: failures > 0").isAbout(nio));
        assertTrue(Threshold.parse("nio, secure=true: failures > 0").isAbout(nio));
        assertFalse(Threshold.parse("secure=false: failures > 0").isAbout(nio));
        assertFalse(Threshold.parse("keeps-pace").holds(run), "what was not measured is not kept");
        assertThrows(IllegalArgumentException.class, () -> Threshold.parse("p99 is bad"));
        assertThrows(IllegalArgumentException.class, () -> Threshold.parse("speed > 5"));
    }

    @Test
    void aLimitHasTheUnitOfItsFigure() {
        assertEquals(2, Threshold.parse("idle-seconds > 2s").limit());
        assertEquals(0.5, Threshold.parse("idle-seconds > 500ms").limit());
        assertEquals(2_000, Threshold.parse("p99 > 2s").limit());
        assertEquals(2_048, Threshold.parse("rss > 2g").limit());
        assertEquals(98, Threshold.parse("pace < 98%").limit());
        assertThrows(IllegalArgumentException.class, () -> Threshold.parse("rate > 5s"));
        assertThrows(IllegalArgumentException.class, () -> Threshold.parse("failures > 5%"));
    }

    @Test
    void aRuleThatNoRunCouldBreakIsSaidToBeUnchecked() {
        final Experiment experiment = Samples.experiment().withThresholds(List.of("live-heap > 5", "p99 > 1ms"));

        final Analysis analysis = new Analysis(experiment, List.of(run("nio", 1, 1_000)));

        assertEquals(1, analysis.uncheckedThresholds().size());
        assertTrue(analysis.uncheckedThresholds().getFirst().startsWith("live heap MiB > 5.0 was not checked"));
    }

    @Test
    void noGrowthIsSaidWithWhatGrowthWouldHaveBeenSeen() {
        final List<RunResult> repetitions = new ArrayList<>();
        for (int repetition = 1; repetition <= 12; repetition++) {
            final RunResult run = run("nio", 1, 1_000).at(new Place("", "nio", 1, repetition));
            run.probes().put("live-heap", 200.0 + (repetition % 2 == 0 ? 5 : -5));
            run.probes().put("rss-after", 1_000.0 + 50 * repetition);
            repetitions.add(run);
        }

        final List<Trend> trends = Trend.of(repetitions);

        assertEquals(2, trends.size());
        assertFalse(trends.getFirst().slope().grows());
        assertTrue(trends.getFirst().sentence().contains("no growth is shown, and one of more than"));
        assertTrue(trends.getLast().slope().grows());
        assertTrue(trends.getLast().sentence().endsWith("it grows"));
    }

    private static Analysis analysis(final List<RunResult> runs) {
        return new Analysis(Samples.experiment(), runs);
    }

    private static List<String> row(final List<RunResult> runs, final String title) {
        return analysis(runs).table().texts().stream()
                .filter(row -> row.getFirst().equals(title))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyRowHasItsOwnFigures() {
        final Experiment experiment = new Experiment("x", "", Settings.DEFAULTS, List.of(), List.of("rate"), List.of())
                .vary(Axis.parse("clients=1,2"))
                .vary(Axis.parse("listener=stock,nio"));
        final List<RunResult> runs = new ArrayList<>();
        for (final String row : List.of("clients 1", "clients 2")) {
            for (final String column : List.of("stock", "nio")) {
                runs.add(run(column, 1, 100).at(new Place(row, column, 1, 1)));
            }
        }

        assertEquals(
                List.of("clients 1 tx/s", "clients 1 server CPU ms/tx", "clients 2 tx/s", "clients 2 server CPU ms/tx"),
                new Analysis(experiment, runs)
                        .table().texts().stream()
                                .map(row -> row.getFirst() + " " + row.get(1))
                                .toList());
    }
}
