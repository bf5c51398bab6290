// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
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
 * The same work several times, over connections that are kept and over one per transaction.
 * Runs on the main thread.
 */
@Command(
        name = "repeat",
        description = {
            "A warm-up and 5 counted runs of the same work, with connections that are kept from one transaction to the",
            "next (a pool) and with a new one for each: what the pool gains, and how far equal runs differ.",
            "Without options: 50 clients, 150 transactions each, flat out."
        },
        footer = "Exit code: 0 no failure and an exact ledger, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class RepeatCommand implements Callable<Integer> {

    private static final int CLIENTS = 50;
    private static final int TRANSACTIONS = 150;
    private static final int MAX_RUNS = 100;
    private static final double PERCENT = 100;
    private static final double ALIKE = 0.1;

    @Spec
    private CommandSpec spec;

    @Mixin
    private LoadOptions load;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often everything is measured; default: ${DEFAULT-VALUE}.")
    private int runs;

    @Option(
            names = "--pool",
            split = ",",
            defaultValue = "on,off",
            description = "Whether connections are kept, separated by commas: ${COMPLETION-CANDIDATES}; default:"
                    + " ${DEFAULT-VALUE}.")
    private List<Pool> pools;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "15s",
            converter = DurationConverter.class,
            description = "How long each NiFi is driven flat out before it counts; default: ${DEFAULT-VALUE}.")
    private Duration warmup;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final Map<Series, List<RunResult>> series = new LinkedHashMap<>();

    /** Whether connections are kept. A constant, any thread. */
    enum Pool {
        /** A connection per client, for all its transactions. */
        ON,
        /** A connection per transaction. */
        OFF
    }

    /** What is repeated. */
    private record Series(String target, Pool pool) {

        @Override
        public String toString() {
            return target + (pool == Pool.ON ? ", connections kept" : ", a connection per transaction");
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        final LoadSettings settings = load.settings(CLIENTS, TRANSACTIONS, Duration.ZERO);
        if (runs < 1 || runs > MAX_RUNS) {
            throw usage("--runs must be between 1 and %d, not %d".formatted(MAX_RUNS, runs));
        }
        if (settings.reconnect()) {
            throw usage("repeat has --pool on,off in place of --reconnect");
        }
        if (pools.contains(Pool.OFF) && load.client() != ClientKind.WIRE) {
            throw usage("--pool off needs --client wire: the others keep their connections");
        }
        final List<Supplier<MeasuredNifi>> subjects = targets.subjects(embedded, load.client());
        return Measuring.run(
                results, interruption -> measure(subjects, settings, interruption), this::verdict, results::flawless);
    }

    private void measure(
            final List<Supplier<MeasuredNifi>> subjects, final LoadSettings settings, final Interruption interruption)
            throws InterruptedException {
        final SteppedScenario scenario =
                new SteppedScenario(new LoadScenario(load.client(), interruption), interruption, this::keep);
        final List<Step> steps = new ArrayList<>();
        for (int run = 1; run <= runs; run++) {
            for (final Pool pool : pools) {
                final String name = pool == Pool.ON ? "kept" : "anew";
                steps.add(Step.of(run + "-" + name, settings.over(settings.secure(), pool == Pool.OFF)));
            }
        }
        try (OpenNifis nifis = OpenNifis.of(subjects)) {
            if (!targets.running()) {
                scenario.warmUp(settings, warmup, nifis.targets());
            }
            scenario.run(steps, nifis.targets());
        }
    }

    private void keep(final Step step, final Target target, final Measured measured) {
        final RunResult run = results.add(Words.fileName(step.name() + "-" + target.name()), measured);
        final Series of = new Series(target.name(), run.settings().reconnect() ? Pool.OFF : Pool.ON);
        series.computeIfAbsent(of, key -> new ArrayList<>()).add(run);
        results.say(
                "run %s, %s: %,.0f tx/s, %,d failures",
                step.name(), target.name(), run.transactionsPerSecond(), run.failures());
    }

    private String verdict() {
        results.table(medians());
        results.table(byRun());
        results.chart(chart());
        series.forEach((of, all) -> {
            if (spread(all) > ALIKE * PERCENT) {
                results.remark(Words.of(
                        "%s: equal runs differ by %.0f %%, so this machine is too noisy for finer differences.",
                        of, spread(all)));
            }
        });
        final List<String> gains = new ArrayList<>();
        series.forEach((of, all) -> {
            if (of.pool() == Pool.ON) {
                gains.add(Words.of("%s: %,.0f tx/s%s", of.target(), median(all), gain(of.target())));
            }
        });
        return gains.isEmpty() ? "Only connections per transaction were measured." : String.join("; ", gains) + ".";
    }

    private DataTable medians() {
        DataTable table = DataTable.of(
                "Equal runs",
                Column.of("what"),
                Column.of("median", "tx/s", 0),
                Column.of("least", "tx/s", 0),
                Column.of("most", "tx/s", 0),
                Column.of("spread", "%", 1),
                Column.of("median", "packets/s", 0),
                Column.of("failures"));
        for (final Map.Entry<Series, List<RunResult>> entry : series.entrySet()) {
            final List<RunResult> all = entry.getValue();
            table = table.row(
                    entry.getKey().toString(),
                    median(all),
                    rates(all).min().orElseThrow(),
                    rates(all).max().orElseThrow(),
                    spread(all),
                    median(all) * all.getFirst().settings().packets(),
                    all.stream().mapToLong(RunResult::failures).sum());
        }
        return table.noted("The spread is that from least to most, in percent of the median.");
    }

    private DataTable byRun() {
        final List<Column> columns = new ArrayList<>();
        columns.add(Column.of("run"));
        series.keySet().forEach(of -> columns.add(Column.of(of.toString(), "tx/s", 0)));
        DataTable table = DataTable.of("Run by run", columns.toArray(Column[]::new));
        for (int run = 0; run < runs; run++) {
            final List<Object> cells = new ArrayList<>();
            cells.add(run + 1);
            for (final List<RunResult> all : series.values()) {
                cells.add(run < all.size() ? all.get(run).transactionsPerSecond() : null);
            }
            table = table.row(cells.toArray());
        }
        return table;
    }

    private Chart chart() {
        final List<Chart.Series> bars = new ArrayList<>();
        series.forEach((of, all) -> {
            final List<Chart.Point> points = new ArrayList<>();
            for (int run = 0; run < all.size(); run++) {
                points.add(new Chart.Point("run " + (run + 1), all.get(run).transactionsPerSecond()));
            }
            bars.add(new Chart.Series(of.toString(), points));
        });
        return Chart.bar("Equal runs", new Chart.Axis("run", "number"), new Chart.Axis("acknowledged", "tx/s"), bars);
    }

    private String gain(final String target) {
        final List<RunResult> kept = series.get(new Series(target, Pool.ON));
        final List<RunResult> anew = series.get(new Series(target, Pool.OFF));
        return anew == null
                ? ""
                : Words.of(
                        ", %+.0f %% by keeping connections (%,.0f without)",
                        (median(kept) / median(anew) - 1) * PERCENT, median(anew));
    }

    private static double spread(final List<RunResult> all) {
        return (rates(all).max().orElseThrow() - rates(all).min().orElseThrow()) / median(all) * PERCENT;
    }

    private static double median(final List<RunResult> all) {
        return Medians.median(rates(all));
    }

    private static DoubleStream rates(final List<RunResult> all) {
        return all.stream().mapToDouble(RunResult::transactionsPerSecond);
    }

    private ParameterException usage(final String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
