// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.Figure;
import org.nios2s.harness.result.RunReport;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.Verdict;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.LoadScenario;
import org.nios2s.harness.scenario.LoadScenario.Measured;
import org.nios2s.harness.scenario.MeasuredNifi;
import org.nios2s.harness.scenario.Target;
import org.nios2s.harness.scenario.UntilFailureScenario;
import org.nios2s.harness.scenario.UntilFailureScenario.Counts;
import org.nios2s.harness.scenario.UntilFailureScenario.Found;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The scale test of 2019: many clients, each sending a transaction per interval.
 * Runs on the main thread.
 */
@Command(
        name = "scale",
        description = {
            "Many clients push transactions into NiFi; measures both sides and checks that every packet arrived once.",
            "Without --home, --url and --target it starts a NiFi with each listener, one after the other, and stops"
                    + " it.",
            "With --until-failure it looks for the largest number of clients without a failure."
        },
        footer = "Exit code: 0 no failure and an exact ledger (--until-failure: some count without a failure),"
                + " 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ScaleCommand implements Callable<Integer> {

    private static final int CLIENTS = 1_000;
    private static final int TRANSACTIONS = 30;
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    @Spec
    private CommandSpec spec;

    @Mixin
    private LoadOptions load;

    @Mixin
    private UntilFailureOptions untilFailure;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "How long a NiFi that is started is driven flat out before it counts; default:"
                    + " ${DEFAULT-VALUE}.")
    private Duration warmup;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private ProfileOption profile;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final Map<String, Found> found = new LinkedHashMap<>();

    @Override
    public Integer call() throws InterruptedException {
        final LoadSettings settings = load.settings(CLIENTS, untilFailure.transactions(TRANSACTIONS), INTERVAL);
        final Counts counts = untilFailure.wanted() ? untilFailure.counts(settings, load.client()) : null;
        final List<Supplier<MeasuredNifi>> subjects = targets.subjects(embedded, load.client());
        return Measuring.run(
                results,
                interruption -> measureAll(subjects, settings, counts, interruption),
                () -> counts == null ? Verdict.of(results.runs()) : searchVerdict(),
                () -> counts == null
                        ? results.flawless()
                        : found.values().stream().allMatch(answer -> answer.largestWithoutFailure() > 0));
    }

    private void measureAll(
            final List<Supplier<MeasuredNifi>> subjects,
            final LoadSettings settings,
            final Counts counts,
            final Interruption interruption)
            throws InterruptedException {
        final LoadScenario scenario = new LoadScenario(load.client(), interruption);
        for (final Supplier<MeasuredNifi> subject : subjects) {
            if (interruption.interrupted()) {
                return;
            }
            try (MeasuredNifi nifi = subject.get()) {
                if (!warmUp().isZero()) {
                    scenario.run(settings.flatOutFor(warmUp()), nifi.target());
                }
                if (counts != null) {
                    search(
                            new UntilFailureScenario(scenario, interruption, this::tried),
                            settings,
                            counts,
                            nifi.target());
                } else if (!interruption.interrupted()) {
                    final Measured run = scenario.run(settings, nifi.target());
                    spec.commandLine().getOut().println(RunReport.of(run.result()));
                    results.add(subjects.size() == 1 ? "" : nifi.target().name(), run);
                    profile.record(
                            nifi.target().name(), nifi.target(), results, () -> scenario.run(settings, nifi.target()));
                }
            }
        }
    }

    private void search(
            final UntilFailureScenario scenario, final LoadSettings settings, final Counts counts, final Target target)
            throws InterruptedException {
        final Found answer = scenario.run(settings, counts, target);
        found.put(target.name(), answer);
    }

    /** A NiFi that somebody else runs gets nothing but the load that was asked for. */
    private Duration warmUp() {
        return targets.running() ? Duration.ZERO : warmup;
    }

    private void tried(final Measured run) {
        final RunResult result = run.result();
        results.add(
                Words.of(
                        "%s-%05d",
                        Words.fileName(result.listener()), result.settings().clients()),
                run);
        results.say(
                "%s, %,d clients: %s tx/s, %,d failures%s",
                result.listener(),
                result.settings().clients(),
                Figure.RATE.text(result),
                result.failures(),
                result.flawless() || result.failures() > 0 ? "" : ", but the ledger is not exact");
    }

    private String searchVerdict() {
        results.runs().stream()
                .collect(Collectors.groupingBy(RunResult::listener, LinkedHashMap::new, Collectors.toList()))
                .forEach((name, runs) -> results.table(searchTable(name, runs)));
        results.chart(chart("Failures by number of clients", "failed", "transactions", Figure.FAILURES));
        results.chart(chart("Tail of the transactions", "total p99", "ms", Figure.TOTAL_P99));
        return found.isEmpty()
                ? "No search came to its end."
                : found.entrySet().stream()
                        .map(entry -> verdict(entry.getKey(), entry.getValue()))
                        .collect(Collectors.joining("; ", "", "."));
    }

    private static DataTable searchTable(final String name, final List<RunResult> runs) {
        DataTable table = DataTable.of(
                "More and more clients: " + name,
                Column.of("clients"),
                Figure.RATE.column(),
                Figure.FAILURES.column(),
                Figure.TOTAL_P50.column(),
                Figure.TOTAL_P99.column(),
                Figure.RESPONSE_P99.column(),
                Figure.LOST.column(),
                Figure.DUPLICATED.column());
        for (final RunResult run : runs) {
            table = table.row(
                    run.settings().clients(),
                    Figure.RATE.cell(run),
                    Figure.FAILURES.cell(run),
                    Figure.TOTAL_P50.cell(run),
                    Figure.TOTAL_P99.cell(run),
                    Figure.RESPONSE_P99.cell(run),
                    Figure.LOST.cell(run),
                    Figure.DUPLICATED.cell(run));
        }
        return table.noted("In the order in which they were tried.");
    }

    private Chart chart(final String title, final String what, final String unit, final Figure figure) {
        final Map<String, List<RunResult>> runs =
                results.runs().stream().collect(Collectors.groupingBy(RunResult::listener));
        final List<Chart.Series> series = new ArrayList<>();
        runs.forEach((name, of) -> {
            final List<RunResult> sorted = of.stream()
                    .sorted((one, other) -> Integer.compare(
                            one.settings().clients(), other.settings().clients()))
                    .toList();
            series.add(Chart.Series.of(
                    name,
                    sorted.stream().mapToDouble(run -> run.settings().clients()).toArray(),
                    sorted.stream().mapToDouble(run -> figure.of(run).orElse(0)).toArray()));
        });
        return Chart.line(title, new Chart.Axis("clients", "clients"), new Chart.Axis(what, unit), series);
    }

    private static String verdict(final String name, final Found answer) {
        return Words.of(
                "%s: %,d clients without a failure, %s%s",
                name,
                answer.largestWithoutFailure(),
                answer.smallestWithFailure() == 0
                        ? "more were not tried"
                        : Words.of("%,d had failures", answer.smallestWithFailure()),
                answer.complete() ? "" : " (ended early)");
    }
}
