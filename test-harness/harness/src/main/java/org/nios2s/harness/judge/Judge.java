// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.judge;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Comparison;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.ExperimentResult.Headline;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.Spread;

/**
 * Says what the runs of an experiment show: one table of medians and of ratios of pairs, charts, a verdict, and what to
 * beware of. Every word of it is computed. Immutable, used on the command's thread.
 */
public final class Judge {

    private static final int FIGURES_OF_A_VERDICT = 2;
    private static final int MOST_HEADLINES = 4;
    private static final int MOST_PARTS = 3;
    private static final int MOST_PERCENTILE_CHARTS = 8;
    private static final Map<String, String> PERCENTILES = percentiles();
    private static final int MOST_CHARTS = 4;
    private static final Pattern LAST_NUMBER = Pattern.compile("^(\\D*?)(\\d+)$");

    private final Experiment experiment;
    private final List<RunResult> runs;
    private final Map<String, List<Cell>> rows;
    private final List<String> columns;
    private final Pairs pairs;

    /** A judge of runs that were measured for an experiment, some of them perhaps missing. */
    public Judge(final Experiment experiment, final List<RunResult> runs) {
        this.experiment = experiment;
        this.runs = Idle.above(runs);
        this.rows = experiment.rows();
        final List<String> planned =
                experiment.cells().stream().map(Cell::column).distinct().toList();
        this.columns = runs.stream()
                .map(run -> run.place().column())
                .distinct()
                .sorted(Comparator.comparingInt(planned::indexOf))
                .toList();
        this.pairs = Pairs.of(experiment, this.runs);
    }

    /** All figures: rows by what was measured, a column for each target, and how they compare. */
    public DataTable table() {
        final boolean several = rows.size() > 1;
        final List<String> compared = columns.stream()
                .filter(column -> pairs.against(column).isPresent())
                .toList();
        final List<String> head = new ArrayList<>(several ? List.of("what") : List.of());
        head.add("figure");
        head.addAll(columns);
        compared.forEach(
                column -> head.add(column + " / " + pairs.against(column).orElseThrow()));
        if (compared.size() == 1) {
            head.add("which means");
        }
        final List<List<Object>> body = new ArrayList<>();
        for (final String row : rows.keySet()) {
            for (final Figure figure : figures(row)) {
                final List<Object> cells = new ArrayList<>(several ? List.of(row) : List.of());
                cells.add(figure.title());
                columns.forEach(column -> cells.add(text(figure, row, column)));
                compared.forEach(column -> cells.add(
                        pairs.ratio(figure, row, column).map(Ratio::text).orElse(null)));
                if (compared.size() == 1) {
                    cells.add(meaning(figure, row, compared.getFirst()));
                }
                body.add(cells);
            }
        }
        final String title = experiment.about().isEmpty() ? experiment.name() : experiment.about();
        return new DataTable(title, note(), head.stream().map(Column::of).toList(), body);
    }

