// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.Slope;

/**
 * Whether a metric grows from repetition to repetition of one measurement, and what growth could have been seen at all. Immutable, any
 * thread.
 *
 * @param column       whose metric
 * @param metric       which
 * @param transactions of all repetitions together
 * @param slope        per 100,000 transactions, through the repetitions after the first quarter
 */
public record Trend(String column, Metric metric, long transactions, Slope slope) {

    private static final int MIN_REPETITIONS = 4;
    private static final int WARM_UP_PART = 4;
    private static final double PER = 100_000;
    private static final List<String> METRICS = List.of("live-heap", "rss-after");

    /** The trend of every column that has enough repetitions. */
    static List<Trend> of(final List<RunResult> runs) {
        final Map<String, List<RunResult>> measurements = runs.stream()
                .collect(Collectors.groupingBy(
                        run -> run.place().kind() + " #" + run.place().round()));
        return measurements.values().stream()
                .flatMap(repetitions -> METRICS.stream().flatMap(key -> of(repetitions, Metric.by(key)).stream()))
                .sorted(Comparator.comparing(Trend::column))
                .toList();
    }

    private static Optional<Trend> of(final List<RunResult> repetitions, final Metric metric) {
        final List<RunResult> telling = repetitions.subList(repetitions.size() / WARM_UP_PART, repetitions.size());
        if (repetitions.size() < MIN_REPETITIONS
                || telling.stream().map(metric::orNull).anyMatch(Objects::isNull)) {
            return Optional.empty();
        }
        final double[] transactions = new double[telling.size()];
        long sum = repetitions.stream()
                .limit(repetitions.size() / WARM_UP_PART)
                .mapToLong(run -> run.load().transactions())
                .sum();
        for (int repetition = 0; repetition < telling.size(); repetition++) {
            sum += telling.get(repetition).load().transactions();
            transactions[repetition] = sum / PER;
        }
        final double[] values = telling.stream().mapToDouble(metric::orNull).toArray();
        return Optional.of(
                new Trend(repetitions.getFirst().place().kind(), metric, sum, Slope.of(transactions, values)));
    }

    /** Its statement, with the smallest trend that could have been seen. */
    public String sentence() {
        return Metric.words(
                "%s, %s: %+.2f ± %.2f per 100,000 transactions in %,d of them: %s",
                column,
                metric.title(),
                slope.value(),
                slope.standardError(),
                transactions,
                slope.grows()
                        ? "it grows"
                        : Metric.words(
                                "no growth is shown, and one of more than %.2f would have been", slope.detectable()));
    }

    static DataTable table(final List<Trend> trends) {
        return new DataTable(
                "Trend per 100,000 transactions",
                "Least squares through the repetitions after the first quarter. More than two standard errors above 0"
                        + " is growth; a true growth up to the largest that fits can't be excluded.",
                List.of(
                        Column.of("what"),
                        Column.of("metric"),
                        Column.of("transactions"),
                        new Column("slope", 3),
                        new Column("± standard error", 3),
                        new Column("largest that fits", 3),
                        Column.of("grows")),
                trends.stream().map(Trend::cells).toList());
    }

    private List<Object> cells() {
        final String grows = slope.grows() ? "yes" : "not shown";
        return List.of(
                column, metric.title(), transactions, slope.value(), slope.standardError(), slope.detectable(), grows);
    }
}
