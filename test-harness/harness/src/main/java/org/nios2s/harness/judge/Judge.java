// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.judge;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.Headline;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.Spread;

/**
 * Says what the runs of an experiment show: one table of medians and of ratios of pairs, charts, a verdict, and what to
 * beware of. Every word of it is computed. Immutable, used on the command's thread.
 */
public final class Judge {

    private static final String STOCK = "stock";
    private static final String NIO = "nio";
    private static final int FIGURES_OF_A_VERDICT = 2;
    private static final int MOST_HEADLINES = 4;
    private static final int MOST_CHARTS = 4;
    private static final Pattern LAST_NUMBER = Pattern.compile("^(\\D*?)(\\d+)$");

    private final Experiment experiment;
    private final List<RunResult> runs;
    private final Map<String, List<Cell>> rows;
    private final List<String> columns;

    /** A judge of runs that were measured for an experiment, some of them perhaps missing. */
    public Judge(final Experiment experiment, final List<RunResult> runs) {
        this.experiment = experiment;
        this.runs = List.copyOf(runs);
        this.rows = experiment.rows();
        this.columns = runs.stream()
                .map(run -> run.place().column())
                .distinct()
                .sorted(this::inOrder)
                .toList();
    }

    private int inOrder(final String one, final String other) {
        final List<String> planned =
                experiment.cells().stream().map(Cell::column).distinct().toList();
        return Integer.compare(planned.indexOf(one), planned.indexOf(other));
    }

    /** All figures: rows by what was measured, a column for each target, and how they compare. */
    public DataTable table() {
        final boolean several = rows.size() > 1;
        final List<String> compared =
                columns.stream().filter(column -> partner(column).isPresent()).toList();
        final List<Column> head = new ArrayList<>();
        if (several) {
            head.add(Column.of("what"));
        }
        head.add(Column.of("median (least – most)"));
        columns.forEach(column -> head.add(Column.of(column)));
        for (final String column : compared) {
            head.add(Column.of(column + " / " + partner(column).orElseThrow()));
        }
        if (compared.size() == 1) {
            head.add(Column.of("which means"));
        }
        DataTable table = DataTable.of(
                experiment.about().isEmpty() ? experiment.name() : experiment.about(), head.toArray(Column[]::new));
        for (final String row : rows.keySet()) {
            for (final Figure figure : figures(row)) {
                final List<Object> cells = new ArrayList<>();
                if (several) {
                    cells.add(row);
                }
                cells.add(figure.title());
                columns.forEach(column -> cells.add(text(figure, row, column)));
                final List<Optional<Ratio>> ratios = compared.stream()
                        .map(column -> ratio(figure, row, column))
                        .toList();
                ratios.forEach(ratio -> cells.add(ratio.map(Ratio::text).orElse(null)));
                if (compared.size() == 1) {
                    cells.add(ratios.getFirst()
                            .map(Ratio::meaning)
                            .orElseGet(() -> withoutRatio(figure, row, compared.getFirst())));
                }
                table = table.row(cells.toArray());
            }
        }
        return table.noted(note());
    }

    /** What is to be said when the other's figure is 0, so that there is no ratio. */
    private String withoutRatio(final Figure figure, final String row, final String column) {
        final Optional<Spread> own = spread(figure, row, column);
        final Optional<Spread> other = partner(column).flatMap(first -> spread(figure, row, first));
        return own.isPresent()
                        && own.get().least() > 0
                        && other.isPresent()
                        && other.get().most() == 0
                ? partner(column).orElseThrow() + " has none"
                : null;
    }

    private String note() {
        final boolean paced = runs.stream().anyMatch(run -> run.settings().paced());
        final boolean flatOut = runs.stream().anyMatch(run -> !run.settings().paced());
        return Stream.of(
                        "Rates and times are those of the part of a run in which all clients were at work.",
                        paced ? "With a pace, times count from the intended start." : "",
                        flatOut
                                ? "Flat out, a client's next transaction waits for its last: times are the server's only."
                                : "",
                        "Ratios are those of neighbouring runs, then their median, least and most.")
                .filter(sentence -> !sentence.isEmpty())
                .collect(Collectors.joining(" "));
    }

