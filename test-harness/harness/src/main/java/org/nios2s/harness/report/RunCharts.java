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
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Chart.Axis;
import org.nios2s.harness.result.Chart.Point;
import org.nios2s.harness.result.Chart.Series;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.TimeSeries.Sample;

/**
 * The charts that every scenario has: how its runs went, second by second, and why transactions failed. Runs of the same
 * kind lie over each other while they are few, and one after the other when they are many. Stateless, any thread.
 */
final class RunCharts {

    private static final int MOST_OVERLAID = 5;
    private static final int MOST_KINDS = 6;
    private static final double MILLIS_PER_SECOND = 1_000;

    private RunCharts() {}

    /** Draws runs: the charts that have something to show. */
    static List<Chart> of(final List<RunResult> runs) {
        final Map<String, List<RunResult>> kinds = kinds(runs);
        final boolean overlaid = kinds.values().stream().allMatch(same -> same.size() <= MOST_OVERLAID);
        final Drawing drawing = new Drawing(kinds, overlaid);
        final List<Chart> charts = new ArrayList<>();
        charts.add(drawing.chart("Transactions", new Axis("rate", "tx/s"), "", Sample::transactionsPerSecond));
        charts.add(latency(drawing, runs));
        charts.add(drawing.chart(
                "Processor time of the server", new Axis("CPU", "% of one processor"), "", Sample::serverCpuPercent));
        charts.add(drawing.chart(
                "Processor time of the load generator",
                new Axis("CPU", "% of one processor"),
                "",
                Sample::generatorCpuPercent));
        charts.add(drawing.chart(
                "Memory of the server", new Axis("resident memory", "MiB"), "", Sample::serverResidentMebibytes));
        charts.add(drawing.chart(
                "Threads of the server",
                new Axis("threads", "threads"),
                "",
                sample -> sample.serverThreads() == null
                        ? null
                        : sample.serverThreads().doubleValue()));
        charts.add(failures(runs));
        return charts.stream().filter(RunCharts::hasPoints).toList();
    }

    private static Map<String, List<RunResult>> kinds(final List<RunResult> runs) {
        final Map<String, List<RunResult>> byLabel =
                group(runs, run -> run.place().kind());
        return byLabel.size() <= MOST_KINDS
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
        final List<Series> series = new ArrayList<>();
        series.addAll(drawing.chart("", axis, " p50", Sample::p50Millis).series());
        series.addAll(drawing.chart("", axis, " p99", Sample::p99Millis).series());
        return Chart.line(
                runs.stream().anyMatch(run -> run.settings().paced())
                        ? "Latency percentiles, from the intended start"
                        : "Latency percentiles",
                drawing.time(),
                axis,
                series);
    }

    private static Chart failures(final List<RunResult> runs) {
        final Set<String> causes = new LinkedHashSet<>();
        runs.forEach(run -> causes.addAll(run.failuresByCause().keySet()));
        final List<Series> series = causes.stream()
                .map(cause -> new Series(
                        cause,
                        runs.stream()
                                .map(run -> new Point(
                                        run.label(),
                                        run.failuresByCause()
                                                .getOrDefault(cause, 0L)
                                                .doubleValue()))
                                .toList()))
                .toList();
        return Chart.bar(
                "Failures by cause", new Axis("run", "name of the run"), new Axis("failures", "transactions"), series);
    }

    private static boolean hasPoints(final Chart chart) {
        return chart.series().stream()
                .anyMatch(series -> series.points().stream().anyMatch(point -> point.y() != null));
    }

    /** Draws one quantity of all runs. Immutable. */
    private record Drawing(Map<String, List<RunResult>> kinds, boolean overlaid) {

        Axis time() {
            return new Axis(overlaid ? "time since the start of the run" : "time since the first run", "s");
        }

        Chart chart(final String title, final Axis axis, final String suffix, final Function<Sample, Double> value) {
            final List<Series> series = new ArrayList<>();
            kinds.forEach((kind, same) -> {
                if (overlaid) {
                    same.forEach(run -> series.add(new Series(kind + suffix, points(run, 0, value))));
                } else {
                    series.add(new Series(kind + suffix, sequence(same, value)));
                }
            });
            return Chart.line(title, time(), axis, series);
        }

        private static List<Point> sequence(final List<RunResult> runs, final Function<Sample, Double> value) {
            final Instant first = runs.getFirst().started();
            final List<Point> points = new ArrayList<>();
            for (final RunResult run : runs) {
                final double offset = Duration.between(first, run.started()).toMillis() / MILLIS_PER_SECOND;
                if (!points.isEmpty()) {
                    points.add(new Point(offset, null));
                }
                points.addAll(points(run, offset, value));
            }
            return points;
        }

        private static List<Point> points(
                final RunResult run, final double offset, final Function<Sample, Double> value) {
            return run.series().samples().stream()
                    .map(sample -> new Point(offset + sample.second(), value.apply(sample)))
                    .toList();
        }
    }
}
