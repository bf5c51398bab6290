// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.analysis.Analysis;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.analysis.Threshold;
import org.nios2s.harness.analysis.Warning;
import org.nios2s.harness.engine.BoundarySearch;
import org.nios2s.harness.engine.BrokenRunException;
import org.nios2s.harness.engine.Measured;
import org.nios2s.harness.engine.Runner;
import org.nios2s.harness.plan.Axis;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.plan.Experiment.Trial;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.RunResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "search",
        description = {
            "Looks for the largest number of clients that meets every threshold, on each target: grows it while the thresholds are"
                    + " met, then closes in.",
            "A count has to meet no-failure, keeps-pace, and every --threshold: a metric and a limit, as 'p99 < 200ms'."
        },
        footer =
                "Exit code: 0 some count meets the thresholds on every target, 1 otherwise, or when it did not come to its end, 2"
                        + " wrong usage.",
        abbreviateSynopsis = true,
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class SearchCommand implements Callable<Integer> {

    /** For each count, when the generator or the machine is in the way. */
    private static final int ATTEMPTS = 3;

    private static final List<String> DEFAULT_THRESHOLDS = List.of("no-failure", "keeps-pace");
    /** From one count to the next while the thresholds are met. */
    private static final double GROWTH = 1.5;

    private static final String SEARCHED = "searched";
    private static final double PERCENT = 100;
    /** Of a run, so that all clients are together for most of it however many they are. */
    private static final int RAMP_PART = 2;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "PRESET|FILE",
            arity = "0..1",
            defaultValue = "scale",
            description = "What is measured; default: ${DEFAULT-VALUE}.")
    private String preset;

    @Option(
            names = "--threshold",
            paramLabel = "RULE",
            description = "A threshold in addition to no-failure and keeps-pace. May be repeated.")
    private List<String> thresholds = List.of();

    @Option(names = "--no-default-thresholds", description = "A count has to meet the thresholds of --threshold only.")
    private boolean noDefaults;

    @Option(
            names = "--max",
            paramLabel = "N",
            defaultValue = "20000",
            description = "The largest count that is tried; default: ${DEFAULT-VALUE}.")
    private int max;

    @Option(
            names = "--resolution",
            paramLabel = "PERCENT",
            defaultValue = "10",
            description = "Precision of the answer; default: ${DEFAULT-VALUE}.")
    private double resolution;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private ExperimentSession session;

    private final List<RunResult> tried = new ArrayList<>();
    private List<Threshold> wanted;

    @Override
    public Integer call() throws InterruptedException {
        final Experiment experiment = MeasureCommand.experiment(spec, preset, List.of(), List.of());
        final Axis.Step searched = new Axis.Step(SEARCHED, Map.of(), Map.of(), List.of());
        final Experiment varied = ParameterOptions.checked(spec, () -> {
            searches(experiment);
            final List<String> all = new ArrayList<>(noDefaults ? List.of() : DEFAULT_THRESHOLDS);
            all.addAll(thresholds);
            if (all.isEmpty()) {
                throw new IllegalArgumentException(
                        "--no-default-thresholds leaves nothing to meet: write a --threshold");
            }
            wanted = all.stream().map(Threshold::parse).toList();
            if (wanted.stream().anyMatch(Threshold::isRatio)) {
                throw new IllegalArgumentException("A search has no pairs: write a --threshold without a ratio");
            }
            wanted.forEach(threshold -> Analysis.requirePossible(threshold, experiment, targets.seesProcess()));
            return experiment.vary(new Axis(Parameter.CLIENTS.key(), List.of(searched)));
        });
        return session.run(varied, targets, (known, runner, results) -> search(searches(known), runner, results));
    }

    private Map<Cell, BoundarySearch> searches(final Experiment experiment) {
        final Map<Cell, BoundarySearch> searches = new LinkedHashMap<>();
        for (final Cell cell : experiment.cells()) {
            final int first = cell.settings().number(Parameter.CLIENTS);
            searches.put(cell, new BoundarySearch(first, max, GROWTH, resolution / PERCENT));
        }
        return searches;
    }

    private void search(final Map<Cell, BoundarySearch> searches, final Runner runner, final Results results)
            throws InterruptedException {
        say(searches, results);
        runner.prepare();
        List<Map.Entry<Cell, BoundarySearch>> order = new ArrayList<>(searches.entrySet());
        boolean more = true;
        for (int round = 1; more && !runner.interrupted(); round++) {
            more = false;
            for (final Map.Entry<Cell, BoundarySearch> each : order) {
                final OptionalInt next = each.getValue().next();
                if (next.isPresent() && !runner.interrupted()) {
                    more = true;
                    try {
                        attempt(each, next.getAsInt(), round, runner, results);
                    } finally {
                        say(searches, results);
                    }
                }
            }
            order = order.reversed();
        }
    }

    /** So that a search that is killed or breaks has said what it knew. */
    private void say(final Map<Cell, BoundarySearch> searches, final Results results) {
        results.say(
                searches.entrySet().stream().map(SearchCommand::found).collect(Collectors.joining("; ", "", ".")),
                searches.entrySet().stream()
                        .filter(search -> search.getValue().largestWithoutFailure() == 0)
                        .map(SearchCommand::found)
                        .toList(),
                Metric.table(
                        "Every count, in the order in which they were tried",
                        List.of("target", "clients"),
                        run -> List.of(run.place().column(), run.settings().clients()),
                        List.of(Metric.RATE, Metric.PACE, Metric.FAILURES, Metric.P50, Metric.P99),
                        tried));
    }

    private void attempt(
            final Map.Entry<Cell, BoundarySearch> search,
            final int count,
            final int round,
            final Runner runner,
            final Results results)
            throws InterruptedException {
        final Cell cell = search.getKey().with(Parameter.CLIENTS, Integer.toString(count));
        final long stagger = cell.settings().load().duration().toMillis() / RAMP_PART / count;
        final Cell paced = stagger < cell.settings().load().stagger().toMillis()
                ? cell.with(Parameter.STAGGER, Math.max(0, stagger) + "ms")
                : cell;
        final Cell named = new Cell(SEARCHED, paced.column(), paced.settings(), paced.metrics());
        try {
            search.getValue().tried(isMet(named, round, runner, results));
        } catch (final BrokenRunException e) {
            // A count that ends a NiFi meets no threshold, and there is nobody left to try with fewer.
            search.getValue().tried(false);
            throw e;
        }
    }

    /** A count that the generator or the machine spoils is no answer about the target: it is tried again. */
    private boolean isMet(final Cell cell, final int round, final Runner runner, final Results results)
            throws InterruptedException {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            final List<RunResult> repetitions = runner.measure(new Trial(round, cell), results::add).stream()
                    .map(Measured::result)
                    .toList();
            tried.addAll(repetitions);
            final List<RunResult> failed = repetitions.stream()
                    .filter(run -> !isMet(run, cell.settings()))
                    .toList();
            if (failed.stream().noneMatch(SearchCommand::isOfTheGenerator)) {
                return failed.isEmpty();
            }
        }
        throw new HarnessException(
                "The search has no answer for %s: with %s clients the load generator or the machine was the limit, %d times"
                        .formatted(cell.column(), cell.settings().text(Parameter.CLIENTS), ATTEMPTS));
    }

    private static boolean isOfTheGenerator(final RunResult run) {
        return Warning.isOfTheGenerator(run, Runtime.getRuntime().availableProcessors());
    }

    private boolean isMet(final RunResult run, final Settings settings) {
        return run.load().transactions() > 0
                && (run.ledger() == null || run.ledger().exact())
                && wanted.stream()
                        .filter(threshold -> threshold.isAbout(settings))
                        .allMatch(threshold -> threshold.holds(run));
    }

    private static String found(final Map.Entry<Cell, BoundarySearch> search) {
        final int most = search.getValue().largestWithoutFailure();
        final int tooMany = search.getValue().smallestWithFailure();
        final String more = tooMany == 0 ? "more were not tried" : Metric.words("%,d do not", tooMany);
        return Metric.words(
                "%s: %,d clients meet the thresholds, %s", search.getKey().column(), most, more);
    }
}
