// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.judge;

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
 * Whether a figure grows from lap to lap of one measurement, and what growth could have been seen at all. Immutable, any
 * thread.
 *
 * @param column       whose figure
 * @param figure       which
 * @param transactions of all laps together
 * @param slope        per 100,000 transactions, through the laps after the first quarter
 */
public record Growth(String column, Figure figure, long transactions, Slope slope) {

    private static final int LEAST_LAPS = 4;
    private static final int WARM_UP_PART = 4;
    private static final double PER = 100_000;
    private static final List<String> FIGURES = List.of("live-heap", "rss-after");

    /** The growth of every column that has laps enough. */
    static List<Growth> of(final List<RunResult> runs) {
        final Map<String, List<RunResult>> measurements = runs.stream()
                .collect(Collectors.groupingBy(
                        run -> run.place().kind() + " #" + run.place().round()));
        return measurements.values().stream()
                .flatMap(laps -> FIGURES.stream().flatMap(key -> of(laps, Figure.by(key)).stream()))
                .sorted(Comparator.comparing(Growth::column))
                .toList();
    }

    private static Optional<Growth> of(final List<RunResult> laps, final Figure figure) {
        final List<RunResult> telling = laps.subList(laps.size() / WARM_UP_PART, laps.size());
        if (laps.size() < LEAST_LAPS || telling.stream().map(figure::orNull).anyMatch(Objects::isNull)) {
            return Optional.empty();
        }
        final double[] transactions = new double[telling.size()];
        long sum = laps.stream()
                .limit(laps.size() / WARM_UP_PART)
                .mapToLong(RunResult::transactions)
                .sum();
        for (int lap = 0; lap < telling.size(); lap++) {
            sum += telling.get(lap).transactions();
            transactions[lap] = sum / PER;
        }
        final double[] values = telling.stream().mapToDouble(figure::orNull).toArray();
        return Optional.of(new Growth(laps.getFirst().place().kind(), figure, sum, Slope.of(transactions, values)));
    }

    /** What it says, with what could have been seen. */
    public String sentence() {
        return Figure.words(
                "%s, %s: %+.2f ± %.2f per 100,000 transactions in %,d of them: %s",
                column,
                figure.title(),
                slope.value(),
                slope.standardError(),
                transactions,
                slope.grows()
                        ? "it grows"
                        : Figure.words(
                                "no growth is shown, and one of more than %.2f would have been", slope.detectable()));
    }

    static DataTable table(final List<Growth> growths) {
        return new DataTable(
                "Growth per 100,000 transactions",
                "Least squares through the laps after the first quarter. More than two standard errors above 0"
                        + " is growth; a true growth up to the largest that fits can't be excluded.",
                List.of(
                        Column.of("what"),
                        Column.of("figure"),
                        Column.of("transactions"),
                        new Column("slope", 3),
                        new Column("± standard error", 3),
                        new Column("largest that fits", 3),
                        Column.of("grows")),
                growths.stream().map(Growth::cells).toList());
    }

    private List<Object> cells() {
        final String grows = slope.grows() ? "yes" : "not shown";
        return List.of(
                column, figure.title(), transactions, slope.value(), slope.standardError(), slope.detectable(), grows);
    }
}
