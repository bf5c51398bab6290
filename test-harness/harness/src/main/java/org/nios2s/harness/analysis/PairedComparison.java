// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.Comparison;
import org.nios2s.harness.result.Range;
import org.nios2s.harness.result.RunResult;

/**
 * Which combinations are compared, and the ratios of their runs, round by round. Immutable; any thread.
 *
 * @param comparisons what is compared with what
 * @param runs        all runs of an experiment
 */
public record PairedComparison(List<Comparison> comparisons, List<RunResult> runs) {

    private static final Map<String, String> STOCK = Map.of(Parameter.LISTENER.key(), "stock");

    public PairedComparison {
        comparisons = List.copyOf(comparisons);
        runs = List.copyOf(runs);
    }

    /** Those of an experiment: each combination against the one that differs from it in the baseline's settings alone. */
    static PairedComparison of(final Experiment experiment, final List<RunResult> runs) {
        final Map<String, String> baseline = experiment.baseline().isEmpty() ? STOCK : experiment.baseline();
        final List<Cell> cells = experiment.cells();
        final List<Comparison> comparisons = new ArrayList<>();
        for (final Cell cell : cells) {
            final Settings wanted = cell.settings().with(baseline);
            if (!wanted.meansTheSameAs(cell.settings())) {
                cells.stream()
                        .filter(other -> other.settings().meansTheSameAs(wanted))
                        .findFirst()
                        .map(other -> new Comparison(cell.row(), cell.column(), other.row(), other.column()))
                        .ifPresent(comparisons::add);
            }
        }
        return new PairedComparison(comparisons, runs);
    }

    /** With what a combination is compared. */
    Optional<Comparison> comparison(final String row, final String column) {
        return comparisons.stream().filter(each -> each.isOf(row, column)).findFirst();
    }

    /** The baseline of a column, in any of its rows; what differs from row to row goes by a common name. */
    Optional<String> against(final String column) {
        final List<String> names = comparisons.stream()
                .filter(each -> each.column().equals(column))
                .map(Comparison::against)
                .distinct()
                .toList();
        return names.isEmpty() ? Optional.empty() : Optional.of(names.size() == 1 ? names.getFirst() : "baseline");
    }

    /** The ratio of a metric to the baseline's; empty without a baseline, or where its metric is 0. */
    public Optional<Ratio> ratio(final Metric metric, final String row, final String column) {
        return ratio(metric, metric::range, (above, below) -> below != 0, row, column);
    }

    /** The same with runs that are too slow for a table, and infinite where only the baseline's metric is 0. */
    Optional<Ratio> ratioForGate(final Metric metric, final String row, final String column) {
        return ratio(metric, metric::rangeForGate, (above, below) -> below != 0 || above != 0, row, column);
    }

    private Optional<Ratio> ratio(
            final Metric metric,
            final Function<List<RunResult>, Optional<Range>> range,
            final BiPredicate<Double, Double> divides,
            final String row,
            final String column) {
        return comparison(row, column).flatMap(compared -> {
            final Map<Integer, Double> above = byRound(range, row, column);
            final Map<Integer, Double> below = byRound(range, compared.againstRow(), compared.againstColumn());
            final List<Double> ratios = above.keySet().stream()
                    .filter(below::containsKey)
                    .filter(round -> divides.test(above.get(round), below.get(round)))
                    .map(round -> above.get(round) / below.get(round))
                    .toList();
            return Range.ofAny(ratios)
                    .map(all -> new Ratio(
                            metric,
                            column,
                            compared.against(),
                            all,
                            Range.of(above.values()),
                            Range.of(below.values())));
        });
    }

    /** One value per round: of several repetitions their median. */
    private Map<Integer, Double> byRound(
            final Function<List<RunResult>, Optional<Range>> range, final String row, final String column) {
        final Map<Integer, Double> medians = new TreeMap<>();
        runs.stream()
                .filter(run ->
                        run.place().row().equals(row) && run.place().column().equals(column))
                .collect(Collectors.groupingBy(run -> run.place().round()))
                .forEach((round, repetitions) ->
                        range.apply(repetitions).ifPresent(all -> medians.put(round, all.median())));
        return medians;
    }

    /** The baseline's range of a metric; empty without a baseline. */
    Optional<Range> rangeOfBaseline(final Metric metric, final String row, final String column) {
        return comparison(row, column)
                .flatMap(compared -> range(metric, compared.againstRow(), compared.againstColumn()));
    }

    Optional<Range> range(final Metric metric, final String row, final String column) {
        return Range.ofAny(byRound(metric::range, row, column).values());
    }
}
