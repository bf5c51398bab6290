// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.nios2s.harness.cli.EmbeddedOptions.Variant;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.OpenFileLimit;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.Figure;
import org.nios2s.harness.result.Medians;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.LoadScenario;
import org.nios2s.harness.scenario.LoadScenario.Measured;
import org.nios2s.harness.scenario.MeasuredNifi;
import org.nios2s.harness.scenario.SteppedScenario;
import org.nios2s.harness.scenario.SteppedScenario.Step;
import org.nios2s.harness.scenario.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What a commit costs: the same work with at most 1, 10, 100 or 1,000 transactions in one.
 * Runs on the main thread.
 */
@Command(
        name = "commit-cost",
        description = {
            "The same work on NIO listeners that put at most 1, 10, 100 or 1,000 transactions into one repository"
                    + " commit,",
            "and on the stock listener, which commits each by itself; all in turn.",
            "Without options: 1,000 clients flat out, a packet of 10 bytes per transaction."
        },
        footer = "Exit code: 0 no NIO failure and an exact ledger, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class CommitCostCommand implements Callable<Integer> {

    private static final String SETTING = "nifi.remote.input.nio.commit.transactions";
    private static final String STOCK = "stock";
    private static final int MAX_COMMIT = 100_000;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--commits",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,10,100,1000",
            description = "Most transactions in one commit, separated by commas; default: ${DEFAULT-VALUE}.")
    private List<Integer> commits;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Clients, hence most transactions that can wait for a commit; default: ${DEFAULT-VALUE}.")
    private int clients;

    @Option(
            names = "--packets",
            paramLabel = "P",
            defaultValue = "1",
            description = "Packets per transaction; default: ${DEFAULT-VALUE}.")
    private int packets;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "10",
            description = "Content of a packet; default: ${DEFAULT-VALUE}.")
    private int size;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "Of each run; default: ${DEFAULT-VALUE}.")
    private Duration duration;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "2",
            description = "How often each is measured; default: ${DEFAULT-VALUE}.")
    private int runs;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "40s",
            converter = DurationConverter.class,
            description = "How long a client waits for the server in any step; default: ${DEFAULT-VALUE}.")
    private Duration timeout;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "How long each NiFi is driven flat out before it counts; default: ${DEFAULT-VALUE}.")
    private Duration warmup;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final Map<String, List<RunResult>> runsByTarget = new LinkedHashMap<>();

    @Override
    public Integer call() throws InterruptedException {
        final LoadSettings settings = settings();
        final List<Supplier<MeasuredNifi>> subjects = new ArrayList<>();
        subjects.add(() -> embedded.start(Listener.STOCK));
        for (final int commit : commits) {
            final Variant variant =
                    new Variant("commit-" + commit, false, Map.of(SETTING, Integer.toString(commit)), List.of());
            subjects.add(() -> embedded.start(Listener.NIO, variant));
        }
        return Measuring.run(
                results,
                interruption -> measure(subjects, settings, interruption),
                this::verdict,
                () -> results.flawless(run -> !run.listener().equals(STOCK)));
    }

    private LoadSettings settings() {
        for (final int commit : commits) {
            if (commit < 1 || commit > MAX_COMMIT) {
                throw usage("--commits must be between 1 and %d, not %d".formatted(MAX_COMMIT, commit), null);
            }
        }
        if (runs < 1 || duration.isZero()) {
            throw usage("--runs must be 1 or more and --duration longer than 0", null);
        }
        try {
            OpenFileLimit.check(clients, ClientKind.WIRE);
            return new LoadSettings(
                    clients, LoadSettings.UNLIMITED, duration, packets, size, Duration.ZERO, Duration.ZERO, timeout);
        } catch (final IllegalArgumentException e) {
            throw usage(e.getMessage(), e);
        }
    }

    private void measure(
            final List<Supplier<MeasuredNifi>> subjects, final LoadSettings settings, final Interruption interruption)
            throws InterruptedException {
        final SteppedScenario scenario =
                new SteppedScenario(new LoadScenario(ClientKind.WIRE, interruption), interruption, this::keep);
        final List<Step> steps = new ArrayList<>();
        for (int run = 1; run <= runs; run++) {
            steps.add(Step.of(Integer.toString(run), settings));
        }
        try (OpenNifis nifis = OpenNifis.of(subjects)) {
            final List<Target> targets = new ArrayList<>();
            targets.add(nifis.targets().getFirst());
            for (int i = 0; i < commits.size(); i++) {
                targets.add(nifis.targets().get(i + 1).named(name(commits.get(i))));
            }
            scenario.warmUp(settings, warmup, targets);
            scenario.run(steps, targets);
        }
    }

    private static String name(final int commit) {
        return Words.of("nio, %,d per commit", commit);
    }

    private void keep(final Step step, final Target target, final Measured measured) {
        final RunResult run = results.add(Words.fileName(step.name() + "-" + target.name()), measured);
        runsByTarget.computeIfAbsent(target.name(), name -> new ArrayList<>()).add(run);
        results.say("run %s, %s: %,.0f tx/s", step.name(), target.name(), run.transactionsPerSecond());
    }

    private String verdict() {
        final Double single = rate(name(1));
        DataTable table = DataTable.of(
                "A commit per so many transactions",
                Column.of("listener"),
                Column.of("median", "tx/s", 0),
                Column.of("against 1 per commit", "×", 1),
                Figure.SERVER_CPU.column(),
                Figure.TOTAL_P50.column(),
                Figure.TOTAL_P99.column(),
                Column.of("failures"));
        final List<Chart.Point> points = new ArrayList<>();
        for (final Map.Entry<String, List<RunResult>> entry : runsByTarget.entrySet()) {
            final List<RunResult> all = entry.getValue();
            table = table.row(
                    entry.getKey(),
                    rate(entry.getKey()),
                    single == null ? null : rate(entry.getKey()) / single,
                    median(all, Figure.SERVER_CPU),
                    median(all, Figure.TOTAL_P50),
                    median(all, Figure.TOTAL_P99),
                    all.stream().mapToLong(RunResult::failures).sum());
            points.add(new Chart.Point(entry.getKey(), rate(entry.getKey())));
        }
        results.table(table.noted("Medians of all runs. The stock listener commits every transaction by itself."));
        results.chart(Chart.bar(
                "Transactions per second by the size of a commit",
                new Chart.Axis("listener", "most transactions in a commit"),
                new Chart.Axis("acknowledged", "tx/s"),
                List.of(new Chart.Series("median", points))));
        return sentence(single);
    }

    private String sentence(final Double single) {
        return runsByTarget.keySet().stream()
                .filter(name -> !name.equals(STOCK) && !name.equals(name(1)))
                .max((one, other) -> Double.compare(rate(one), rate(other)))
                .filter(best -> single != null)
                .map(best -> Words.of(
                        "A commit for every transaction: %,.0f tx/s; %s: %,.0f tx/s, %.1f × as many.",
                        single, best, rate(best), rate(best) / single))
                .orElse("Too little was measured for a comparison.");
    }

    private Double rate(final String name) {
        final List<RunResult> all = runsByTarget.get(name);
        return all == null ? null : median(all, Figure.RATE);
    }

    private static Double median(final List<RunResult> all, final Figure figure) {
        return new Medians(all).of(figure);
    }

    private ParameterException usage(final String message, final Throwable cause) {
        return new ParameterException(spec.commandLine(), message, cause);
    }
}
