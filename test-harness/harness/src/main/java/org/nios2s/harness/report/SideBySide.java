// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.analysis.PairedComparison;
import org.nios2s.harness.analysis.Ratio;
import org.nios2s.harness.analysis.Threshold;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Comparison;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.ExperimentResult.Completion;
import org.nios2s.harness.result.ExperimentResult.Conclusion;
import org.nios2s.harness.result.ExperimentResult.Setup;
import org.nios2s.harness.result.Machine;
import org.nios2s.harness.result.Range;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.Place;

/**
 * Several earlier results as one: their metrics side by side, their charts over each other. Each goes by a letter. Stateless,
 * any thread.
 */
public final class SideBySide {

    /** As many letters as there are. */
    public static final int MAX_RESULTS = 26;

    private static final int RATIO_DECIMALS = 2;

    private static final Pattern RULE = Pattern.compile("(?:(.+) )?B/A:\\s*([^:]*[\\d.])");

    private SideBySide() {}

    /**
     * What rules say of the second of two results by the first, in words. Immutable, any thread.
     *
     * @param crossed   those that hold, and where
     * @param unchecked those that could not be checked, and where
     */
    public record Gates(List<String> crossed, List<String> unchecked) {

        public Gates {
            crossed = List.copyOf(crossed);
            unchecked = List.copyOf(unchecked);
        }
    }

    /** Checks rules about the second of two results by the first; the message of an exception is fit for a user. */
    public static Gates gates(final Map<String, ExperimentResult> results, final List<String> rules) {
        final List<String> crossed = new ArrayList<>();
        final List<String> unchecked = new ArrayList<>();
        final List<ExperimentResult> both = List.copyOf(results.values());
        for (final String rule : rules) {
            final Matcher matcher = RULE.matcher(rule.strip());
            if (!matcher.matches() || both.size() != 2) {
                throw new IllegalArgumentException(
                        "'%s' compares no two results: name two, and write 'B/A: rate < 0.9' or 'nio B/A: rate < 0.9', a number without a unit"
                                .formatted(rule));
            }
            final Threshold threshold = Threshold.parse(matcher.group(2));
            final Map<String, Double> before = medians(both.getFirst(), threshold.metric(), matcher.group(1));
            final Map<String, Double> after = medians(both.getLast(), threshold.metric(), matcher.group(1));
            if (before.isEmpty() && after.isEmpty()) {
                throw new IllegalArgumentException("'%s' concerns nothing that the results have".formatted(rule));
            }
            before.forEach((kind, median) -> {
                final double ratio = after.getOrDefault(kind, Double.NaN) / median;
                if (Double.isNaN(ratio)) {
                    unchecked.add(
                            unchecked(rule, kind, after.containsKey(kind) ? "both have 0" : "B does not have it"));
                } else if (threshold.holds(ratio)) {
                    crossed.add("%s holds in %s: %s".formatted(rule, kind, Ratio.words(ratio)));
                }
            });
            if (before.isEmpty()) {
                after.keySet().forEach(kind -> unchecked.add(unchecked(rule, kind, "A does not have it")));
            }
        }
        return new Gates(crossed, unchecked);
    }

    private static String unchecked(final String rule, final String kind, final String why) {
        return "%s was not checked in %s: %s".formatted(rule, kind, why);
    }

    private static Map<String, Double> medians(
            final ExperimentResult result, final Metric metric, final String column) {
        final Map<String, Double> medians = new LinkedHashMap<>();
        result.runs().stream()
                .filter(run -> column == null || run.place().column().equals(column))
                .collect(Collectors.groupingBy(run -> run.place().kind(), LinkedHashMap::new, Collectors.toList()))
                .forEach((kind, runs) ->
                        metric.rangeForGate(runs).ifPresent(range -> medians.put(kind, range.median())));
        return medians;
    }

