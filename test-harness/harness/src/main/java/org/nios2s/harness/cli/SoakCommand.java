// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.nifi.Jcmd;
import org.nios2s.harness.nifi.ProcessUsage;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.Slope;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.LoadScenario;
import org.nios2s.harness.scenario.LoadScenario.Measured;
import org.nios2s.harness.scenario.MeasuredNifi;
import org.nios2s.harness.scenario.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A million transactions, in laps: does memory grow?
 * Runs on the main thread.
 */
@Command(
        name = "soak",
        description = {
            "A million transactions in 20 laps. After each lap a full collection: what lives in the heap then, and"
                    + " memory",
            "in RAM. Their slopes, with standard errors, tell whether something leaks.",
            "Without options 100 clients flat out; --quick: 60,000 transactions in 12 laps, done in about five minutes."
        },
        footer = "Exit code: 0 no failure, an exact ledger and no growth of the heap, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class SoakCommand implements Callable<Integer> {

    private static final int CLIENTS = 100;
    private static final int TOTAL = 1_000_000;
    private static final int LAPS = 20;
    private static final int QUICK_TOTAL = 60_000;
    private static final int QUICK_LAPS = 12;
    private static final int LEAST_LAPS = 4;
    private static final int MAX_LAPS = 1_000;
    private static final int MAX_TOTAL = 1_000_000_000;
    private static final double MEBIBYTE = 1024 * 1024;

    /** The first laps, in which caches fill and classes load, tell nothing of a leak: this part of them. */
    private static final int WARM_UP_PART = 4;

    /** Slopes are given per so many transactions. */
    private static final double PER = 100_000;

    @Spec
    private CommandSpec spec;

    @Mixin
    private LoadOptions load;

    @Option(
            names = "--total",
            paramLabel = "N",
            description = "Transactions in all; default: 1000000, --quick " + QUICK_TOTAL + ".")
    private Integer total;

    @Option(
            names = "--laps",
            paramLabel = "N",
            description =
                    "After how many parts memory is looked at; default: " + LAPS + ", --quick " + QUICK_LAPS + ".")
    private Integer laps;

    @Option(names = "--quick", description = "A short soak, to see that it works.")
    private boolean quick;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final Map<String, List<Lap>> lapsByTarget = new LinkedHashMap<>();

    /**
     * A lap.
     *
     * @param transactions  acknowledged since the first lap began
     * @param perSecond     rate of this lap
     * @param heapMebibytes what lives in the heap after a full collection, NaN when the process is not at hand
     * @param residentMebibytes memory in RAM then, likewise
     */
    private record Lap(long transactions, double perSecond, double heapMebibytes, double residentMebibytes) {}

    @Override
    public Integer call() throws InterruptedException {
        total = total == null ? (quick ? QUICK_TOTAL : TOTAL) : total;
        laps = laps == null ? (quick ? QUICK_LAPS : LAPS) : laps;
        if (laps < LEAST_LAPS || laps > MAX_LAPS) {
            throw usage("--laps must be between %d and %d, not %d".formatted(LEAST_LAPS, MAX_LAPS, laps));
        }
        final LoadSettings settings = load.settings(CLIENTS, 1, Duration.ZERO);
        if (total / laps < settings.clients() || total > MAX_TOTAL) {
            throw usage("--total must be between %d (a transaction per client and lap) and %d, not %d"
                    .formatted(laps * settings.clients(), MAX_TOTAL, total));
        }
        final LoadSettings lap = settings.withTransactions(total / laps / settings.clients());
        final List<Supplier<MeasuredNifi>> subjects = targets.subjects(embedded, load.client());
        return Measuring.run(
                results, interruption -> measure(subjects, lap, interruption), this::verdict, this::isGood);
    }

    private void measure(
            final List<Supplier<MeasuredNifi>> subjects, final LoadSettings lap, final Interruption interruption)
            throws InterruptedException {
        final LoadScenario scenario = new LoadScenario(load.client(), interruption);
        for (final Supplier<MeasuredNifi> subject : subjects) {
            if (interruption.interrupted()) {
                return;
            }
            try (MeasuredNifi nifi = subject.get()) {
                for (int number = 1; number <= laps && !interruption.interrupted(); number++) {
                    keep(number, nifi.target(), scenario.run(lap, nifi.target()), interruption);
                }
            }
        }
    }

    private void keep(final int number, final Target target, final Measured measured, final Interruption interruption) {
        final RunResult run = results.add(Words.fileName("%s-%03d".formatted(target.name(), number)), measured);
        if (interruption.interrupted()) {
            return;
        }
        final List<Lap> before = lapsByTarget.computeIfAbsent(target.name(), name -> new ArrayList<>());
        final long earlier = before.isEmpty() ? 0 : before.getLast().transactions();
        final boolean atHand = target.process() != null;
        final Lap lap = new Lap(
                earlier + run.transactions(),
                run.transactionsPerSecond(),
                atHand ? new Jcmd(target.process()).heapAfterCollection() / MEBIBYTE : Double.NaN,
                atHand ? ProcessUsage.of(target.process()).residentBytes() / MEBIBYTE : Double.NaN);
        before.add(lap);
        results.say(
                "%s, lap %d: %,d transactions so far, %,.0f tx/s, %,d failures, heap %.1f MiB, RSS %,.0f MiB",
                target.name(),
                number,
                lap.transactions(),
                lap.perSecond(),
                run.failures(),
                lap.heapMebibytes(),
                lap.residentMebibytes());
    }

    private String verdict() {
        final List<String> sentences = new ArrayList<>();
        DataTable slopes = DataTable.of(
                "Growth per 100,000 transactions",
                Column.of("target"),
                Column.of("transactions"),
                Column.of("live heap", "MiB", 3),
                Column.of("± standard error", "MiB", 3),
                Column.of("RSS", "MiB", 3),
                Column.of("± its standard error", "MiB", 3),
                Column.of("rate", "tx/s", 1),
                Column.of("± its standard error", "tx/s", 1));
        for (final Map.Entry<String, List<Lap>> entry : lapsByTarget.entrySet()) {
            final List<Lap> all = entry.getValue();
            final Slope heap = slope(all, Lap::heapMebibytes);
            final Slope resident = slope(all, Lap::residentMebibytes);
            final Slope rate = slope(all, Lap::perSecond);
            slopes = slopes.row(
                    entry.getKey(),
                    all.getLast().transactions(),
                    value(heap),
                    error(heap),
                    value(resident),
                    error(resident),
                    value(rate),
                    error(rate));
            sentences.add(sentence(entry.getKey(), all.getLast().transactions(), heap));
        }
        results.table(slopes.noted("Least squares through the laps after the first quarter. A slope of less than two"
                + " standard errors is no growth."));
        lapsByTarget.forEach((name, all) -> results.table(byLap(name, all)));
        results.chart(chart("Live heap after a full collection", "live heap", "MiB", Lap::heapMebibytes));
        results.chart(chart("Memory in RAM", "RSS", "MiB", Lap::residentMebibytes));
        results.chart(chart("Rate of each lap", "acknowledged", "tx/s", Lap::perSecond));
        return sentences.isEmpty() ? "No lap was finished." : String.join("; ", sentences) + ".";
    }

    private static String sentence(final String name, final long transactions, final Slope heap) {
        if (heap == null) {
            return Words.of("%s: %,d transactions; its memory is not to be seen from here", name, transactions);
        }
        return Words.of(
                "%s: after %,d transactions the live heap %s (%+.3f ± %.3f MiB per 100,000)",
                name, transactions, heap.grows() ? "grows" : "does not grow", heap.value(), heap.standardError());
    }

    private boolean isGood() {
        return results.flawless()
                && lapsByTarget.values().stream()
                        .map(all -> slope(all, Lap::heapMebibytes))
                        .noneMatch(slope -> slope != null && slope.grows());
    }

    /** The slope of the laps that tell of a leak; null when there are too few, or no figures. */
    private static Slope slope(final List<Lap> all, final ToDoubleFunction<Lap> value) {
        final List<Lap> telling = all.subList(all.size() / WARM_UP_PART, all.size());
        if (telling.size() < LEAST_LAPS - 1
                || telling.stream().mapToDouble(value).anyMatch(Double::isNaN)) {
            return null;
        }
        return Slope.of(
                telling.stream().mapToDouble(lap -> lap.transactions() / PER).toArray(),
                telling.stream().mapToDouble(value).toArray());
    }

    private static Double value(final Slope slope) {
        return slope == null ? null : slope.value();
    }

    private static Double error(final Slope slope) {
        return slope == null ? null : slope.standardError();
    }

    private static DataTable byLap(final String name, final List<Lap> all) {
        DataTable table = DataTable.of(
                "Laps: " + name,
                Column.of("transactions so far"),
                Column.of("rate", "tx/s", 0),
                Column.of("live heap", "MiB", 1),
                Column.of("RSS", "MiB", 0));
        for (final Lap lap : all) {
            table = table.row(
                    lap.transactions(), lap.perSecond(), cell(lap.heapMebibytes()), cell(lap.residentMebibytes()));
        }
        return table;
    }

    private static Double cell(final double value) {
        return Double.isNaN(value) ? null : value;
    }

    private Chart chart(final String title, final String what, final String unit, final ToDoubleFunction<Lap> value) {
        final List<Chart.Series> series = new ArrayList<>();
        lapsByTarget.forEach((name, all) -> series.add(new Chart.Series(
                name,
                all.stream()
                        .map(lap -> new Chart.Point((double) lap.transactions(), cell(value.applyAsDouble(lap))))
                        .toList())));
        return Chart.line(title, new Chart.Axis("acknowledged", "transactions"), new Chart.Axis(what, unit), series);
    }

    private ParameterException usage(final String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