    private String meaning(final Figure figure, final String row, final String column) {
        final Optional<Ratio> ratio = pairs.ratio(figure, row, column);
        if (ratio.isPresent()) {
            return ratio.get().meaning();
        }
        // When the other's figure is 0 there is no ratio.
        final boolean some =
                pairs.spread(figure, row, column).filter(own -> own.least() > 0).isPresent();
        return pairs.comparison(row, column)
                .filter(compared -> some
                        && pairs.spread(figure, compared.againstRow(), compared.againstColumn())
                                .filter(other -> other.most() == 0)
                                .isPresent())
                .map(compared -> compared.against() + " has none")
                .orElse(null);
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
                        "A figure is the median of its runs, with the least and the most of them; a ratio is that of two"
                                + " runs of one round, then likewise.")
                .filter(sentence -> !sentence.isEmpty())
                .collect(Collectors.joining(" "));
    }

    /** Further tables: what grows. */
    public List<DataTable> furtherTables() {
        final List<DataTable> further = new ArrayList<>();
        final List<Growth> growths = growths();
        if (!growths.isEmpty()) {
            further.add(Growth.table(growths));
        }
        if (experiment.starts() > 1) {
            further.add(byStart());
        }
        return further;
    }

    /** Each start of a NiFi compiles otherwise: what the ratios of each say by themselves. */
    private DataTable byStart() {
        final List<List<Object>> body = new ArrayList<>();
        for (final Comparison compared : pairs.comparisons()) {
            for (final Figure figure : mostTelling(compared.row())) {
                final List<Object> cells =
                        new ArrayList<>(List.of(compared.row() + " " + compared.column() + " / " + compared.against()));
                cells.add(figure.title());
                for (int start = 1; start <= experiment.starts(); start++) {
                    cells.add(new Pairs(pairs.comparisons(), ofStart(start))
                            .ratio(figure, compared.row(), compared.column())
                            .map(Ratio::text)
                            .orElse(null));
                }
                body.add(cells);
            }
        }
        final List<Column> head = new ArrayList<>(List.of(Column.of("what"), Column.of("figure")));
        IntStream.rangeClosed(1, experiment.starts()).forEach(start -> head.add(Column.of("start " + start)));
        return new DataTable("Ratios by start of NiFi", null, head, body);
    }

    private List<RunResult> ofStart(final int start) {
        return runs.stream()
                .filter(run -> (run.place().round() - 1) / experiment.roundsOfAStart() + 1 == start)
                .toList();
    }

    public List<Growth> growths() {
        return Growth.of(runs);
    }

    /** The figures that tell most, drawn over the rows. */
    public List<Chart> charts() {
        final List<Chart> charts = new ArrayList<>();
        final Set<Figure> drawn = new LinkedHashSet<>();
        // What tells most of each row, before more of any.
        for (int rank = 0; rank < MOST_CHARTS; rank++) {
            final int skipped = rank;
            rows.keySet()
                    .forEach(row -> figures(row).stream().skip(skipped).limit(1).forEach(drawn::add));
        }
        drawn.stream().limit(MOST_CHARTS).forEach(figure -> charts.add(chart(figure)));
        charts.addAll(percentileCharts());
        if (runs.stream().anyMatch(run -> run.place().lap() > 1)) {
            Stream.of("live-heap", "rss-after", "rate").map(Figure::by).forEach(figure -> charts.add(laps(figure)));
        }
        return charts.stream().filter(Chart::hasPoints).toList();
    }

    /** By percentile, so that one sees where the tail begins; a chart for each row. */
    private List<Chart> percentileCharts() {
        return rows.keySet().stream()
                .limit(MOST_PERCENTILE_CHARTS)
                .map(row -> new Chart(
                        row.isEmpty() ? "Times by percentile" : "Times by percentile: " + row,
                        Chart.Kind.LINE,
                        new Chart.Axis("percentile", "% of the transactions"),
                        new Chart.Axis("time of a transaction", "ms"),
                        columns.stream().map(column -> percentiles(row, column)).toList()))
                .filter(Chart::hasPoints)
                .toList();
    }

    private Chart.Series percentiles(final String row, final String column) {
        final List<Chart.Point> points = PERCENTILES.entrySet().stream()
                .map(each -> new Chart.Point(
                        each.getValue(),
                        pairs.spread(Figure.by(each.getKey()), row, column)
                                .map(Spread::median)
                                .orElse(null)))
                .toList();
        return new Chart.Series(column, points);
    }

    private static Map<String, String> percentiles() {
        final Map<String, String> names = new LinkedHashMap<>();
        List.of("p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99").forEach(key -> names.put(key, key.substring(1)));
        return names;
    }

    private Chart chart(final Figure figure) {
        final boolean numeric = rows.size() > 2 && rows.keySet().stream().allMatch(row -> lastNumber(row) != null);
        final List<Chart.Series> series = columns.stream()
                .map(column -> new Chart.Series(
                        column,
                        rows.keySet().stream()
                                .filter(row -> figures(row).contains(figure))
                                .map(row -> new Chart.Point(
                                        numeric ? lastNumber(row) : row.isEmpty() ? column : row,
                                        pairs.spread(figure, row, column)
                                                .map(Spread::median)
                                                .orElse(null)))
                                .toList()))
                .toList();
        final String first = rows.keySet().iterator().next();
        final String what = numeric ? first.replaceAll("\\d+$", "").strip() : "measured";
        final Chart.Axis x = new Chart.Axis(what, what);
        final Chart.Axis y = new Chart.Axis(figure.title(), figure.title().endsWith(" ms") ? "ms" : figure.title());
        return new Chart(figure.title(), numeric ? Chart.Kind.LINE : Chart.Kind.BAR, x, y, series);
    }

    private Chart laps(final Figure figure) {
        final List<Chart.Series> series = columns.stream()
                .map(column -> new Chart.Series(
                        column,
                        runsOf(column)
                                .map(run -> new Chart.Point((double) run.place().lap(), figure.orNull(run)))
                                .toList()))
                .toList();
        final Chart.Axis x = new Chart.Axis("lap", "laps");
        final Chart.Axis y = new Chart.Axis(figure.title(), figure.title());
        return new Chart(figure.title() + " by lap", Chart.Kind.LINE, x, y, series);
    }

    private static Double lastNumber(final String row) {
        final Matcher number = LAST_NUMBER.matcher(row);
        return number.matches() ? Double.valueOf(number.group(2)) : null;
    }

    /** The figures that tell most, for the top of the report: of those that show a difference, one for each row first. */
    public List<Headline> headlines() {
        final List<Headline> first = new ArrayList<>();
        final List<Headline> more = new ArrayList<>();
        for (final Cell cell : experiment.cells()) {
            final List<Figure> telling = new ArrayList<>();
            if (!cell.claim().isEmpty()) {
                telling.add(Claim.parse(cell.claim()).figure());
            }
            mostTelling(cell.row()).stream()
                    .filter(figure -> !telling.contains(figure))
                    .forEach(telling::add);
            final List<Headline> of = telling.stream()
                    .flatMap(figure -> headline(figure, cell).stream())
                    .toList();
            of.stream().limit(1).forEach(first::add);
            of.stream().skip(1).forEach(more::add);
        }
        return Stream.concat(first.stream(), more.stream())
                .limit(MOST_HEADLINES)
                .toList();
    }

    private Optional<Headline> headline(final Figure figure, final Cell cell) {
        final Optional<Comparison> compared = pairs.comparison(cell.row(), cell.column());
        final boolean none = "%s has none"
                        .formatted(compared.map(Comparison::against).orElse(""))
                        .equals(meaning(figure, cell.row(), cell.column()))
                && pairs.spread(figure, cell.row(), cell.column())
                        .filter(spread -> spread.count() >= Ratio.LEAST_PAIRS)
                        .isPresent();
        if (compared.isEmpty()
                || !none
                        && pairs.ratio(figure, cell.row(), cell.column())
                                .filter(Ratio::isDifference)
                                .isEmpty()) {
            return Optional.empty();
        }
        final String baseline = pairs.spread(
                        figure, compared.get().againstRow(), compared.get().againstColumn())
                .map(spread -> figure.format(spread.median()))
                .orElse("–");
        final String own = pairs.spread(figure, cell.row(), cell.column())
                .map(spread -> figure.format(spread.median()))
                .orElse("–");
        final String caption = figure.title() + ", " + compared.get().against() + " → " + cell.column();
        return Optional.of(
                new Headline(baseline + " → " + own, cell.row().isEmpty() ? caption : caption + ": " + cell.row()));
    }

    /** What the runs show, with what to beware of. */
    public String verdict(final int processors) {
        if (runs.isEmpty()) {
            return "Nothing was measured.";
        }
        final List<String> parts = new ArrayList<>();
        columns.forEach(column -> comparison(column).ifPresent(parts::add));
        if (parts.isEmpty()) {
            parts.add(plain());
        }
        growths().stream().filter(growth -> growth.slope().grows()).forEach(growth -> parts.add(growth.sentence()));
        return Caveat.append(String.join("; ", parts) + "; " + faults() + ".", Caveat.of(runs, processors));
    }

    private Optional<String> comparison(final String column) {
        final Set<Figure> telling = new LinkedHashSet<>();
        rows.keySet().forEach(row -> telling.addAll(mostTelling(row)));
        final List<String> said = new ArrayList<>();
        for (final Figure figure : telling) {
            final List<Ratio> ratios = rows.keySet().stream()
                    .filter(row -> figures(row).contains(figure))
                    .flatMap(row -> pairs.ratio(figure, row, column).stream())
                    .toList();
            if (ratios.size() == 1) {
                final Ratio only = ratios.getFirst();
                said.add(figure.title() + " " + only.text() + ", " + only.meaning());
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
                : pairs.against(column).map(other -> column + " / " + other + ": " + String.join(", ", said));
    }

    private String plain() {
        final List<String> parts = new ArrayList<>();
        for (final String row : rows.keySet()) {
            for (final String column : columns) {
                final String what = row.isEmpty() ? column : row + ", " + column;
                parts.add(mostTelling(row).stream()
                        .filter(figure -> pairs.spread(figure, row, column).isPresent())
                        .map(figure -> figure.title() + " " + text(figure, row, column))
                        .collect(Collectors.joining(", ", what + ": ", "")));
            }
        }
        return parts.stream().limit(MOST_HEADLINES).collect(Collectors.joining("; "));
    }

    private String faults() {
        final List<String> faulty = new ArrayList<>();
        for (final String column : columns) {
            final double failed = sum(column, Figure.FAILURES);
            final double lost = sum(column, Figure.LOST);
            final double twice = sum(column, Figure.DUPLICATED);
            if (failed + lost + twice != 0) {
                faulty.add(Figure.words(
                        "%s: %,.0f failed, %,.0f packets lost, %,.0f duplicated", column, failed, lost, twice));
            }
        }
        final boolean counted = runs.stream().allMatch(run -> run.ledger() != null);
        return faulty.isEmpty()
                ? "no failure" + (counted ? ", 0 packets lost, 0 duplicated" : "")
                : String.join("; ", faulty);
    }

    private double sum(final String column, final Figure figure) {
        return runsOf(column).flatMapToDouble(run -> figure.of(run).stream()).sum();
    }

    private Stream<RunResult> runsOf(final String column) {
        return runs.stream().filter(run -> run.place().column().equals(column));
    }

    /**
     * Refuses figures that there are not, and rules that no run of the experiment could break. {@code seen} says whether the
     * processes of its targets are on this machine.
     */
    public static void check(final Experiment experiment, final boolean seen) {
        experiment.figures().forEach(Figure::by);
        experiment.cells().forEach(cell -> cell.figures().forEach(Figure::by));
        experiment.cells().stream()
                .map(Cell::claim)
                .filter(claim -> !claim.isEmpty())
                .forEach(Claim::parse);
        experiment.rules().forEach(rule -> requirePossible(Rule.parse(rule), experiment, seen));
    }

    /** Refuses a rule that concerns nothing that is measured, or whose figure none of that can have. */
    public static void requirePossible(final Rule rule, final Experiment experiment, final boolean seen) {
        final List<Settings> concerned = experiment.cells().stream()
                .map(Cell::settings)
                .filter(rule::isAbout)
                .toList();
        if (concerned.isEmpty()) {
            final String columns =
                    experiment.cells().stream().map(Cell::column).distinct().collect(Collectors.joining("; "));
            throw new IllegalArgumentException(
                    "The rule '%s' concerns nothing that is measured here (%s)".formatted(rule, columns));
        }
        final List<String> missing = concerned.stream()
                .flatMap(settings -> Availability.missing(rule.figure(), settings, seen).stream())
                .toList();
        if (missing.size() == concerned.size()) {
            throw new IllegalArgumentException("The rule '%s' can never be checked here: '%s' needs %s"
                    .formatted(rule, rule.figure().key(), missing.getFirst()));
        }
    }

    /** The rules for which no run had what they are about, in words. */
    public List<String> uncheckedRules() {
        return experiment.rules().stream()
                .map(Rule::parse)
                .filter(rule -> concerned(rule).noneMatch(run -> rule.figure().orNull(run) != null))
                .map(rule -> rule + " was not checked: no run that it is about has this figure")
                .toList();
    }

    private Stream<RunResult> concerned(final Rule rule) {
        return runs.stream().filter(run -> rule.isAbout(settings(run)));
    }

    /** The settings with which a run was made. */
    private Settings settings(final RunResult run) {
        return experiment.cells().stream()
                .filter(cell -> cell.row().equals(run.place().row())
                        && cell.column().equals(run.place().column()))
                .map(Cell::settings)
                .findFirst()
                .orElse(experiment.base());
    }

    /** The rules of the experiment that are true of some run, in words. */
    public List<String> brokenRules() {
        final List<String> broken = new ArrayList<>();
        for (final Rule rule : experiment.rules().stream().map(Rule::parse).toList()) {
            final Figure figure = rule.figure();
            concerned(rule)
                    .filter(rule::holds)
                    .forEach(run -> broken.add(
                            Figure.words("%s holds in %s: %s", rule, run.place(), figure.format(figure.orNull(run)))));
        }
        return broken;
    }

    /** Whether nothing went wrong, the stock listener's own trouble aside when it stands beside the NIO one. */
    public boolean flawless() {
        final boolean excused = experiment.cells().stream().anyMatch(cell -> !isStock(cell.settings()));
        final List<RunResult> counted =
                runs.stream().filter(run -> !excused || !isStock(settings(run))).toList();
        return !counted.isEmpty() && counted.stream().allMatch(RunResult::flawless);
    }

    private static boolean isStock(final Settings settings) {
        return settings.text(Parameter.LISTENER).equals("stock");
    }

    /** What is compared with what. */
    public List<Comparison> comparisons() {
        return pairs.comparisons();
    }

    /** The runs, with what several of them together say of each. */
    public List<RunResult> runs() {
        return runs;
    }

    /** What held in this run, in one sentence that one would say; every part of it is a claim that its runs show. */
    public String sentence() {
        final List<String> held = experiment.cells().stream()
                .filter(cell -> !cell.claim().isEmpty())
                .flatMap(cell -> Claim.parse(cell.claim()).held(pairs, cell.row(), cell.column()).stream())
                .distinct()
                .toList();
        if (!held.isEmpty()) {
            return sentence(held);
        }
        if (pairs.comparisons().isEmpty()) {
            return sentence(List.of(plain()));
        }
        final List<String> shown = experiment.cells().stream()
                .flatMap(cell -> mostTelling(cell.row()).stream()
                        .flatMap(figure -> pairs.ratio(figure, cell.row(), cell.column()).stream())
                        .filter(Ratio::isDifference)
                        .map(ratio -> (cell.row().isEmpty() ? "" : cell.row() + ", ") + ratio.second() + " has "
                                + ratio.meaning().replaceAll(", (better|worse)$", "") + " "
                                + ratio.figure().title() + " than " + ratio.first()))
                .limit(MOST_PARTS)
                .toList();
        return shown.isEmpty()
                ? "No difference is shown in this run."
                : sentence(shown.stream()
                        .map(part -> part.replace("times as much", "times as much of")
                                .replace("of of", "of"))
                        .toList());
    }

    private static String sentence(final List<String> parts) {
        final String joined = parts.size() == 1
                ? parts.getFirst()
                : String.join(", ", parts.subList(0, parts.size() - 1)) + ", and " + parts.getLast();
        return joined.substring(0, 1).toUpperCase(Locale.ROOT) + joined.substring(1) + ".";
    }

    private String text(final Figure figure, final String row, final String column) {
        return pairs.spread(figure, row, column)
                .map(spread -> {
                    final String least = figure.format(spread.least());
                    final String most = figure.format(spread.most());
                    final String median = figure.format(spread.median());
                    return least.equals(most) ? median : "%s (%s – %s)".formatted(median, least, most);
                })
                .orElse(null);
    }

    private List<Figure> mostTelling(final String row) {
        return figures(row).stream().limit(FIGURES_OF_A_VERDICT).toList();
    }

    /** The figures of a row: those that its experiment names, otherwise those that tell most of its kind of load. */
    private List<Figure> figures(final String row) {
        final Cell first = rows.get(row).getFirst();
        final List<Figure> usual = first.settings().load().paced() ? Figure.OF_A_PACE : Figure.FLAT_OUT;
        final List<Figure> wanted = first.figures().isEmpty()
                ? usual
                : first.figures().stream().map(Figure::by).toList();
        return wanted.stream()
                .filter(figure ->
                        runs.stream().anyMatch(run -> run.place().row().equals(row) && figure.orNull(run) != null))
                .toList();
    }
}