    public static ExperimentResult of(final Map<String, ExperimentResult> results) {
        final Map<String, ExperimentResult> byLetter = new LinkedHashMap<>();
        final List<List<Object>> contents = new ArrayList<>();
        results.forEach((directory, result) -> {
            final String letter = String.valueOf((char) ('A' + byLetter.size()));
            byLetter.put(letter, result);
            contents.add(List.of(letter, directory, commit(result), said(result)));
        });
        final ExperimentResult first = byLetter.get("A");
        final List<DataTable> tables = new ArrayList<>();
        tables.add(DataTable.of("The results", List.of("", "directory", "commit", "what it says"), contents));
        repetition(byLetter).ifPresent(tables::add);
        tables.addAll(metrics(byLetter));
        settings(byLetter).ifPresent(tables::add);
        return new ExperimentResult(
                "report",
                first.started(),
                new Setup(first.setup().machine(), common(byLetter), null),
                Completion.COMPLETE,
                new Conclusion(verdict(byLetter), verdict(byLetter), List.of(), remarks(byLetter)),
                tables,
                charts(byLetter),
                runs(byLetter),
                comparisons(byLetter));
    }

    private static String commit(final ExperimentResult result) {
        return result.setup().machine().versions().getOrDefault(Machine.COMMIT, "");
    }

    private static String said(final ExperimentResult result) {
        return result.completion().complete()
                ? HtmlReport.headline(result)
                : "Not complete: " + result.completion().reason() + " " + HtmlReport.headline(result);
    }

    private static String verdict(final Map<String, ExperimentResult> byLetter) {
        return byLetter.entrySet().stream()
                .map(entry -> entry.getKey() + " (" + entry.getValue().experiment() + ")")
                .collect(Collectors.joining(", ", "Side by side: ", "."));
    }

    private static List<String> remarks(final Map<String, ExperimentResult> byLetter) {
        final List<String> remarks = new ArrayList<>();
        if (byLetter.values().stream()
                        .map(result -> result.setup().machine().withoutCommit())
                        .distinct()
                        .count()
                > 1) {
            remarks.add("The results are of different machines or versions: compare ratios inside each only."
                    + " Below stands the machine of A.");
        }
        byLetter.forEach((letter, result) ->
                result.conclusion().remarks().forEach(remark -> remarks.add(letter + ": " + remark)));
        return remarks;
    }

    /** How far the ratios of two results of the same work are from each other, for the metrics that their tables show. */
    private static Optional<DataTable> repetition(final Map<String, ExperimentResult> byLetter) {
        if (byLetter.size() != 2) {
            return Optional.empty();
        }
        final List<RunResult> runs = byLetter.get("A").runs();
        final PairedComparison first = new PairedComparison(byLetter.get("A").comparisons(), runs);
        final PairedComparison second = new PairedComparison(
                byLetter.get("B").comparisons(), byLetter.get("B").runs());
        final Set<Object> shown = byLetter.get("A").tables().stream()
                .flatMap(table -> table.rows().stream().flatMap(List::stream))
                .collect(Collectors.toSet());
        final List<List<Object>> rows = runs.stream()
                .map(run -> new Place(run.place().row(), run.place().column(), 1, 1))
                .distinct()
                .flatMap(at -> Metric.all()
                        .filter(metric -> shown.contains(metric.title()))
                        .flatMap(metric -> first
                                .ratio(metric, at.row(), at.column())
                                .flatMap(one -> second.ratio(metric, at.row(), at.column())
                                        .map(again -> List.<Object>of(
                                                at.kind() + " / " + one.first(),
                                                metric.title(),
                                                one.text(),
                                                again.text(),
                                                one.repetition(again))))
                                .stream()))
                .toList();
        final long repeated = rows.stream()
                .filter(row -> row.getLast().equals(Ratio.REPEATED))
                .count();
        final String title = "Ratios again: %d of %d %s".formatted(repeated, rows.size(), Ratio.REPEATED);
        final DataTable table = DataTable.of(title, List.of("what", "metric", "A", "B", "which means"), rows);
        return Optional.of(table).filter(some -> !rows.isEmpty());
    }

    /** A table for each kind of run that more than one result has. */
    private static List<DataTable> metrics(final Map<String, ExperimentResult> byLetter) {
        final Map<String, Map<String, List<RunResult>>> kinds = new LinkedHashMap<>();
        byLetter.forEach((letter, result) -> result.runs()
                .forEach(run -> kinds.computeIfAbsent(run.place().kind(), kind -> new LinkedHashMap<>())
                        .computeIfAbsent(letter, each -> new ArrayList<>())
                        .add(run)));
        kinds.values().removeIf(runs -> runs.size() < 2);
        return kinds.entrySet().stream()
                .map(kind -> metrics(kind.getKey(), kind.getValue()))
                .toList();
    }

