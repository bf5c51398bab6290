// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.nios2s.harness.analysis.Analysis;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.SteadyWindow;
import org.nios2s.harness.plan.Axis;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.ExperimentResult.Completion;
import org.nios2s.harness.result.ExperimentResult.Conclusion;
import org.nios2s.harness.result.ExperimentResult.Repeat;
import org.nios2s.harness.result.ExperimentResult.Setup;
import org.nios2s.harness.result.RunResult.Disturbance;
import org.nios2s.harness.result.RunResult.Execution;
import org.nios2s.harness.result.RunResult.GeneratorMetrics;
import org.nios2s.harness.result.RunResult.LatencySummary;
import org.nios2s.harness.result.RunResult.LedgerMetrics;
import org.nios2s.harness.result.RunResult.LoadMetrics;
import org.nios2s.harness.result.RunResult.Place;
import org.nios2s.harness.result.RunResult.ServerMetrics;
import org.nios2s.harness.result.RunResult.TimeSeries;

/** Results as an experiment would make them, with metrics that are easy to recognize. Stateless. */
public final class Samples {

    private static final long FAILURES = 3;
    /** A cause that would break a page which does not escape it. */
    public static final String CAUSE = "time-out while \"waiting\" </script><b>";

    public static final GeneratorMetrics EASY = new GeneratorMetrics(0.1, 20, 15, 1.0, 2.0);
    public static final Disturbance QUIET = new Disturbance(5, 0);

    private static final double MILLIS = 4.5;

    private Samples() {}

    /** A run of a target with a time series of some seconds. */
    public static RunResult run(final String column, final int round, final double rate) {
        return run(column, round, rate, EASY, QUIET);
    }

    /** The same with a generator and a machine that were not at their best. */
    public static RunResult run(
            final String column,
            final int round,
            final double rate,
            final GeneratorMetrics generator,
            final Disturbance disturbance) {
        final List<TimeSeries.Sample> samples = new ArrayList<>();
        for (int second = 1; second <= 12; second++) {
            samples.add(new TimeSeries.Sample(
                    second,
                    rate + second,
                    second == 2 ? Map.of(CAUSE, FAILURES) : Map.of(),
                    MILLIS,
                    second == 1 ? null : 2 * MILLIS,
                    120.5,
                    20.0,
                    900.0,
                    100));
        }
        return new RunResult(
                new Place("", column, round, 1),
                settings(),
                new Execution(
                        "r1",
                        "wire",
                        Instant.parse("2026-11-21T10:00:00Z"),
                        5,
                        new SteadyWindow(1, 4, 0.5, (long) (4 * rate), true),
                        false,
                        false,
                        new ObservedServer(
                                column, "epoll", "plain TCP", "a pool of threads", "2.9.0", "25", "0123456789abcdef")),
                new LoadMetrics(
                        (long) (5 * rate),
                        rate,
                        5,
                        500,
                        FAILURES,
                        Map.of(CAUSE, FAILURES),
                        0,
                        0,
                        0,
                        Map.of(Phase.TOTAL, new LatencySummary(100, 5, 4, 7.0, 9, null, 10))),
                generator,
                new ServerMetrics(100, 0.5, 50, 1 << 30, 100),
                new LedgerMetrics(50, 50, 0, 0, 0, 0L, null, true),
                disturbance,
                new TimeSeries(samples),
                new TreeMap<>());
    }

    /** The same run whose clients should each have begun so often in a second. */
    public static RunResult paced(final double perSecond, final RunResult run) {
        final ObjectNode copy = ResultDirectory.JSON.valueToTree(run);
        copy.withObject("/settings").put("interval", "PT%.9fS".formatted(1 / perSecond));
        return ResultDirectory.JSON.convertValue(copy, RunResult.class);
    }

    /** The same run, with another value of something that is true or false of its execution. */
    public static RunResult but(final String name, final RunResult run) {
        final ObjectNode copy = ResultDirectory.JSON.valueToTree(run);
        copy.withObject("/execution").put(name, true);
        return ResultDirectory.JSON.convertValue(copy, RunResult.class);
    }