    /** Further tables: what grows. */
    public List<DataTable> furtherTables() {
        final List<Growth> growths = growths();
        return growths.isEmpty() ? List.of() : List.of(Growth.table(growths));
    }

    /** What grows from lap to lap. */
    public List<Growth> growths() {
        return Growth.of(runs);
    }

    /** The figures that tell most, drawn over the rows. */
    public List<Chart> charts() {
        final List<Chart> charts = new ArrayList<>();
        final Set<Figure> drawn = new LinkedHashSet<>();
        rows.keySet().forEach(row -> figures(row).stream().limit(MOST_CHARTS).forEach(drawn::add));
        drawn.stream().limit(MOST_CHARTS).forEach(figure -> charts.add(chart(figure)));
        if (runs.stream().anyMatch(run -> run.place().lap() > 1)) {
            Stream.of("live-heap", "rss-after", "rate").map(Figure::by).forEach(figure -> charts.add(laps(figure)));
        }
        return charts.stream()
                .filter(chart -> chart.series().stream()
                        .anyMatch(series -> series.points().stream().anyMatch(point -> point.y() != null)))
                .toList();
    }

    private Chart chart(final Figure figure) {
        final List<Double> numbers = rows.keySet().stream()
                .map(Judge::lastNumber)
                .flatMap(Optional::stream)
                .toList();
        final boolean numeric = rows.size() > 2 && numbers.size() == rows.size();
        final List<String> names = List.copyOf(rows.keySet());
        final List<Chart.Series> series = columns.stream()
                .map(column -> new Chart.Series(
                        column,
                        names.stream()
                                .map(row -> new Chart.Point(
                                        numeric ? lastNumber(row).orElseThrow() : row.isEmpty() ? column : row,
                                        spread(figure, row, column)
                                                .map(Spread::median)
                                                .orElse(null)))
                                .toList()))
                .toList();
        final String what = numeric ? names.getFirst().replaceAll("\\d+$", "").strip() : "measured";
        final Chart.Axis x = new Chart.Axis(what, what);
        final Chart.Axis y = new Chart.Axis(figure.title(), figure.title().endsWith(" ms") ? "ms" : figure.title());
        return numeric ? Chart.line(figure.title(), x, y, series) : Chart.bar(figure.title(), x, y, series);
    }