    private static DataTable metrics(final String kind, final Map<String, List<RunResult>> runs) {
        final List<String> letters = List.copyOf(runs.keySet());
        final List<Column> columns = new ArrayList<>(List.of(Column.of("metric")));
        letters.forEach(letter -> columns.add(Column.of(letter)));
        columns.add(new Column(letters.getLast() + " / " + letters.getFirst(), RATIO_DECIMALS));
        final List<List<Object>> rows = new ArrayList<>();
        for (final Metric metric : Metric.all().toList()) {
            final List<Optional<Double>> medians = runs.values().stream()
                    .map(same -> metric.range(same).map(Range::median))
                    .toList();
            if (medians.stream().anyMatch(Optional::isPresent)) {
                final List<Object> row = new ArrayList<>(List.of(metric.title()));
                medians.forEach(median -> row.add(median.map(metric::format).orElse(null)));
                final double first = medians.getFirst().orElse(0.0);
                row.add(
                        first == 0
                                ? null
                                : medians.getLast().map(last -> last / first).orElse(null));
                rows.add(row);
            }
        }
        return new DataTable(kind, "Each metric is the median of its runs.", columns, rows);
    }

    private static Optional<DataTable> settings(final Map<String, ExperimentResult> byLetter) {
        final List<String> columns = new ArrayList<>(List.of("setting"));
        columns.addAll(byLetter.keySet());
        final List<List<Object>> rows = byLetter.values().stream()
                .flatMap(result -> result.setup().config().keySet().stream())
                .distinct()
                .sorted()
                .filter(name -> values(name, byLetter).distinct().count() > 1)
                .map(name -> Stream.<Object>concat(Stream.of(name), values(name, byLetter))
                        .toList())
                .toList();
        return rows.isEmpty() ? Optional.empty() : Optional.of(DataTable.of("Settings that differ", columns, rows));
    }

    private static Map<String, Object> common(final Map<String, ExperimentResult> byLetter) {
        final Map<String, Object> common =
                new TreeMap<>(byLetter.get("A").setup().config());
        common.keySet().removeIf(name -> values(name, byLetter).distinct().count() > 1);
        return common;
    }

    private static Stream<String> values(final String setting, final Map<String, ExperimentResult> byLetter) {
        return byLetter.values().stream()
                .map(result -> Objects.toString(result.setup().config().get(setting), "–"));
    }

    private static List<Chart> charts(final Map<String, ExperimentResult> byLetter) {
        final Map<String, Chart> charts = new LinkedHashMap<>();
        byLetter.forEach((letter, result) -> result.charts().forEach(chart -> {
            final List<Chart.Series> series = new ArrayList<>();
            Optional.ofNullable(charts.get(chart.title())).ifPresent(drawn -> series.addAll(drawn.series()));
            chart.series().forEach(each -> series.add(new Chart.Series(letter + " " + each.name(), each.points())));
            charts.put(chart.title(), new Chart(chart.title(), chart.kind(), chart.x(), chart.y(), series));
        }));
        return List.copyOf(charts.values());
    }

    private static List<RunResult> runs(final Map<String, ExperimentResult> byLetter) {
        final List<RunResult> runs = new ArrayList<>();
        byLetter.forEach((letter, result) -> result.runs().forEach(run -> {
            final Place at = run.place();
            runs.add(run.at(new Place(row(letter, at.row()), at.column(), at.round(), at.repetition())));
        }));
        return runs;
    }

    /** What each result compares, so that the failures of a baseline are excused here as they are there. */
    private static List<Comparison> comparisons(final Map<String, ExperimentResult> byLetter) {
        final List<Comparison> comparisons = new ArrayList<>();
        byLetter.forEach((letter, result) -> result.comparisons()
                .forEach(each -> comparisons.add(new Comparison(
                        row(letter, each.row()),
                        each.column(),
                        row(letter, each.againstRow()),
                        each.againstColumn()))));
        return comparisons;
    }

    private static String row(final String letter, final String row) {
        return letter + (row.isEmpty() ? "" : " " + row);
    }
}
