// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.nios2s.harness.engine.BrokenRunException;
import org.nios2s.harness.engine.CountSearch;
import org.nios2s.harness.engine.Interruption;
import org.nios2s.harness.engine.LoadRun.Measured;
import org.nios2s.harness.engine.Runner;
import org.nios2s.harness.judge.Figure;
import org.nios2s.harness.judge.Rule;
import org.nios2s.harness.plan.Axis;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.plan.Experiment.Turn;
import org.nios2s.harness.plan.Parameter;
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
            "Looks for the largest number of clients that meets every rule, on each target: grows it while the rules are"
                    + " met, then closes in.",
            "Rules: no-failure, keeps-pace, or a figure and a limit, as 'p99 < 200ms'. Default: no-failure and keeps-pace."
        },
        footer = "Exit code: 0 some count meets the rules on every target, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class SearchCommand implements Callable<Integer> {

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

    @Option(names = "--rule", paramLabel = "RULE", description = "What a count has to meet. May be repeated.")
    private List<String> rules = List.of("no-failure", "keeps-pace");

    @Option(
            names = "--most",
            paramLabel = "N",
            defaultValue = "20000",
            description = "The largest count that is tried; default: ${DEFAULT-VALUE}.")
    private int most;

    @Option(
            names = "--growth",
            paramLabel = "FACTOR",
            defaultValue = "1.5",
            description = "From one count to the next while the rules are met; default: ${DEFAULT-VALUE}.")
    private double growth;

    @Option(
            names = "--resolution",
            paramLabel = "PERCENT",
            defaultValue = "10",
            description = "How near the answer has to be; default: ${DEFAULT-VALUE}.")
    private double resolution;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private Session session;

    private final List<RunResult> tried = new ArrayList<>();
    private List<Rule> wanted;

    @Override
    public Integer call() throws InterruptedException {
        final Experiment experiment = MeasureCommand.experiment(spec, preset, List.of(), List.of());
        wanted = ParameterOptions.checked(spec, () -> {
            searches(experiment);
            return rules.stream().map(Rule::parse).toList();
        });
        final Map<Cell, CountSearch> searches = new LinkedHashMap<>();
        final Axis.Step searched = new Axis.Step(SEARCHED, Map.of(), Map.of(), List.of());
        session.run(experiment.vary(new Axis("clients", List.of(searched))), targets, (known, runner, interruption) -> {
            searches.putAll(searches(known));
            search(searches, runner, interruption);
        });
        return searches.values().stream().allMatch(search -> search.largestWithoutFailure() > 0) ? 0 : 1;
    }

    private Map<Cell, CountSearch> searches(final Experiment experiment) {
        final Map<Cell, CountSearch> searches = new LinkedHashMap<>();
        for (final Cell cell : experiment.cells()) {
            final int first = cell.settings().number(Parameter.CLIENTS);
            searches.put(cell, new CountSearch(first, most, growth, resolution / PERCENT));
        }
        return searches;
    }

    private void search(final Map<Cell, CountSearch> searches, final Runner runner, final Interruption interruption)
            throws InterruptedException {
        runner.prepare();
        List<Map.Entry<Cell, CountSearch>> order = new ArrayList<>(searches.entrySet());
        boolean more = true;
        for (int round = 1; more && !interruption.interrupted(); round++) {
            more = false;
            for (final Map.Entry<Cell, CountSearch> each : order) {
                final OptionalInt next = each.getValue().next();
                if (next.isPresent() && !interruption.interrupted()) {
                    more = true;
                    attempt(each, next.getAsInt(), round, runner);
                }
            }
            order = order.reversed();
        }
        session.table(Figure.table(
                "Every count, in the order in which they were tried",
                List.of("target", "clients"),
                run -> List.of(run.place().column(), run.settings().clients()),
                List.of(Figure.RATE, Figure.PACE, Figure.FAILURES, Figure.P50, Figure.P99),
                tried));
        session.say(searches.entrySet().stream().map(SearchCommand::found).collect(Collectors.joining("; ", "", ".")));
    }

    private void attempt(
            final Map.Entry<Cell, CountSearch> search, final int count, final int round, final Runner runner)
            throws InterruptedException {
        final Cell cell = search.getKey().with(Parameter.CLIENTS, Integer.toString(count));
        final long stagger = cell.settings().load().duration().toMillis() / RAMP_PART / count;
        final Cell paced = stagger < cell.settings().load().stagger().toMillis()
                ? cell.with(Parameter.STAGGER, Math.max(0, stagger) + "ms")
                : cell;
        final Cell named = new Cell(SEARCHED, paced.column(), paced.settings(), paced.figures());
        try {
            final List<Measured> laps = runner.measure(new Turn(round, named));
            laps.forEach(lap -> tried.add(lap.result()));
            search.getValue().tried(laps.stream().allMatch(lap -> isMet(lap.result())));
        } catch (final BrokenRunException e) {
            // What ends a NiFi meets no rule, and there is nobody left to try with fewer.
            search.getValue().tried(false);
            throw e;
        }
    }

    private boolean isMet(final RunResult run) {
        return run.transactions() > 0
                && (run.ledger() == null || run.ledger().exact())
                && wanted.stream().allMatch(rule -> rule.isMet(run));
    }

    private static String found(final Map.Entry<Cell, CountSearch> search) {
        final int most = search.getValue().largestWithoutFailure();
        final int tooMany = search.getValue().smallestWithFailure();
        final String more = tooMany == 0 ? "more were not tried" : Figure.words("%,d do not", tooMany);
        return Figure.words(
                "%s: %,d clients meet the rules, %s", search.getKey().column(), most, more);
    }
}
