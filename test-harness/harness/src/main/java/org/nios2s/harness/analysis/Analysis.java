// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Comparison;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.ExperimentResult.Headline;
import org.nios2s.harness.result.Range;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.LedgerMetrics;

/**
 * Says what the runs of an experiment show: one table of medians and of ratios of pairs, charts, a verdict, and what to
 * beware of. Every word of it is computed. Immutable, used on the command's thread.
 */
public final class Analysis {

    private static final int METRICS_OF_A_VERDICT = 2;
    private static final int MAX_HEADLINES = 4;
    private static final int MAX_PARTS = 3;
    private static final int MAX_PERCENTILE_CHARTS = 8;
    private static final List<Double> PERCENTILES = List.of(50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99);
    private static final double PERCENT = 100;
    /** Values that have to lie beyond a percentile: of fewer it is one of them. */
    private static final int MIN_BEYOND = 5;

    private static final double MICROS_PER_MILLI = TimeUnit.MILLISECONDS.toMicros(1);
    private static final int MAX_CHARTS = 4;
    private static final Pattern LAST_NUMBER = Pattern.compile("^(\\D*?)(\\d+)$");

    private final Experiment experiment;
    private final List<RunResult> runs;
    private final Map<String, List<Cell>> rows;
    private final List<String> columns;
    private final PairedComparison pairs;
    private final Map<String, Histogram> times;

    /** An analysis of runs that were measured for an experiment, some of them perhaps missing. */
    public Analysis(final Experiment experiment, final List<RunResult> runs) {
        this(experiment, runs, Map.of());
    }

    /** The same with the times of all runs of a kind together, by its name, in microseconds. */
    public Analysis(final Experiment experiment, final List<RunResult> runs, final Map<String, Histogram> times) {
        this.times = times;
        this.experiment = experiment;
        this.runs = List.copyOf(runs);
        this.rows = experiment.rows();
        final List<String> planned =
                experiment.cells().stream().map(Cell::column).distinct().toList();
        this.columns = runs.stream()
                .map(run -> run.place().column())
                .distinct()
                .sorted(Comparator.comparingInt(planned::indexOf))
                .toList();
        this.pairs = PairedComparison.of(experiment, this.runs);
    }

    /** All metrics: rows by what was measured, a column for each target, and how they compare. */
    public DataTable table() {
        final boolean several = rows.size() > 1;
        final List<String> compared = columns.stream()
                .filter(column -> pairs.against(column).isPresent())
                .toList();
        final List<String> head = new ArrayList<>(several ? List.of("what") : List.of());
        head.add("metric");
        head.addAll(columns);
        compared.forEach(
                column -> head.add(column + " / " + pairs.against(column).orElseThrow()));
        if (compared.size() == 1) {
            head.add("which means");
        }
        final List<List<Object>> body = new ArrayList<>();
        for (final String row : rows.keySet()) {
            for (final Metric metric : metrics(row)) {
                final List<Object> cells = new ArrayList<>(several ? List.of(row) : List.of());
                cells.add(metric.title());
                columns.forEach(column -> cells.add(text(metric, row, column)));
                compared.forEach(column -> cells.add(
                        pairs.ratio(metric, row, column).map(Ratio::text).orElse(null)));
                if (compared.size() == 1) {
                    cells.add(meaning(metric, row, compared.getFirst()));
                }
                body.add(cells);
            }
        }
        final String title = experiment.about().isEmpty() ? experiment.name() : experiment.about();
        return new DataTable(title, note(), head.stream().map(Column::of).toList(), body);
    }

    private String meaning(final Metric metric, final String row, final String column) {
        final Optional<Ratio> ratio = pairs.ratio(metric, row, column);
        if (ratio.isPresent()) {
            return ratio.get().meaning();
        }
        return otherHasNone(metric, row, column)
                ? pairs.comparison(row, column)
                        .map(compared -> compared.against() + " has none")
                        .orElse(null)
                : null;
    }

