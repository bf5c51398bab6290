// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;
import org.nios2s.harness.result.DataTable.Column;

/**
 * The same work on the stock and the NIO listener, several times each: medians, spread and ratios. Immutable, any thread.
 *
 * @param lines one per figure
 */
public record Comparison(List<Line> lines) {

    private static final int RATIO_DECIMALS = 2;
    private static final List<Figure> FIGURES = List.of(
            Figure.RATE,
            Figure.SERVER_CPU,
            Figure.TOTAL_P50,
            Figure.TOTAL_P99,
            Figure.TOTAL_MAX,
            Figure.RESPONSE_P99,
            Figure.FAILURES,
            Figure.SERVER_THREADS,
            Figure.SERVER_RSS,
            Figure.GENERATOR_CPU,
            Figure.LOST,
            Figure.DUPLICATED);

    /**
     * Compares.
     *
     * @param stock runs on the stock listener
     * @param nio   as many runs on the NIO listener
     * @return a line for each figure that both have
     */
    public static Comparison of(final List<RunResult> stock, final List<RunResult> nio) {
        final List<Line> lines = new ArrayList<>();
        for (final Figure figure : FIGURES) {
            final double[] ofStock = values(figure, stock);
            final double[] ofNio = values(figure, nio);
            if (ofStock.length > 0 && ofNio.length > 0) {
                lines.add(Line.of(figure, Spread.of(ofStock), Spread.of(ofNio)));
            }
        }
        return new Comparison(List.copyOf(lines));
    }

    /**
     * The comparison as a table.
     *
     * @return a row per figure
     */
    public DataTable table() {
        return table("Stock against NIO", "stock", "nio");
    }

    /**
     * The comparison as a table, of other two than the listeners.
     *
     * @param title  what is compared
     * @param first  what stands in place of the stock listener
     * @param second what stands in place of the NIO listener
     * @return a row per figure
     */
    public DataTable table(final String title, final String first, final String second) {
        DataTable table = DataTable.of(
                title,
                Column.of("median (least – most)"),
                Column.of(first),
                Column.of(second),
                Column.of(second + " / " + first, null, RATIO_DECIMALS));
        for (final Line line : lines) {
            table = table.row(
                    line.figure().title(),
                    text(line.figure(), line.stock()),
                    text(line.figure(), line.nio()),
                    line.ratio());
        }
        return table;
    }

    /**
     * The few ratios that count most.
     *
     * @param ofFirst what the ratios are to, such as {@code of the stock listener}
     * @param second  whose ratios they are, such as {@code NIO}
     * @return one for each figure that both have
     */
    public List<Headline> headlines(final String ofFirst, final String second) {
        final List<Headline> headlines = new ArrayList<>();
        ratio(Figure.RATE, "the transactions per second " + ofFirst).ifPresent(headlines::add);
        ratio(Figure.SERVER_CPU, "its server CPU per transaction").ifPresent(headlines::add);
        ratio(line(Figure.RESPONSE_P99).isPresent() ? Figure.RESPONSE_P99 : Figure.TOTAL_P99, "its latency, p99")
                .ifPresent(headlines::add);
        line(Figure.FAILURES)
                .ifPresent(line -> headlines.add(new Headline(
                        line.figure().format(line.nio().most()), "failures in the worst run with " + second)));
        return headlines;
    }

    private Optional<Headline> ratio(final Figure figure, final String caption) {
        return line(figure)
                .filter(line -> line.ratio() != null)
                .map(line -> new Headline(String.format(Locale.ROOT, "%.2f ×", line.ratio()), caption));
    }

    /**
     * The line of a figure.
     *
     * @param figure which
     * @return empty when not both have it
     */
    public Optional<Line> line(final Figure figure) {
        return lines.stream().filter(line -> line.figure() == figure).findFirst();
    }

    private static double[] values(final Figure figure, final List<RunResult> runs) {
        return runs.stream()
                .map(figure::of)
                .filter(OptionalDouble::isPresent)
                .mapToDouble(OptionalDouble::getAsDouble)
                .toArray();
    }

    private static String text(final Figure figure, final Spread spread) {
        final String median = figure.format(spread.median());
        final String least = figure.format(spread.least());
        final String most = figure.format(spread.most());
        return least.equals(most) ? median : "%s (%s – %s)".formatted(median, least, most);
    }

    /**
     * One figure of both.
     *
     * @param figure which
     * @param stock  on the stock listener
     * @param nio    on the NIO listener
     * @param ratio  median of NIO divided by that of stock, null when the latter is 0
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Line(Figure figure, Spread stock, Spread nio, Double ratio) {

        private static Line of(final Figure figure, final Spread stock, final Spread nio) {
            return new Line(figure, stock, nio, stock.median() == 0 ? null : nio.median() / stock.median());
        }
    }

    /**
     * Where the values of several runs lie.
     *
     * @param median the middle one, or the mean of the middle two
     * @param least  the least
     * @param most   the most
     */
    public record Spread(double median, double least, double most) {

        /**
         * Where values lie.
         *
         * @param values at least one, in any order
         * @return their median and their ends
         */
        public static Spread of(final double[] values) {
            final double[] sorted = values.clone();
            Arrays.sort(sorted);
            final int middle = sorted.length / 2;
            final double median = sorted.length % 2 == 1
                    ? sorted[middle]
                    : DoubleStream.of(sorted[middle - 1], sorted[middle])
                            .average()
                            .orElseThrow();
            return new Spread(median, sorted[0], sorted[sorted.length - 1]);
        }
    }
}
