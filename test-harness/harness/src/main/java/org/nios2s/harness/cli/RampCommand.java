// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.nios2s.harness.cli.EmbeddedOptions.Variant;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.LatencySummary;
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
 * Bulks from ever more callers at a time, over plain TCP and over TLS.
 * Runs on the main thread.
 */
@Command(
        name = "ramp",
        description = {
            "Bulks (transactions of many packets) from 1 to 30 callers at a time: from where on more of them gain"
                    + " nothing,",
            "what TLS costs, which requests get stuck (more than a second) and which time out.",
            "The callers share the NIO client's connection pool; waiting for a permit or a connection counts."
        },
        footer = "Exit code: 0 no failure and an exact ledger, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class RampCommand implements Callable<Integer> {

    private static final int NO_LIMIT = 0;
    private static final int MAX_CONCURRENCY = 10_000;
    private static final double PERCENT = 100;

    /** A step gains something when it has at least this much more than the best before it. */
    private static final double GAIN = 1.05;

    private static final List<String> TIMED_OUT = List.of("time-out", "DEADLINE_PASSED");

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,2,5,10,20,30",
            description = "Callers at a time of each step, separated by commas; default: ${DEFAULT-VALUE}.")
    private List<Integer> concurrency;

    @Option(
            names = "--bulk",
            paramLabel = "P",
            defaultValue = "100",
            description = "Packets of a bulk, hence of a transaction; default: ${DEFAULT-VALUE}.")
    private int bulk;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "100",
            description = "Content of a packet; default: ${DEFAULT-VALUE}.")
    private int size;

    @Option(
            names = "--bulks",
            paramLabel = "N",
            defaultValue = "300",
            description = "Bulks of each step, by all callers together; default: ${DEFAULT-VALUE}.")
    private int bulks;

    @Option(
            names = "--pool",
            paramLabel = "N",
            defaultValue = "" + NO_LIMIT,
            description = "Most connections of the pool; default: ${DEFAULT-VALUE}, as many as callers.")
    private int pool;

    @Option(
            names = "--semaphore",
            paramLabel = "N",
            defaultValue = "" + NO_LIMIT,
            description = "Most requests at a time, whatever the pool has; default: ${DEFAULT-VALUE}, no limit.")
    private int semaphore;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "20s",
            converter = DurationConverter.class,
            description = "After which a request has timed out; default: ${DEFAULT-VALUE}.")
    private Duration timeout;

    @Option(
            names = "--stuck",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = DurationConverter.class,
            description = "After which a request counts as stuck; default: ${DEFAULT-VALUE}.")
    private Duration stuck;

    @Option(
            names = "--transport",
            split = ",",
            defaultValue = "plain,tls",
            description = "Of NiFis that are started, separated by commas: ${COMPLETION-CANDIDATES}; default:"
                    + " ${DEFAULT-VALUE}.")
    private List<Transport> transports;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "How long each NiFi is driven flat out before it counts; default: ${DEFAULT-VALUE}.")
    private Duration warmup;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final Map<String, Map<Integer, Row>> rows = new LinkedHashMap<>();

    /** How the RAW port is served. A constant, any thread. */
    enum Transport {
        /** TCP as it is. */
        PLAIN,
        /** TLS with client certificates. */
        TLS
    }

    /**
     * A step on one target.
     *
     * @param bulksPerSecond acknowledged bulks
     * @param seconds        how long all of them took
     * @param time           of a bulk, ms
     * @param stuck          acknowledged bulks that took too long
     * @param timedOut       bulks without an answer in time
     * @param failures       bulks that failed, timed out or not
     */
    record Row(double bulksPerSecond, double seconds, LatencySummary time, long stuck, long timedOut, long failures) {

        static Row of(final RunResult run, final Histogram total, final Duration stuckAfter) {
            return new Row(
                    run.transactionsPerSecond(),
                    run.seconds(),
                    LatencySummary.of(total),
                    stuck(total, stuckAfter),
                    timedOut(run.failuresByCause()),
                    run.failures());
        }

        static long stuck(final Histogram total, final Duration after) {
            final long limit = TimeUnit.NANOSECONDS.toMicros(after.toNanos());
            return total.getMaxValue() <= limit ? 0 : total.getCountBetweenValues(limit + 1, total.getMaxValue());
        }

        static long timedOut(final Map<String, Long> failuresByCause) {
            return failuresByCause.entrySet().stream()
                    .filter(failure -> TIMED_OUT.stream().anyMatch(failure.getKey()::contains))
                    .mapToLong(Map.Entry::getValue)
                    .sum();
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        check();
        final List<Supplier<MeasuredNifi>> subjects = subjects();
        return Measuring.run(
                results, interruption -> measure(subjects, interruption), this::verdict, results::flawless);
    }

    private void check() {
        for (final int callers : concurrency) {
            if (callers < 1 || callers > MAX_CONCURRENCY || callers > bulks) {
                throw usage("--concurrency must be between 1 and the %d --bulks, and at most %d, not %d"
                        .formatted(bulks, MAX_CONCURRENCY, callers));
            }
        }
        if (pool < 0 || semaphore < 0) {
            throw usage("--pool and --semaphore must be 0 or more, not %d and %d".formatted(pool, semaphore));
        }
        if (embedded.secure()) {
            throw usage("ramp has --transport plain,tls in place of --secure");
        }
        try {
            load(1);
        } catch (final IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
    }

    private List<Supplier<MeasuredNifi>> subjects() {
        targets.refuseCluster();
        final List<Supplier<MeasuredNifi>> usual = targets.subjects(embedded, ClientKind.NIO);
        if (targets.running()) {
            return usual;
        }
        final List<Supplier<MeasuredNifi>> subjects = new ArrayList<>();
        for (final Transport transport : transports) {
            final Variant variant = new Variant("", transport == Transport.TLS, Map.of(), List.of());
            for (final Listener listener : targets.listeners()) {
                subjects.add(() -> embedded.start(listener, variant));
            }
        }
        return subjects;
    }

    private void measure(final List<Supplier<MeasuredNifi>> subjects, final Interruption interruption)
            throws InterruptedException {
        final LoadScenario load = new LoadScenario(ClientKind.NIO, interruption, atATime());
        final SteppedScenario scenario = new SteppedScenario(load, interruption, this::keep);
        try (OpenNifis nifis = OpenNifis.of(subjects)) {
            final List<Target> named = nifis.targets().stream().map(this::named).toList();
            final int most =
                    concurrency.stream().mapToInt(Integer::intValue).max().orElseThrow();
            if (!targets.running()) {
                scenario.warmUp(load(most), warmup, named);
            }
            scenario.run(
                    concurrency.stream()
                            .map(callers -> Step.of("%03d-callers".formatted(callers), load(callers)))
                            .toList(),
                    named);
        }
    }

    /** A request that has no permit waits as one that has no connection does: the lower limit is the one that is felt. */
    private int atATime() {
        final int connections = pool == NO_LIMIT ? LoadSettings.MAX_CLIENTS : pool;
        return semaphore == NO_LIMIT ? connections : Math.min(connections, semaphore);
    }

    private Target named(final Target target) {
        return targets.running() ? target : target.named(name(target.name(), target.tls() != null));
    }

    private static String name(final String listener, final boolean tls) {
        return listener + (tls ? ", TLS" : ", plain");
    }

    private LoadSettings load(final int callers) {
        return new LoadSettings(
                callers, bulks / callers, Duration.ZERO, bulk, size, Duration.ZERO, Duration.ZERO, timeout);
    }

    private void keep(final Step step, final Target target, final Measured measured) {
        final RunResult run = results.add(Words.fileName(step.name() + "-" + target.name()), measured);
        final Row row = Row.of(run, measured.outcome().histograms().get(Phase.TOTAL), stuck);
        rows.computeIfAbsent(target.name(), name -> new LinkedHashMap<>())
                .put(run.settings().clients(), row);
        results.say(
                "%s, %d callers: %,.0f bulks/s, %d stuck, %d timed out",
                target.name(), run.settings().clients(), row.bulksPerSecond(), row.stuck(), row.timedOut());
    }

    private String verdict() {
        results.table(overview());
        rows.forEach((name, steps) -> results.table(details(name, steps)));
        results.chart(chart("Bulks per second", "acknowledged", "bulks/s", Row::bulksPerSecond));
        results.chart(chart("Tail of the bulks", "p99", "ms", row -> row.time().p99()));
        final List<String> sentences = new ArrayList<>();
        rows.forEach((name, steps) -> sentences.add(Words.of(
                "%s: more than %d callers at a time gain nothing (%,.0f bulks/s)",
                name, enough(steps), steps.get(enough(steps)).bulksPerSecond())));
        for (final Listener listener : Listener.values()) {
            final String of = listener.name().toLowerCase(Locale.ROOT);
            final Double cost = tlsCost(of);
            if (cost != null) {
                sentences.add(Words.of("TLS takes %.0f %% more time on %s", cost, of));
            }
        }
        final long late = rows.values().stream()
                .flatMap(steps -> steps.values().stream())
                .mapToLong(Row::stuck)
                .sum();
        final long timedOut = rows.values().stream()
                .flatMap(steps -> steps.values().stream())
                .mapToLong(Row::timedOut)
                .sum();
        sentences.add(Words.of("%d bulks were stuck and %d timed out", late, timedOut));
        return String.join("; ", sentences) + ".";
    }

    /** The concurrency beyond which no step is worth mentioning. */
    static int enough(final Map<Integer, Row> steps) {
        int enough = 0;
        double best = 0;
        for (final Map.Entry<Integer, Row> step : steps.entrySet()) {
            if (step.getValue().bulksPerSecond() > best * GAIN || enough == 0) {
                enough = step.getKey();
                best = step.getValue().bulksPerSecond();
            }
        }
        return enough;
    }

    /** By how many percent all steps together last longer over TLS; null when it was not measured. */
    private Double tlsCost(final String listener) {
        final Map<Integer, Row> plain = rows.get(name(listener, false));
        final Map<Integer, Row> tls = rows.get(name(listener, true));
        if (plain == null || tls == null || !plain.keySet().equals(tls.keySet())) {
            return null;
        }
        return (seconds(tls) / seconds(plain) - 1) * PERCENT;
    }

    private static double seconds(final Map<Integer, Row> steps) {
        return steps.values().stream().mapToDouble(Row::seconds).sum();
    }

    private DataTable overview() {
        final List<Column> columns = new ArrayList<>();
        columns.add(Column.of("callers"));
        rows.keySet().forEach(name -> columns.add(Column.of(name, "bulks/s", 0)));
        rows.keySet().forEach(name -> columns.add(Column.of(name, "stuck", 0)));
        DataTable table = DataTable.of("Bulks by callers at a time", columns.toArray(Column[]::new));
        for (final int callers : concurrency) {
            final List<Object> cells = new ArrayList<>();
            cells.add(callers);
            rows.values()
                    .forEach(steps -> cells.add(
                            steps.containsKey(callers) ? steps.get(callers).bulksPerSecond() : null));
            rows.values()
                    .forEach(steps -> cells.add(
                            steps.containsKey(callers) ? steps.get(callers).stuck() : null));
            table = table.row(cells.toArray());
        }
        return table.noted(Words.of(
                "A bulk is a transaction of %d packets of %d bytes; stuck are those of more than %d ms.",
                bulk, size, stuck.toMillis()));
    }

    private static DataTable details(final String name, final Map<Integer, Row> steps) {
        DataTable table = DataTable.of(
                name,
                Column.of("callers"),
                Column.of("rate", "bulks/s", 0),
                Column.of("step", "s", 1),
                Column.of("p50", "ms", 1),
                Column.of("p99", "ms", 1),
                Column.of("max", "ms", 1),
                Column.of("stuck"),
                Column.of("timed out"),
                Column.of("failures"));
        for (final Map.Entry<Integer, Row> step : steps.entrySet()) {
            final Row row = step.getValue();
            table = table.row(
                    step.getKey(),
                    row.bulksPerSecond(),
                    row.seconds(),
                    row.time().p50(),
                    row.time().p99(),
                    row.time().max(),
                    row.stuck(),
                    row.timedOut(),
                    row.failures());
        }
        return table;
    }

    private Chart chart(final String title, final String what, final String unit, final ToDoubleFunction<Row> value) {
        final List<Chart.Series> series = new ArrayList<>();
        rows.forEach((name, steps) -> series.add(Chart.Series.of(
                name,
                steps.keySet().stream().mapToDouble(Integer::doubleValue).toArray(),
                steps.values().stream().mapToDouble(value).toArray())));
        return Chart.line(title, new Chart.Axis("callers at a time", "callers"), new Chart.Axis(what, unit), series);
    }

    private ParameterException usage(final String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