    private Chart laps(final Figure figure) {
        final List<Chart.Series> series = runs.stream()
                .collect(Collectors.groupingBy(run -> run.place().column(), TreeMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .map(entry -> new Chart.Series(
                        entry.getKey(),
                        entry.getValue().stream()
                                .map(run -> new Chart.Point(
                                        (double) run.place().lap(),
                                        figure.of(run).isPresent()
                                                ? figure.of(run).getAsDouble()
                                                : null))
                                .toList()))
                .toList();
        return Chart.line(
                figure.title() + " by lap",
                new Chart.Axis("lap", "laps"),
                new Chart.Axis(figure.title(), figure.title()),
                series);
    }

    private static Optional<Double> lastNumber(final String row) {
        final Matcher number = LAST_NUMBER.matcher(row);
        return number.matches() ? Optional.of(Double.valueOf(number.group(2))) : Optional.empty();
    }

    /** The ratios that tell most, for the top of the report. */
    public List<Headline> headlines() {
        final List<Headline> headlines = new ArrayList<>();
        for (final String row : rows.keySet()) {
            for (final Figure figure :
                    figures(row).stream().limit(FIGURES_OF_A_VERDICT).toList()) {
                columns.stream()
                        .map(column -> ratio(figure, row, column))
                        .flatMap(Optional::stream)
                        .findFirst()
                        .ifPresent(ratio -> headlines.add(new Headline(
                                Figure.words("%.2f ×", ratio.ratios().median()),
                                Figure.words(
                                        "%s, %s / %s%s",
                                        figure.title(),
                                        ratio.second(),
                                        ratio.first(),
                                        row.isEmpty() ? "" : ": " + row))));
            }
        }
        return headlines.stream().limit(MOST_HEADLINES).toList();
    }

    /** What the runs show, with what to beware of. */
    public String verdict(final int processors) {
        if (runs.isEmpty()) {
            return "Nothing was measured.";
        }
        final List<String> parts = new ArrayList<>();
        for (final String column : columns) {
            if (partner(column).isPresent()) {
                comparison(column).ifPresent(parts::add);
            }
        }
        if (parts.isEmpty()) {
            parts.add(plain());
        }
        growths().stream().filter(growth -> growth.slope().grows()).forEach(growth -> parts.add(growth.sentence()));
        return Caveat.append(String.join("; ", parts) + "; " + faults() + ".", caveats(processors));
    }

    private Optional<String> comparison(final String column) {
        final Set<Figure> telling = new LinkedHashSet<>();
        rows.keySet()
                .forEach(
                        row -> figures(row).stream().limit(FIGURES_OF_A_VERDICT).forEach(telling::add));
        final List<String> said = new ArrayList<>();
        for (final Figure figure : telling) {
            final List<Ratio> ratios = rows.keySet().stream()
                    .filter(row -> figures(row).contains(figure))
                    .map(row -> ratio(figure, row, column))
                    .flatMap(Optional::stream)
                    .toList();
            if (ratios.size() == 1) {
                said.add(figure.title() + " " + ratios.getFirst().text() + ", "
                        + ratios.getFirst().meaning());
            } else if (!ratios.isEmpty()) {
                final Spread medians = Spread.of(
                        ratios.stream().map(ratio -> ratio.ratios().median()).toList());
                said.add(Figure.words(
                        "%s %.2f to %.2f × in %d rows",
                        figure.title(), medians.least(), medians.most(), ratios.size()));
            }
        }
        return said.isEmpty()
                ? Optional.empty()
                : Optional.of(column + " / " + partner(column).orElseThrow() + ": " + String.join(", ", said));
    }

    private String plain() {
        return rows.keySet().stream()
                .flatMap(row -> columns.stream().map(column -> figures(row).stream()
                        .limit(FIGURES_OF_A_VERDICT)
                        .filter(figure -> spread(figure, row, column).isPresent())
                        .map(figure -> figure.title() + " " + text(figure, row, column))
                        .collect(Collectors.joining(", ", (row.isEmpty() ? column : row + ", " + column) + ": ", ""))))
                .limit(MOST_HEADLINES)
                .collect(Collectors.joining("; "));
    }

    private String faults() {
        final List<String> faulty = columns.stream()
                .map(column -> {
                    final long failed = sum(column, RunResult::failures);
                    final long lost = sum(
                            column,
                            run -> run.ledger() == null ? 0 : run.ledger().lost());
                    final long twice = sum(
                            column,
                            run -> run.ledger() == null ? 0 : run.ledger().duplicated());
                    return failed + lost + twice == 0
                            ? ""
                            : Figure.words(
                                    "%s: %,d failed, %,d packets lost, %,d duplicated", column, failed, lost, twice);
                })
                .filter(text -> !text.isEmpty())
                .toList();
        final boolean counted = runs.stream().allMatch(run -> run.ledger() != null);
        return faulty.isEmpty()
                ? "no failure" + (counted ? ", 0 packets lost, 0 duplicated" : "")
                : String.join("; ", faulty);
    }

    private long sum(final String column, final ToLongFunction<RunResult> part) {
        return runs.stream()
                .filter(run -> run.place().column().equals(column))
                .mapToLong(part)
                .sum();
    }

    /** What to beware of. */
    public List<Caveat> caveats(final int processors) {
        return Caveat.of(runs, processors);
    }

    /** The rules of the experiment that are true of some run, in words. */
    public List<String> brokenRules() {
        return experiment.rules().stream()
                .map(Rule::parse)
                .flatMap(rule -> runs.stream()
                        .filter(rule::holds)
                        .map(run -> Figure.words(
                                "%s holds in %s: %s",
                                rule,
                                run.label(),
                                rule.figure().format(rule.figure().of(run).orElseThrow()))))
                .toList();
    }

    /** Whether nothing went wrong, the stock listener's own trouble aside when it stands beside the NIO one. */
    public boolean flawless() {
        final boolean excused = columns.stream().anyMatch(column -> column.contains(NIO));
        final List<RunResult> counted = runs.stream()
                .filter(run -> !excused || !run.place().column().contains(STOCK))
                .toList();
        return !counted.isEmpty() && counted.stream().allMatch(RunResult::flawless);
    }

    /** With whom a column is compared: the stock listener of the same kind, else the first column. */
    private Optional<String> partner(final String column) {
        final String ofStock = column.replace(NIO, STOCK);
        if (!ofStock.equals(column) && columns.contains(ofStock)) {
            return Optional.of(ofStock);
        }
        final boolean stockAndOthers = column.contains(STOCK)
                && columns.stream().anyMatch(each -> each.replace(NIO, STOCK).equals(column) && !each.equals(column));
        return column.equals(columns.getFirst()) || stockAndOthers ? Optional.empty() : Optional.of(columns.getFirst());
    }

    private Optional<Ratio> ratio(final Figure figure, final String row, final String column) {
        return partner(column).flatMap(first -> {
            final Map<Integer, Double> above = byRound(figure, row, column);
            final Map<Integer, Double> below = byRound(figure, row, first);
            final List<Double> ratios = above.keySet().stream()
                    .filter(round -> below.getOrDefault(round, 0.0) != 0)
                    .map(round -> above.get(round) / below.get(round))
                    .toList();
            return ratios.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Ratio(figure, column, first, Spread.of(ratios)));
        });
    }

    /** One value per round: of several laps their median. */
    private Map<Integer, Double> byRound(final Figure figure, final String row, final String column) {
        final Map<Integer, List<Double>> laps = new TreeMap<>();
        for (final RunResult run : runs) {
            final OptionalDouble value = figure.of(run);
            if (run.place().row().equals(row) && run.place().column().equals(column) && value.isPresent()) {
                laps.computeIfAbsent(run.place().round(), round -> new ArrayList<>())
                        .add(value.getAsDouble());
            }
        }
        final Map<Integer, Double> medians = new TreeMap<>();
        laps.forEach((round, values) -> medians.put(round, Spread.of(values).median()));
        return medians;
    }

    private Optional<Spread> spread(final Figure figure, final String row, final String column) {
        final Map<Integer, Double> values = byRound(figure, row, column);
        return values.isEmpty() ? Optional.empty() : Optional.of(Spread.of(values.values()));
    }

    private String text(final Figure figure, final String row, final String column) {
        return spread(figure, row, column)
                .map(spread -> {
                    final String least = figure.format(spread.least());
                    final String most = figure.format(spread.most());
                    final String median = figure.format(spread.median());
                    return least.equals(most) ? median : "%s (%s – %s)".formatted(median, least, most);
                })
                .orElse(null);
    }

    /** The figures of a row: those that its experiment names, else those that tell most of its kind of load. */
    private List<Figure> figures(final String row) {
        final Cell first = rows.get(row).getFirst();
        final List<Figure> wanted = !first.figures().isEmpty()
                ? first.figures().stream().map(Figure::by).toList()
                : first.settings().load().paced() ? Figure.OF_A_PACE : Figure.FLAT_OUT;
        return wanted.stream()
                .filter(figure -> runs.stream()
                        .filter(run -> run.place().row().equals(row))
                        .anyMatch(run -> figure.of(run).isPresent()))
                .toList();
    }
}
