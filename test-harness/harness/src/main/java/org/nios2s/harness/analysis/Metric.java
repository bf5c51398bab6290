// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import static org.nios2s.harness.analysis.Metric.Sense.LESS;
import static org.nios2s.harness.analysis.Metric.Sense.MORE;
import static org.nios2s.harness.analysis.Metric.Sense.NEITHER;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.plan.Nearest;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.Range;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.GeneratorMetrics;
import org.nios2s.harness.result.RunResult.LatencySummary;
import org.nios2s.harness.result.RunResult.LedgerMetrics;
import org.nios2s.harness.result.RunResult.ServerMetrics;

/**
 * A metric of a run that tables, ratios, charts and thresholds name by its key. Immutable; any thread.
 *
 * @param key      its name in presets and thresholds
 * @param title    what tables call it, with its unit
 * @param unit     what it is counted in
 * @param decimals how exactly it is printed
 * @param sense    which of two values is the better one
 * @param value    takes it from a run; null where it means nothing or nobody measured it
 */
public record Metric(
        String key, String title, Unit unit, int decimals, Sense sense, Function<RunResult, Number> value) {

    /** Which of two values is the better one. */
    public enum Sense {
        MORE,
        LESS,
        NEITHER
    }

    private static final Set<String> TIMES = Set.of(
            "p50", "p95", "p99", "p99.9", "max", "average", "deviation", "connect", "connect-deviation", "stuck");
    /** Each of them is one too many, in whichever run. */
    private static final Set<String> FAULTS = Set.of("failures", "lost", "duplicated", "damaged", "timed-out", "stuck");

    /** Names for a sentence, where the title of a column is too short for one. */
    private static final Map<String, String> SPOKEN = Map.of(
            "p50", "median latency",
            "p95", "95th percentile of latency",
            "p99", "99th percentile of latency",
            "cpu", "server's processor time per transaction",
            "rss", "server's resident memory");

    private static final double MEBIBYTE = 1024 * 1024;
    private static final double MEGABYTE = 1e6;
    /** Of fewer values it is the largest. */
    private static final int MIN_FOR_P95 = 20;

    private static final int MIN_FOR_P99 = 100;

    public static final Metric RATE =
            new Metric("rate", "tx/s", Unit.COUNT, 0, MORE, run -> run.load().transactionsPerSecond());
    public static final Metric FAILURES = new Metric(
            "failures", "failures", Unit.COUNT, 0, LESS, run -> run.load().failures());
    public static final Metric PACE = new Metric("pace", "pace kept %", Unit.PERCENT, 1, MORE, Metric::pace);
    public static final Metric P50 = latency("p50", "p50 ms", LatencySummary::p50);
    public static final Metric P95 =
            latency("p95", "p95 ms", times -> times.count() < MIN_FOR_P95 ? null : times.p95());
    public static final Metric P99 =
            latency("p99", "p99 ms", times -> times.count() < MIN_FOR_P99 ? null : (Double) times.p99());
    public static final Metric CPU =
            server("cpu", "server CPU ms/tx", Unit.MILLIS, 3, ServerMetrics::cpuMillisPerTransaction);
    public static final Metric LOST = ledger("lost", "lost packets", LedgerMetrics::lost);
    public static final Metric DUPLICATED = ledger("duplicated", "duplicated packets", LedgerMetrics::duplicated);
    public static final Metric DAMAGED = ledger("damaged", "damaged packets", LedgerMetrics::damaged);

    private static final List<Metric> ALL = List.of(
            RATE,
            new Metric(
                    "flowfiles",
                    "FlowFiles/s",
                    Unit.COUNT,
                    0,
                    MORE,
                    run -> perSecond(run, run.load().flowFiles())),
            new Metric(
                    "mb",
                    "MB/s",
                    Unit.COUNT,
                    1,
                    MORE,
                    run -> perSecond(run, run.load().bytes() / MEGABYTE)),
            probe("arrived", "FlowFiles/s into the sink", Unit.COUNT, 0, MORE),
            PACE,
            FAILURES,
            P50,
            P95,
            P99,
            latency("p99.9", "p99.9 ms", LatencySummary::p999),
            latency("max", "max ms", LatencySummary::max),
            new Metric(
                    "average",
                    "average ms",
                    Unit.MILLIS,
                    3,
                    LESS,
                    run -> known(run.load().latencyMillis().get(Phase.TOTAL), LatencySummary::average)),
            probe("deviation", "standard deviation ms", Unit.MILLIS, 3, LESS),
            probe("connect", "connecting ms", Unit.MILLIS, 3, LESS),
            probe("connect-deviation", "its standard deviation ms", Unit.MILLIS, 3, LESS),
            probe("stuck", "stuck", Unit.COUNT, 0, LESS),
            new Metric("timed-out", "timed out", Unit.COUNT, 0, LESS, Metric::timedOut),
            CPU,
            server("server-percent", "server CPU %", Unit.PERCENT, 0, ServerMetrics::cpuPercent),
            server("threads", "server threads", Unit.COUNT, 0, ServerMetrics::maxThreads),
            server("rss", "server RSS MiB", Unit.MEBIBYTES, 0, server -> server.maxResidentBytes() / MEBIBYTE),
            probe("gc-percent", "server in GC pauses %", Unit.PERCENT, 2, LESS),
            probe("net-packets", "packets on loopback/tx", Unit.COUNT, 1, LESS),
            probe("net-kib", "KiB on loopback/tx", Unit.KIBIBYTES, 2, LESS),
            generator(
                    "generator-cpu", "generator CPU ms/tx", Unit.MILLIS, 3, GeneratorMetrics::cpuMillisPerTransaction),
            generator("generator-percent", "generator CPU %", Unit.PERCENT, 0, GeneratorMetrics::cpuPercent),
            LOST,
            DUPLICATED,
            DAMAGED,
            probe("slow-peers", "slow peers still there", Unit.COUNT, 0, MORE),
            probe("idle-peers", "idle peers connected", Unit.COUNT, 0, MORE),
            probe("idle-refused", "idle peers refused", Unit.COUNT, 0, LESS),
            probe("idle-seconds", "all there after s", Unit.SECONDS, 2, LESS),
            probe("idle-heap", "heap per idle peer KiB", Unit.KIBIBYTES, 1, LESS),
            probe("idle-heap-error", "± KiB of heap", Unit.KIBIBYTES, 1, NEITHER),
            probe("idle-native", "native memory per idle peer KiB", Unit.KIBIBYTES, 1, LESS),
            probe("idle-native-error", "± KiB of native memory", Unit.KIBIBYTES, 1, NEITHER),
            probe("idle-threads", "threads for idle peers", Unit.COUNT, 0, LESS),
            probe("triggers-idle", "triggers/s beside idle ports", Unit.COUNT, 0, MORE),
            probe("triggers", "triggers/s beside busy ports", Unit.COUNT, 0, MORE),
            probe("live-heap", "live heap MiB", Unit.MEBIBYTES, 1, LESS),
            probe("rss-after", "RSS afterwards MiB", Unit.MEBIBYTES, 0, LESS),
            probe("buffered", "most buffered MiB since its start", Unit.MEBIBYTES, 1, LESS));

    private static final Map<String, Metric> BY_KEY =
            ALL.stream().collect(Collectors.toMap(Metric::key, Function.identity()));

    /** Metrics of a load that has a pace: what its callers wait, and what it costs. */
    public static final List<Metric> OF_A_PACE = List.of(
            P50,
            P95,
            P99,
            CPU,
            PACE,
            FAILURES,
            by("rss"),
            by("threads"),
            by("gc-percent"),
            by("net-packets"),
            LOST,
            DUPLICATED,
            DAMAGED);

    /** Metrics of a load flat out: how much there is of it, and what it costs. */
    public static final List<Metric> FLAT_OUT = List.of(
            RATE,
            CPU,
            P50,
            P95,
            P99,
            FAILURES,
            by("rss"),
            by("threads"),
            by("gc-percent"),
            by("net-packets"),
            by("generator-cpu"),
            LOST,
            DUPLICATED,
            DAMAGED);

    /** Metrics of a table with a row for each run. */
    public static final List<Metric> OF_EACH_RUN =
            List.of(RATE, PACE, FAILURES, P50, P99, CPU, LOST, DUPLICATED, DAMAGED);

    /** The metric of a key; the message of an exception is fit for a user. */
    public static Metric by(final String key) {
        final Metric known = BY_KEY.get(key);
        if (known == null) {
            final List<String> keys = ALL.stream().map(Metric::key).toList();
            throw new IllegalArgumentException("'%s' is not a metric%s; there are %s"
                    .formatted(key, Nearest.words(key, keys), String.join(", ", keys)));
        }
        return known;
    }

    public static Stream<Metric> all() {
        return ALL.stream();
    }

    /** The metric of a run; empty where it means nothing or nobody measured it. */
    public OptionalDouble of(final RunResult run) {
        final Double known = orNull(run);
        return known == null ? OptionalDouble.empty() : OptionalDouble.of(known);
    }

    /** The same; null where it means nothing or nobody measured it. */
    public Double orNull(final RunResult run) {
        final Number known = value.apply(run);
        return known == null ? null : known.doubleValue();
    }

    /**
     * Median and range of some runs; empty when none of them has this metric. Runs that did not come to their end are not
     * among them, nor are the times of those that were cold or did not keep their pace.
     */
    public Optional<Range> range(final List<RunResult> runs) {
        return rangeForGate(
                runs.stream().filter(run -> !isTime() || run.timesTell()).toList());
    }

    /** The same with those times: what is too slow for a table is not fast enough for a gate. */
    public Optional<Range> rangeForGate(final List<RunResult> runs) {
        return Range.ofAny(runs.stream()
                .filter(run -> !run.execution().interrupted())
                .map(this::orNull)
                .filter(Objects::nonNull)
                .toList());
    }

    /** Whether it counts what should not be at all: a median would hide it. */
    boolean isFault() {
        return FAULTS.contains(key);
    }

    /** Whether it is how long a transaction took. */
    public boolean isTime() {
        return TIMES.contains(key);
    }

    /** A table with a row for each run: what it goes by, in the first columns, then metrics. */
    public static DataTable table(
            final String title,
            final List<String> first,
            final Function<RunResult, List<Object>> names,
            final List<Metric> metrics,
            final List<RunResult> runs) {
        final List<Column> columns =
                new ArrayList<>(first.stream().map(Column::of).toList());
        metrics.forEach(metric -> columns.add(new Column(metric.title(), metric.decimals())));
        final List<List<Object>> rows = new ArrayList<>();
        for (final RunResult run : runs) {
            final List<Object> row = new ArrayList<>(names.apply(run));
            metrics.forEach(metric -> row.add(metric.orNull(run)));
            rows.add(row);
        }
        return new DataTable(title, null, columns, rows);
    }

    /** A value of it and another's in a sentence: as "8,200 tx/s with nio and 1,114 with stock". */
    String said(final String own, final String column, final String other, final String against) {
        if (unit == Unit.COUNT) {
            return "%s %s with %s and %s with %s".formatted(own, title, column, other, against);
        }
        final int end = title.lastIndexOf(' ');
        final String name = SPOKEN.getOrDefault(key, title.substring(0, end));
        final String each = title.substring(end + 1).replace("ms/tx", "ms");
        return "the %s is %s %s with %s and %s %s with %s".formatted(name, own, each, column, other, each, against);
    }

    /** A number with no more digits than tell something where equal runs differ so much. */
    public String format(final double number, final double spread) {
        final double finest = Math.pow(10, -decimals);
        final double step = spread <= 0 ? finest : Math.pow(10, Math.floor(Math.log10(spread)) - 1);
        if (step <= finest) {
            return format(number);
        }
        final int shown = (int) Math.max(0, -Math.round(Math.log10(step)));
        return words("%,." + shown + "f", Math.round(number / step) * step);
    }

    public String format(final double number) {
        return words("%,." + decimals + "f", number);
    }

    /** Words with numbers in them, written alike everywhere. */
    public static String words(final String format, final Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static Metric server(
            final String key,
            final String title,
            final Unit unit,
            final int decimals,
            final Function<ServerMetrics, Number> value) {
        return new Metric(
                key, title, unit, decimals, LESS, run -> run.server() == null ? null : value.apply(run.server()));
    }

    private static Metric generator(
            final String key,
            final String title,
            final Unit unit,
            final int decimals,
            final Function<GeneratorMetrics, Number> value) {
        return new Metric(key, title, unit, decimals, LESS, run -> value.apply(run.generator()));
    }

    private static Metric ledger(final String key, final String title, final Function<LedgerMetrics, Number> value) {
        return new Metric(
                key, title, Unit.COUNT, 0, LESS, run -> run.ledger() == null ? null : value.apply(run.ledger()));
    }

    private static Metric probe(
            final String key, final String title, final Unit unit, final int decimals, final Sense sense) {
        return new Metric(key, title, unit, decimals, sense, run -> run.probes().get(key));
    }

    /** From the intended start wherever there is a pace, and the title says so in the note of every table. */
    private static Metric latency(final String key, final String title, final Function<LatencySummary, Number> part) {
        return new Metric(key, title, Unit.MILLIS, 1, LESS, run -> {
            final LatencySummary total = run.load().latencyMillis().get(Phase.TOTAL);
            return known(run.load().latencyMillis().getOrDefault(Phase.RESPONSE, total), part);
        });
    }

    private static Number known(final LatencySummary summary, final Function<LatencySummary, Number> part) {
        return summary == null || summary.count() == 0 ? null : part.apply(summary);
    }

    private static Double pace(final RunResult run) {
        return run.settings().paced() ? run.pacePercent() : null;
    }

    private static Double perSecond(final RunResult run, final double amount) {
        return run.load().transactions() == 0
                ? null
                : run.load().transactionsPerSecond() * amount / run.load().transactions();
    }

    private static long timedOut(final RunResult run) {
        return run.load().failuresByCause().entrySet().stream()
                .filter(cause ->
                        cause.getKey().contains("time-out") || cause.getKey().contains("DEADLINE_PASSED"))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
