// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.judge;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.Spread;

/**
 * Which targets are compared, and the ratios of their runs, round by round. Immutable, any thread.
 *
 * @param columns the targets, in the order of their columns
 * @param runs    all runs of an experiment
 */
public record Pairs(List<String> columns, List<RunResult> runs) {

    static final String STOCK = "stock";
    static final String NIO = "nio";

    /** Those of runs alone, without their experiment. */
    public static Pairs of(final List<RunResult> runs) {
        return new Pairs(
                runs.stream().map(run -> run.place().column()).distinct().toList(), runs);
    }

    /** With whom a column is compared: the stock listener of the same kind, else the first column. */
    Optional<String> partner(final String column) {
        final String ofStock = column.replace(NIO, STOCK);
        if (!ofStock.equals(column) && columns.contains(ofStock)) {
            return Optional.of(ofStock);
        }
        final boolean stockAndOthers = column.contains(STOCK)
                && columns.stream().anyMatch(each -> each.replace(NIO, STOCK).equals(column) && !each.equals(column));
        return column.equals(columns.getFirst()) || stockAndOthers ? Optional.empty() : Optional.of(columns.getFirst());
    }

    /** The ratio of a figure to the partner's, in a row; empty without a partner, or where the partner's figure is 0. */
    public Optional<Ratio> ratio(final Figure figure, final String row, final String column) {
        return partner(column).flatMap(first -> {
            final Map<Integer, Double> above = byRound(figure, row, column);
            final Map<Integer, Double> below = byRound(figure, row, first);
            final List<Double> ratios = above.keySet().stream()
                    .filter(round -> below.getOrDefault(round, 0.0) != 0)
                    .map(round -> above.get(round) / below.get(round))
                    .toList();
            return Spread.ofAny(ratios).map(spread -> new Ratio(figure, column, first, spread));
        });
    }

    /** One value per round: of several laps their median. */
    private Map<Integer, Double> byRound(final Figure figure, final String row, final String column) {
        final Map<Integer, Double> medians = new TreeMap<>();
        runs.stream()
                .filter(run ->
                        run.place().row().equals(row) && run.place().column().equals(column))
                .collect(Collectors.groupingBy(run -> run.place().round()))
                .forEach((round, laps) -> figure.spread(laps).ifPresent(spread -> medians.put(round, spread.median())));
        return medians;
    }

    Optional<Spread> spread(final Figure figure, final String row, final String column) {
        return Spread.ofAny(byRound(figure, row, column).values());
    }
}
