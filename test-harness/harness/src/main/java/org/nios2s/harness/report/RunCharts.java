// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.report;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Chart.Axis;
import org.nios2s.harness.result.Chart.Kind;
import org.nios2s.harness.result.Chart.Point;
import org.nios2s.harness.result.Chart.Series;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.TimeSeries.Sample;

/**
 * The charts that every experiment has: how its runs went, second by second, and why transactions failed. Runs of the same
 * kind lie over each other while they are few, and one after the other when they are many. Stateless; any thread.
 */
final class RunCharts {

    private static final int MAX_OVERLAID = 5;
    /** A line of fewer seconds has no course. */
    private static final int MIN_POINTS = 10;

    private static final int MAX_KINDS = 6;
    private static final int MAX_ROWS = 8;
    private static final double MILLIS_PER_SECOND = 1_000;

    private RunCharts() {}

    static List<Chart> of(final List<RunResult> runs) {
        final boolean few = runs.stream().allMatch(run -> run.series().samples().size() < MIN_POINTS);
        return few ? Stream.of(failures(runs)).filter(Chart::hasPoints).toList() : all(runs);
    }

    private static List<Chart> all(final List<RunResult> runs) {
        final Map<String, List<RunResult>> rows = group(runs, run -> run.place().row());
        if (group(runs, run -> run.place().kind()).size() > MAX_KINDS && rows.size() <= MAX_ROWS) {
            return Stream.concat(
                            rows.entrySet().stream().flatMap(row -> ofRow(row.getKey(), row.getValue())),
                            Stream.of(failures(runs)))
                    .filter(Chart::hasPoints)
                    .toList();
        }
        final Map<String, List<RunResult>> kinds = kinds(runs);
        final boolean overlaid = kinds.values().stream().allMatch(same -> same.size() <= MAX_OVERLAID);
        final Drawing drawing = new Drawing(kinds, overlaid);
        final Axis cpu = new Axis("CPU", "% of one processor");
        final Axis memory = new Axis("resident memory", "MiB");
        return Stream.of(
                        drawing.chart("Transactions", new Axis("rate", "tx/s"), Sample::transactionsPerSecond),
                        latency(drawing, runs),
                        drawing.chart("Processor time of the server", cpu, Sample::serverCpuPercent),
                        drawing.chart("Processor time of the load generator", cpu, Sample::generatorCpuPercent),
                        drawing.chart("Memory of the server", memory, Sample::serverResidentMebibytes),
                        drawing.chart("Threads of the server", new Axis("threads", "threads"), Sample::serverThreads),
                        failures(runs))
                .filter(Chart::hasPoints)
                .toList();
    }

    /** The course of a situation by itself: in one chart with others nobody could tell which piece is which. */
    private static Stream<Chart> ofRow(final String row, final List<RunResult> runs) {
        final Drawing drawing = new Drawing(group(runs, run -> run.place().column()), true);
        final Axis rate = new Axis("rate", "tx/s");
        final Axis time = new Axis("time of a transaction", "ms");
        return Stream.of(
                drawing.chart("Transactions: " + row, rate, Sample::transactionsPerSecond),
                new Chart(
                        "p99 by second: " + row,
                        Kind.LINE,
                        drawing.time(),
                        time,
                        drawing.series("", Sample::p99Millis)));
    }

    private static Map<String, List<RunResult>> kinds(final List<RunResult> runs) {
        final Map<String, List<RunResult>> byLabel =
                group(runs, run -> run.place().kind());
        return byLabel.size() <= MAX_KINDS
                ? byLabel
                : group(runs, run -> run.place().column());
    }

    private static Map<String, List<RunResult>> group(
            final List<RunResult> runs, final Function<RunResult, String> key) {
        return runs.stream()
                .filter(run -> run.series() != null)
                .collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
    }

    private static Chart latency(final Drawing drawing, final List<RunResult> runs) {
        final Axis axis = new Axis("time of a transaction", "ms");
        final List<Series> series = new ArrayList<>(drawing.series(" p50", Sample::p50Millis));
        series.addAll(drawing.series(" p99", Sample::p99Millis));
        final boolean paced = runs.stream().anyMatch(run -> run.settings().paced());
        final String title = paced ? "Latency percentiles, from the intended start" : "Latency percentiles";
        return new Chart(title, Kind.LINE, drawing.time(), axis, series);
    }

    private static Chart failures(final List<RunResult> runs) {
        final Set<String> causes = new LinkedHashSet<>();
        runs.forEach(run -> causes.addAll(run.load().failuresByCause().keySet()));
        final List<Series> series = new ArrayList<>();
        for (final String cause : causes) {
            final List<Point> points = runs.stream()
                    .filter(run -> run.load().failures() > 0)
                    .map(run -> new Point(run.place().toString(), (double)
                            run.load().failuresByCause().getOrDefault(cause, 0L)))
                    .toList();
            series.add(new Series(cause, points));
        }
        final Axis x = new Axis("run", "name of the run");
        return new Chart("Failures by cause", Kind.BAR, x, new Axis("failures", "transactions"), series);
    }

    /** Draws one quantity of all runs. Immutable. */
    private record Drawing(Map<String, List<RunResult>> kinds, boolean overlaid) {

        Axis time() {
            return new Axis(overlaid ? "time since the start of the run" : "time since the first run", "s");
        }

        Chart chart(final String title, final Axis axis, final Function<Sample, Number> value) {
            return new Chart(title, Kind.LINE, time(), axis, series("", value));
        }

        List<Series> series(final String suffix, final Function<Sample, Number> value) {
            final List<Series> series = new ArrayList<>();
            kinds.forEach((kind, same) -> (overlaid ? same.stream().map(List::of) : Stream.of(same))
                    .forEach(line -> series.add(new Series(kind + suffix, points(line, value)))));
            return series;
        }

        /** Some runs one after the other, with a gap between them. */
        private static List<Point> points(final List<RunResult> runs, final Function<Sample, Number> value) {
            final Instant first = runs.getFirst().execution().started();
            final List<Point> points = new ArrayList<>();
            for (final RunResult run : runs) {
                final double offset =
                        Duration.between(first, run.execution().started()).toMillis() / MILLIS_PER_SECOND;
                if (!points.isEmpty()) {
                    points.add(new Point(offset, null));
                }
                for (final Sample sample : run.series().samples()) {
                    final Number y = value.apply(sample);
                    points.add(new Point(offset + sample.second(), y == null ? null : y.doubleValue()));
                }
            }
            return points;
        }
    }
}
