// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.judge;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.result.LatencySummary;
import org.nios2s.harness.result.RunResult;

/**
 * A figure of a run that tables, ratios, charts and rules name by its key. Immutable, any thread.
 *
 * @param key      its name in presets and rules
 * @param title    what tables call it, with its unit
 * @param decimals how exactly it is printed
 * @param sense    which of two values is the better one
 * @param value    takes it from a run; empty where it means nothing or nobody measured it
 */
public record Figure(String key, String title, int decimals, Sense sense, Function<RunResult, OptionalDouble> value) {

    /** Which of two values is the better one. */
    public enum Sense {
        MORE,
        LESS,
        NEITHER
    }

    private static final double PERCENT = 100;
    private static final double MEBIBYTE = 1024 * 1024;
    private static final double MEGABYTE = 1e6;

    public static final Figure RATE = of("rate", "tx/s", 0, Sense.MORE, RunResult::transactionsPerSecond);
    public static final Figure FAILURES = of("failures", "failures", 0, Sense.LESS, RunResult::failures);
    public static final Figure PACE = new Figure("pace", "pace kept %", 1, Sense.MORE, Figure::pace);
    public static final Figure P50 = latency("p50", "p50 ms", LatencySummary::p50);
    public static final Figure P99 = latency("p99", "p99 ms", LatencySummary::p99);
    public static final Figure CPU =
            server("cpu", "server CPU ms/tx", 3, run -> run.server().cpuMillisPerTransaction());
    public static final Figure CPU_NET = new Figure(
            "cpu-net",
            "server CPU above idle ms/tx",
            3,
            Sense.LESS,
            run -> run.server() == null || run.server().netCpuMillisPerTransaction() == null
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(run.server().netCpuMillisPerTransaction()));
    public static final Figure LOST =
            ledger("lost", "lost packets", run -> run.ledger().lost());
    public static final Figure DUPLICATED =
            ledger("duplicated", "duplicated packets", run -> run.ledger().duplicated());

    private static final List<Figure> ALL = List.of(
            RATE,
            of(
                    "flowfiles",
                    "FlowFiles/s",
                    0,
                    Sense.MORE,
                    run -> run.transactionsPerSecond() * run.settings().packets()),
            new Figure("mb", "MB/s", 1, Sense.MORE, Figure::megabytes),
            probe("arrived", "FlowFiles/s into the sink", 0, Sense.MORE),
            PACE,
            FAILURES,
            of("unbegun", "never begun", 0, Sense.LESS, RunResult::unbegun),
            P50,
            P99,
            latency("max", "max ms", LatencySummary::max),
            total("service-p50", "service p50 ms", LatencySummary::p50),
            total("service-p99", "service p99 ms", LatencySummary::p99),
            total("average", "average ms", LatencySummary::average),
            probe("deviation", "standard deviation ms", 3, Sense.LESS),
            probe("connect", "connecting ms", 3, Sense.LESS),
            probe("connect-deviation", "its standard deviation ms", 3, Sense.LESS),
            probe("stuck", "stuck", 0, Sense.LESS),
            of("timed-out", "timed out", 0, Sense.LESS, Figure::timedOut),
            CPU,
            CPU_NET,
            server("server-percent", "server CPU %", 0, run -> run.server().cpuPercent()),
            probe("between-percent", "NiFi in between CPU %", 0, Sense.LESS),
            server("threads", "server threads", 0, run -> run.server().maxThreads()),
            server("rss", "server RSS MiB", 0, run -> run.server().maxResidentBytes() / MEBIBYTE),
            of("generator-cpu", "generator CPU ms/tx", 3, Sense.LESS, run -> run.generator()
                    .cpuMillisPerTransaction()),
            of("generator-percent", "generator CPU %", 0, Sense.LESS, run -> run.generator()
                    .cpuPercent()),
            LOST,
            DUPLICATED,
            probe("slow-peers", "slow peers still there", 0, Sense.MORE),
            probe("idle-peers", "idle peers connected", 0, Sense.MORE),
            probe("idle-refused", "idle peers refused", 0, Sense.LESS),
            probe("idle-seconds", "all there after s", 2, Sense.LESS),
            probe("idle-heap", "heap per idle peer KiB", 1, Sense.LESS),
            probe("idle-heap-error", "± KiB of heap", 1, Sense.NEITHER),
            probe("idle-native", "native memory per idle peer KiB", 1, Sense.LESS),
            probe("idle-native-error", "± KiB of native memory", 1, Sense.NEITHER),
            probe("idle-threads", "threads for idle peers", 0, Sense.LESS),
            probe("triggers-idle", "triggers/s beside idle ports", 0, Sense.MORE),
            probe("triggers", "triggers/s beside busy ports", 0, Sense.MORE),
            probe("live-heap", "live heap MiB", 1, Sense.LESS),
            probe("rss-after", "RSS afterwards MiB", 0, Sense.LESS),
            probe("buffered", "most buffered MiB, by its log", 1, Sense.LESS),
            probe("equal", "equal digests", 0, Sense.MORE),
            probe("different", "different digests", 0, Sense.LESS));