    /** The same run with so many failures. */
    public static RunResult withFailures(final int failures, final RunResult run) {
        final ObjectNode copy = ResultDirectory.JSON.valueToTree(run);
        copy.withObject("/load").put("failures", failures);
        return ResultDirectory.JSON.convertValue(copy, RunResult.class);
    }

    /** The same run with so many lost packets. */
    public static RunResult withLost(final int lost, final RunResult run) {
        final ObjectNode copy = ResultDirectory.JSON.valueToTree(run);
        copy.withObject("/ledger").put("lost", lost);
        return ResultDirectory.JSON.convertValue(copy, RunResult.class);
    }

    /** The same run, after which the count of packets had to end too early. */
    public static RunResult unsettled(final RunResult run) {
        final ObjectNode copy = ResultDirectory.JSON.valueToTree(run);
        copy.withObject("/ledger").put("settled", false);
        return ResultDirectory.JSON.convertValue(copy, RunResult.class);
    }

    /** A comparison in which nothing went wrong. */
    public static ExperimentResult flawless() {
        final ExperimentResult some = comparison();
        return with(some.runs().stream().map(run -> withFailures(0, run)).toList(), some);
    }

    /** The same result with other runs. */
    public static ExperimentResult with(final List<RunResult> runs, final ExperimentResult result) {
        return new ExperimentResult(
                result.experiment(),
                result.started(),
                result.setup(),
                result.completion(),
                result.conclusion(),
                result.tables(),
                result.charts(),
                runs,
                result.comparisons());
    }

    /** The same run, whose packets nobody counted. */
    public static RunResult uncounted(final RunResult run) {
        final ObjectNode copy = ResultDirectory.JSON.valueToTree(run);
        copy.putNull("ledger");
        return ResultDirectory.JSON.convertValue(copy, RunResult.class);
    }

    /** The same run of another number of clients. */
    public static RunResult withClients(final int clients, final RunResult run) {
        final ObjectNode copy = ResultDirectory.JSON.valueToTree(run);
        copy.withObject("/settings").put("clients", clients);
        return ResultDirectory.JSON.convertValue(copy, RunResult.class);
    }

    /** Stock against NIO, as a preset has it. */
    public static Experiment experiment() {
        return new Experiment("compare", "Stock against NIO", Settings.DEFAULTS, List.of(), List.of(), List.of())
                .vary(Axis.parse("listener=stock,nio"));
    }

    /** A comparison of two runs. */
    public static ExperimentResult comparison() {
        return comparison(1_000, 2_500);
    }

    /** A comparison with the rates of each round, stock's first. */
    public static ExperimentResult comparison(final double... rates) {
        final List<RunResult> runs = new ArrayList<>();
        for (int index = 0; index < rates.length; index++) {
            runs.add(run(index % 2 == 0 ? "stock" : "nio", 1 + index / 2, rates[index]));
        }
        final Analysis analysis = new Analysis(experiment(), runs);
        final List<Chart> charts = new ArrayList<>();
        charts.add(new Chart(
                "Rate by connections",
                Chart.Kind.LINE,
                new Chart.Axis("connections", "connections"),
                new Chart.Axis("rate", "req/s"),
                List.of(new Chart.Series("nio", List.of(new Chart.Point(1.0, 10.0), new Chart.Point(2.0, 20.0))))));
        return new ExperimentResult(
                "compare",
                Instant.parse("2026-11-21T10:00:00Z"),
                new Setup(
                        Machine.current(Set.of("2.9.0")),
                        Map.of("clients", 100, "interval", "10ms"),
                        new Repeat("s2s-harness measure compare", "clients: 100")),
                Completion.COMPLETE,
                new Conclusion(
                        analysis.sentence(),
                        analysis.verdict(2),
                        analysis.headlines(),
                        List.of("The machine was noisy.")),
                List.of(analysis.table()),
                charts,
                runs,
                analysis.comparisons());
    }

    private static LoadSettings settings() {
        final Duration second = Duration.ofSeconds(1);
        return new LoadSettings(
                1,
                10,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                second,
                LoadSettings.Shape.push(5, 10),
                LoadSettings.Connection.KEPT);
    }
}