    /** Where the other's metric is 0 there is no ratio. */
    private boolean otherHasNone(final Metric metric, final String row, final String column) {
        return pairs.range(metric, row, column).filter(own -> own.min() > 0).isPresent()
                && pairs.rangeOfBaseline(metric, row, column)
                        .filter(other -> other.max() == 0)
                        .isPresent();
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
                        "A metric is the median of its runs, with the least and the most of them; a ratio is that of two"
                                + " runs of one round, then likewise.")
                .filter(sentence -> !sentence.isEmpty())
                .collect(Collectors.joining(" "));
    }

    /** Further tables: what grows. */
    public List<DataTable> furtherTables() {
        final List<DataTable> further = new ArrayList<>();
        final List<Trend> trends = trends();
        if (!trends.isEmpty()) {
            further.add(Trend.table(trends));
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
            for (final Metric metric : mostTelling(compared.row())) {
                final List<Object> cells =
                        new ArrayList<>(List.of(compared.row() + " " + compared.column() + " / " + compared.against()));
                cells.add(metric.title());
                for (int start = 1; start <= experiment.starts(); start++) {
                    cells.add(new PairedComparison(pairs.comparisons(), ofStart(start))
                            .ratio(metric, compared.row(), compared.column())
                            .map(Ratio::text)
                            .orElse(null));
                }
                body.add(cells);
            }
        }
        final List<Column> head = new ArrayList<>(List.of(Column.of("what"), Column.of("metric")));
        IntStream.rangeClosed(1, experiment.starts()).forEach(start -> head.add(Column.of("start " + start)));
        return new DataTable("Ratios by start of NiFi", null, head, body);
    }

    private List<RunResult> ofStart(final int start) {
        return runs.stream()
                .filter(run -> (run.place().round() - 1) / experiment.roundsOfAStart() + 1 == start)
                .toList();
    }

    public List<Trend> trends() {
        return Trend.of(runs);
    }

    /** The metrics that tell most, drawn over the rows. */
    public List<Chart> charts() {
        final List<Chart> charts = new ArrayList<>();
        final Set<Metric> drawn = new LinkedHashSet<>();
        // What tells most of each row, before more of any.
        for (int rank = 0; rank < MAX_CHARTS; rank++) {
            final int skipped = rank;
            rows.keySet()
                    .forEach(row -> metrics(row).stream().skip(skipped).limit(1).forEach(drawn::add));
        }
        drawn.stream().limit(MAX_CHARTS).forEach(metric -> charts.add(chart(metric)));
        charts.addAll(percentileCharts());
        if (runs.stream().anyMatch(run -> run.place().repetition() > 1)) {
            Stream.of("live-heap", "rss-after", "rate")
                    .map(Metric::by)
                    .forEach(metric -> charts.add(repetitions(metric)));
        }
        return charts.stream().filter(Chart::hasPoints).toList();
    }

    /** By percentile, so that one sees where the tail begins; a chart for each row. */
    private List<Chart> percentileCharts() {
        return rows.keySet().stream()
                .limit(MAX_PERCENTILE_CHARTS)
                .map(row -> new Chart(
                        row.isEmpty() ? "Times by percentile" : "Times by percentile: " + row,
                        Chart.Kind.LINE,
                        new Chart.Axis("percentile", "% of the transactions"),
                        new Chart.Axis("time of a transaction", "ms"),
                        columns.stream().map(column -> percentiles(row, column)).toList()))
                .filter(Chart::hasPoints)
                .toList();
    }

    /** Of all runs together: a median of percentiles could go down where only some runs are long enough for the last ones. */
    private Chart.Series percentiles(final String row, final String column) {
        final Histogram merged = times.get(new RunResult.Place(row, column, 1, 1).kind());
        final List<Chart.Point> points = merged == null
                ? List.of()
                : PERCENTILES.stream()
                        .filter(percentile -> merged.getTotalCount() * (PERCENT - percentile) >= PERCENT * MIN_BEYOND)
                        .map(percentile -> new Chart.Point(
                                percentile.toString(), merged.getValueAtPercentile(percentile) / MICROS_PER_MILLI))
                        .toList();
        return new Chart.Series(column, points);
    }

    private Chart chart(final Metric metric) {
        final boolean numeric = rows.size() > 2 && rows.keySet().stream().allMatch(row -> lastNumber(row) != null);
        final List<Chart.Series> series = columns.stream()
                .map(column -> new Chart.Series(
                        column,
                        rows.keySet().stream()
                                .filter(row -> metrics(row).contains(metric))
                                .map(row -> Chart.Point.of(
                                        numeric ? lastNumber(row) : row.isEmpty() ? column : row,
                                        pairs.range(metric, row, column)))
                                .toList()))
                .toList();
        final String first = rows.keySet().iterator().next();
        final String what = numeric ? first.replaceAll("\\d+$", "").strip() : "measured";
        final Chart.Axis x = new Chart.Axis(what, what);
        final Chart.Axis y = new Chart.Axis(metric.title(), metric.title().endsWith(" ms") ? "ms" : metric.title());
        return new Chart(metric.title(), numeric ? Chart.Kind.LINE : Chart.Kind.BAR, x, y, series);
    }

    private Chart repetitions(final Metric metric) {
        final List<Chart.Series> series = columns.stream()
                .map(column -> new Chart.Series(
                        column,
                        runsOf(column)
                                .map(run -> new Chart.Point((double) run.place().repetition(), metric.orNull(run)))
                                .toList()))
                .toList();
        final Chart.Axis x = new Chart.Axis("repetition", "repetitions");
        final Chart.Axis y = new Chart.Axis(metric.title(), metric.title());
        return new Chart(metric.title() + " by repetition", Chart.Kind.LINE, x, y, series);
    }

    private static Double lastNumber(final String row) {
        final Matcher number = LAST_NUMBER.matcher(row);
        return number.matches() ? Double.valueOf(number.group(2)) : null;
    }

    /** A difference that the runs show. */
    private record Difference(Metric metric, Cell cell, Comparison compared) {}

    /** Of the metrics that tell most those that show a difference, one for each metric first. */
    private List<Difference> differences() {
        final List<Difference> first = new ArrayList<>();
        final List<Difference> more = new ArrayList<>();
        final Set<Metric> shown = new HashSet<>();
        for (final Cell cell : experiment.cells()) {
            for (final Metric metric : mostTelling(cell.row())) {
                pairs.comparison(cell.row(), cell.column())
                        .filter(compared -> isDifference(metric, cell))
                        .map(compared -> new Difference(metric, cell, compared))
                        .ifPresent(difference -> (shown.add(metric) ? first : more).add(difference));
            }
        }
        return Stream.concat(first.stream(), more.stream()).toList();
    }

    private boolean isDifference(final Metric metric, final Cell cell) {
        final Optional<Ratio> ratio = pairs.ratio(metric, cell.row(), cell.column());
        if (ratio.isPresent()) {
            return ratio.get().isDifference();
        }
        return otherHasNone(metric, cell.row(), cell.column())
                && pairs.range(metric, cell.row(), cell.column())
                        .filter(range -> range.count() >= Ratio.MIN_PAIRS)
                        .isPresent();
    }

    /** For the top of the report. */
    public List<Headline> headlines() {
        return differences().stream().limit(MAX_HEADLINES).map(this::headline).toList();
    }

    private Headline headline(final Difference difference) {
        final Metric metric = difference.metric();
        final Cell cell = difference.cell();
        final Optional<Range> baseline = pairs.rangeOfBaseline(metric, cell.row(), cell.column());
        final Optional<Range> own = pairs.range(metric, cell.row(), cell.column());
        final String caption = metric.title() + ", " + difference.compared().against() + " → " + cell.column();
        return new Headline(
                words(baseline, range -> metric.format(range.median())) + " → "
                        + words(own, range -> metric.format(range.median())),
                words(baseline, range -> fromTo(metric, range)) + " → " + words(own, range -> fromTo(metric, range)),
                cell.row().isEmpty() ? caption : caption + ": " + cell.row());
    }

    private static String words(final Optional<Range> known, final Function<Range, String> words) {
        return known.map(words).orElse("–");
    }

    private static String fromTo(final Metric metric, final Range range) {
        return "(%s – %s)".formatted(metric.format(range.min()), metric.format(range.max()));
    }

    /** What to beware of, in what is shown. */
    public List<Warning> warnings(final int processors) {
        return Warning.of(runs, processors, (row, metric) -> metrics(row).contains(metric));
    }

    /** The findings of the runs, with warnings. */
    public String verdict(final int processors) {
        if (runs.isEmpty()) {
            return "Nothing was measured.";
        }
        final List<String> parts = new ArrayList<>();
        columns.forEach(column -> comparison(column).ifPresent(parts::add));
        if (parts.isEmpty()) {
            parts.add(plain());
        }
        trends().stream().filter(trend -> trend.slope().grows()).forEach(trend -> parts.add(trend.sentence()));
        return Warning.append(String.join("; ", parts) + "; " + faults() + ".", warnings(processors));
    }

    private Optional<String> comparison(final String column) {
        final Set<Metric> telling = new LinkedHashSet<>();
        rows.keySet().forEach(row -> telling.addAll(mostTelling(row)));
        final List<String> said = new ArrayList<>();
        for (final Metric metric : telling) {
            final List<Ratio> ratios = rows.keySet().stream()
                    .filter(row -> metrics(row).contains(metric))
                    .flatMap(row -> pairs.ratio(metric, row, column).stream())
                    .toList();
            if (ratios.size() == 1) {
                final Ratio only = ratios.getFirst();
                said.add(metric.title() + " " + only.text() + ", " + only.meaning());
            } else if (!ratios.isEmpty()) {
                final Range medians = Range.of(
                        ratios.stream().map(ratio -> ratio.ratios().median()).toList());
                said.add(Metric.words(
                        "%s %.2f to %.2f × in %d rows", metric.title(), medians.min(), medians.max(), ratios.size()));
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
                final List<String> said = mostTelling(row).stream()
                        .filter(metric -> pairs.range(metric, row, column).isPresent())
                        .map(metric -> metric.title() + " " + text(metric, row, column))
                        .toList();
                if (!said.isEmpty()) {
                    parts.add((row.isEmpty() ? column : row + ", " + column) + ": " + String.join(", ", said));
                }
            }
        }
        return parts.isEmpty()
                ? "no run has enough data for a metric"
                : parts.stream().limit(MAX_HEADLINES).collect(Collectors.joining("; "));
    }

    /** What went wrong, and of how many packets it is known; nothing is said of runs that counted none. */
    private String faults() {
        final List<String> faulty = new ArrayList<>();
        for (final String column : columns) {
            final double failed = sum(column, Metric.FAILURES);
            final long wrong =
                    counted(runsOf(column)).filter(ledger -> !ledger.exact()).count();
            if (failed + wrong != 0) {
                faulty.add(Metric.words("%s: %,.0f failed%s", column, failed, packets(column)));
            }
        }
        if (!faulty.isEmpty()) {
            return String.join("; ", faulty);
        }
        final long runsThatCounted = counted(runs.stream()).count();
        final long all =
                counted(runs.stream()).mapToLong(LedgerMetrics::acknowledged).sum();
        final String of =
                runsThatCounted == runs.size() ? "" : " in %d of %d runs".formatted(runsThatCounted, runs.size());
        return "no failure"
                + (runsThatCounted == 0
                        ? "; packets were not counted"
                        : Metric.words("; of %,d packets%s 0 lost, 0 duplicated, 0 damaged", all, of));
    }

    private String packets(final String column) {
        if (counted(runsOf(column)).findAny().isEmpty()) {
            return ", packets not counted";
        }
        final String open = counted(runsOf(column)).allMatch(LedgerMetrics::settled)
                ? ""
                : ", FlowFiles still queued when the count ended";
        final String damage = counted(runsOf(column))
                .map(LedgerMetrics::damage)
                .filter(Objects::nonNull)
                .findFirst()
                .map(" (%s)"::formatted)
                .orElse("");
        return Metric.words(
                ", of %,d packets %,.0f lost, %,.0f duplicated, %,.0f damaged%s%s",
                counted(runsOf(column)).mapToLong(LedgerMetrics::acknowledged).sum(),
                sum(column, Metric.LOST),
                sum(column, Metric.DUPLICATED),
                sum(column, Metric.DAMAGED),
                damage,
                open);
    }

    private static Stream<LedgerMetrics> counted(final Stream<RunResult> some) {
        return some.map(RunResult::ledger).filter(Objects::nonNull);
    }

    private double sum(final String column, final Metric metric) {
        return runsOf(column).flatMapToDouble(run -> metric.of(run).stream()).sum();
    }

    private Stream<RunResult> runsOf(final String column) {
        return runs.stream().filter(run -> run.place().column().equals(column));
    }

    /**
     * Refuses metrics that there are not, and thresholds that no run of the experiment could cross. {@code seen} says whether the
     * processes of its targets are on this machine.
     */
    public static void check(final Experiment experiment, final boolean seen) {
        experiment.metrics().forEach(Metric::by);
        experiment.cells().forEach(cell -> cell.metrics().forEach(Metric::by));
        experiment.thresholds().forEach(threshold -> requirePossible(Threshold.parse(threshold), experiment, seen));
    }

    /** Refuses a threshold that concerns nothing that is measured, or whose metric none of that can have. */
    public static void requirePossible(final Threshold threshold, final Experiment experiment, final boolean seen) {
        final List<Settings> concerned = experiment.cells().stream()
                .map(Cell::settings)
                .filter(threshold::isAbout)
                .toList();
        if (concerned.isEmpty()) {
            final String columns =
                    experiment.cells().stream().map(Cell::column).distinct().collect(Collectors.joining("; "));
            throw new IllegalArgumentException(
                    "The threshold '%s' concerns nothing that is measured here (%s)".formatted(threshold, columns));
        }
        final Analysis planned = new Analysis(experiment, List.of());
        if (threshold.isRatio()
                && experiment.cells().stream()
                        .allMatch(cell -> planned.compared(threshold, cell).isEmpty())) {
            throw new IllegalArgumentException(
                    "The threshold '%s' concerns no two that are compared here: the other side of a ratio is the baseline"
                            .formatted(threshold));
        }
        final List<String> missing = concerned.stream()
                .flatMap(settings -> threshold.missing(settings, seen).stream())
                .toList();
        if (missing.size() == concerned.size()) {
            throw new IllegalArgumentException("The threshold '%s' can never be checked here: '%s' needs %s"
                    .formatted(threshold, threshold.metric().key(), missing.getFirst()));
        }
    }

    /** The thresholds for which no run had what they are about, in words. */
    public List<String> uncheckedThresholds() {
        return gates().stream()
                .filter(gate -> !gate.checked())
                .map(gate -> gate.threshold() + " was not checked: no run that it is about has this metric")
                .toList();
    }

    /** The settings with which a run was made. */
    private Settings settings(final RunResult run) {
        return settings(run.place().row(), run.place().column());
    }

    private Settings settings(final String row, final String column) {
        return experiment.cells().stream()
                .filter(cell -> cell.row().equals(row) && cell.column().equals(column))
                .map(Cell::settings)
                .findFirst()
                .orElse(experiment.base());
    }

    /** The thresholds of the experiment that its runs cross, in words. */
    public List<String> crossedThresholds() {
        return gates().stream().flatMap(gate -> gate.crossed().stream()).toList();
    }

    /** Every threshold: of faults for each run, of anything else for the median of equal runs, of ratios for that of pairs. */
    public List<Gate> gates() {
        return experiment.thresholds().stream()
                .map(Threshold::parse)
                .map(threshold -> threshold.metric().isFault() && !threshold.isRatio()
                        ? gateOfRuns(threshold)
                        : gateOfMedians(threshold))
                .toList();
    }

    private Gate gateOfRuns(final Threshold threshold) {
        final Metric metric = threshold.metric();
        final List<RunResult> concerned = runs.stream()
                .filter(run -> threshold.isAbout(settings(run)) && metric.orNull(run) != null)
                .toList();
        final List<String> crossed = concerned.stream()
                .filter(threshold::holds)
                .map(run -> crossed(threshold, run.place().toString(), metric.format(metric.orNull(run))))
                .toList();
        return new Gate(threshold, crossed, !concerned.isEmpty());
    }

    private Gate gateOfMedians(final Threshold threshold) {
        final List<String> crossed = new ArrayList<>();
        boolean checked = false;
        for (final Cell cell : experiment.cells()) {
            final Optional<Double> value = threshold.isRatio() ? ratio(threshold, cell) : median(threshold, cell);
            checked |= value.isPresent();
            value.filter(threshold::holds).ifPresent(median -> {
                final String said = threshold.isRatio()
                        ? Ratio.words(median)
                        : threshold.metric().format(median);
                crossed.add(crossed(
                        threshold, cell.row().isEmpty() ? cell.column() : cell.row() + ", " + cell.column(), said));
            });
        }
        return new Gate(threshold, crossed, checked);
    }

    private static String crossed(final Threshold threshold, final String where, final String value) {
        return "%s holds in %s: %s".formatted(threshold, where, value);
    }

    private Optional<Double> median(final Threshold threshold, final Cell cell) {
        return threshold.isAbout(cell.settings())
                ? threshold
                        .metric()
                        .rangeForGate(runsOf(cell.column())
                                .filter(run -> run.place().row().equals(cell.row()))
                                .toList())
                        .map(Range::median)
                : Optional.empty();
    }

    private Optional<Comparison> compared(final Threshold threshold, final Cell cell) {
        return pairs.comparison(cell.row(), cell.column())
                .filter(compared ->
                        threshold.isAbout(cell.settings(), settings(compared.againstRow(), compared.againstColumn())));
    }

    private Optional<Double> ratio(final Threshold threshold, final Cell cell) {
        return compared(threshold, cell)
                .flatMap(compared -> pairs.ratioForGate(threshold.metric(), cell.row(), cell.column()))
                .map(ratio -> ratio.ratios().median());
    }

    /** The runs in which something went wrong; the stock listener's own trouble is excused when it stands beside the NIO one. */
    public List<String> flaws() {
        final boolean excused = experiment.cells().stream().anyMatch(cell -> !isStock(cell.settings()));
        final List<RunResult> counted =
                runs.stream().filter(run -> !excused || !isStock(settings(run))).toList();
        return counted.isEmpty()
                ? List.of("no run but those of the stock listener, which are excused")
                : counted.stream()
                        .filter(run -> !run.flawless())
                        .map(Analysis::flaw)
                        .toList();
    }

    private static String flaw(final RunResult run) {
        final LedgerMetrics ledger = run.ledger();
        return Metric.words(
                "%s: %,d transactions, %,d failures%s%s",
                run.place(),
                run.load().transactions(),
                run.load().failures(),
                ledger == null || ledger.exact()
                        ? ""
                        : Metric.words(
                                ", of %,d packets %,d lost, %,d duplicated, %,d damaged%s",
                                ledger.acknowledged(),
                                ledger.lost(),
                                ledger.duplicated(),
                                Objects.requireNonNullElse(ledger.damaged(), 0L),
                                ledger.settled() ? "" : ", FlowFiles still queued when the count ended"),
                run.execution().interrupted() ? ", ended early" : "");
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

    /** The differences that the runs show, in one sentence. */
    public String sentence() {
        if (pairs.comparisons().isEmpty()) {
            return sentence(List.of(plain()));
        }
        final List<String> shown =
                differences().stream().limit(MAX_PARTS).map(this::said).toList();
        return shown.isEmpty() ? "No difference is shown in this run." : sentence(shown);
    }

    private String said(final Difference difference) {
        final Metric metric = difference.metric();
        final Cell cell = difference.cell();
        final String words = metric.said(
                words(pairs.range(metric, cell.row(), cell.column()), range -> median(metric, range)),
                cell.column(),
                words(pairs.rangeOfBaseline(metric, cell.row(), cell.column()), range -> median(metric, range)),
                difference.compared().against());
        return cell.row().isEmpty() ? words : cell.row() + ": " + words;
    }

    private static String median(final Metric metric, final Range range) {
        return metric.format(range.median(), range.max() - range.min());
    }

    private static String sentence(final List<String> parts) {
        final String joined = String.join("; ", parts);
        return joined.substring(0, 1).toUpperCase(Locale.ROOT) + joined.substring(1) + ".";
    }

    private String text(final Metric metric, final String row, final String column) {
        return pairs.range(metric, row, column)
                .map(range -> {
                    final double spread = range.max() - range.min();
                    final String least = metric.format(range.min(), spread);
                    final String most = metric.format(range.max(), spread);
                    final String median = metric.format(range.median(), spread);
                    return least.equals(most) ? median : "%s (%s – %s)".formatted(median, least, most);
                })
                .orElse(null);
    }

    private List<Metric> mostTelling(final String row) {
        return metrics(row).stream().limit(METRICS_OF_A_VERDICT).toList();
    }

    /** The metrics of a row: those that its experiment names, otherwise those that tell most of its kind of load. */
    private List<Metric> metrics(final String row) {
        final Cell first = rows.get(row).getFirst();
        final List<Metric> usual = first.settings().load().paced() ? Metric.OF_A_PACE : Metric.FLAT_OUT;
        final List<Metric> wanted = new ArrayList<>(
                first.metrics().isEmpty()
                        ? usual
                        : first.metrics().stream().map(Metric::by).toList());
        if (!wanted.contains(Metric.CPU)) {
            // In every row, so that none shows only what is better.
            wanted.add(Metric.CPU);
        }
        return wanted.stream()
                .filter(metric ->
                        runs.stream().anyMatch(run -> run.place().row().equals(row) && metric.orNull(run) != null))
                .toList();
    }
}