    private static final Map<String, Figure> BY_KEY =
            ALL.stream().collect(Collectors.toMap(Figure::key, Function.identity()));

    /** Figures of a load that has a pace: what its callers wait, and what it costs. */
    public static final List<Figure> OF_A_PACE =
            List.of(P50, P99, CPU_NET, CPU, PACE, FAILURES, by("rss"), by("threads"), LOST, DUPLICATED);

    /** Figures of a load flat out: how much there is of it, and what it costs. */
    public static final List<Figure> FLAT_OUT =
            List.of(RATE, CPU, P50, P99, FAILURES, by("rss"), by("threads"), by("generator-cpu"), LOST, DUPLICATED);

    /** The figure of a key; the message of an exception is fit for a user. */
    public static Figure by(final String key) {
        final Figure known = BY_KEY.get(key);
        if (known == null) {
            throw new IllegalArgumentException("'%s' is no figure; there are %s"
                    .formatted(key, ALL.stream().map(Figure::key).collect(Collectors.joining(", "))));
        }
        return known;
    }

    /** Every figure that there is. */
    public static Stream<Figure> all() {
        return ALL.stream();
    }

    /** The figure of a run. */
    public OptionalDouble of(final RunResult run) {
        return value.apply(run);
    }

    /** A number as this figure is printed. */
    public String format(final double number) {
        return words("%,." + decimals + "f", number);
    }

    /** Words with numbers in them, written alike everywhere. */
    public static String words(final String format, final Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static Figure of(
            final String key,
            final String title,
            final int decimals,
            final Sense sense,
            final ToDoubleFunction<RunResult> value) {
        return new Figure(key, title, decimals, sense, run -> OptionalDouble.of(value.applyAsDouble(run)));
    }

    private static Figure server(
            final String key, final String title, final int decimals, final ToDoubleFunction<RunResult> value) {
        return new Figure(
                key,
                title,
                decimals,
                Sense.LESS,
                run -> run.server() == null ? OptionalDouble.empty() : OptionalDouble.of(value.applyAsDouble(run)));
    }

    private static Figure ledger(final String key, final String title, final ToDoubleFunction<RunResult> value) {
        return new Figure(
                key,
                title,
                0,
                Sense.LESS,
                run -> run.ledger() == null ? OptionalDouble.empty() : OptionalDouble.of(value.applyAsDouble(run)));
    }

    private static Figure probe(final String key, final String title, final int decimals, final Sense sense) {
        return new Figure(
                key,
                title,
                decimals,
                sense,
                run -> run.probes().containsKey(key)
                        ? OptionalDouble.of(run.probes().get(key))
                        : OptionalDouble.empty());
    }

    /** From the intended start wherever there is a pace, and the title says so in the note of every table. */
    private static Figure latency(final String key, final String title, final ToDoubleFunction<LatencySummary> part) {
        return new Figure(
                key,
                title,
                1,
                Sense.LESS,
                run -> of(
                        run.latencyMillis()
                                .getOrDefault(
                                        Phase.RESPONSE, run.latencyMillis().get(Phase.TOTAL)),
                        part));
    }

    private static Figure total(final String key, final String title, final ToDoubleFunction<LatencySummary> part) {
        return new Figure(
                key, title, 3, Sense.LESS, run -> of(run.latencyMillis().get(Phase.TOTAL), part));
    }

    private static OptionalDouble of(final LatencySummary summary, final ToDoubleFunction<LatencySummary> part) {
        return summary == null || summary.count() == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(part.applyAsDouble(summary));
    }

    private static OptionalDouble pace(final RunResult run) {
        return run.settings().paced()
                ? OptionalDouble.of(
                        PERCENT * run.transactionsPerSecond() / run.settings().intendedPerSecond())
                : OptionalDouble.empty();
    }

    private static OptionalDouble megabytes(final RunResult run) {
        return run.transactions() == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(run.transactionsPerSecond() * run.bytes() / run.transactions() / MEGABYTE);
    }

    private static double timedOut(final RunResult run) {
        return run.failuresByCause().entrySet().stream()
                .filter(cause ->
                        cause.getKey().contains("time-out") || cause.getKey().contains("DEADLINE_PASSED"))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
