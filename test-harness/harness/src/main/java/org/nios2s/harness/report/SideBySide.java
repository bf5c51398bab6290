// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.nios2s.harness.judge.Figure;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.ExperimentResult.Completion;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.Place;
import org.nios2s.harness.result.Spread;

/**
 * Several earlier results as one: their figures side by side, their charts over each other. Each goes by a letter. Stateless,
 * any thread.
 */
public final class SideBySide {

    /** As many letters as there are. */
    public static final int MOST_RESULTS = 26;

    private static final int RATIO_DECIMALS = 2;

    private SideBySide() {}

    public static ExperimentResult of(final Map<String, ExperimentResult> results) {
        final Map<String, ExperimentResult> byLetter = new LinkedHashMap<>();
        final List<List<Object>> contents = new ArrayList<>();
        results.forEach((directory, result) -> {
            final String letter = String.valueOf((char) ('A' + byLetter.size()));
            byLetter.put(letter, result);
            contents.add(List.of(letter, directory, said(result)));
        });
        final ExperimentResult first = byLetter.get("A");
        final List<DataTable> tables = new ArrayList<>();
        tables.add(DataTable.of("The results", List.of("", "directory", "what it says"), contents));
        tables.addAll(figures(byLetter));
        settings(byLetter).ifPresent(tables::add);
        return new ExperimentResult(
                "report",
                verdict(byLetter),
                first.started(),
                first.machine(),
                common(byLetter),
                Completion.COMPLETE,
                remarks(byLetter),
                List.of(),
                tables,
                charts(byLetter),
                runs(byLetter));
    }

    private static String said(final ExperimentResult result) {
        return result.completion().complete()
                ? result.verdict()
                : "Not complete: " + result.completion().reason() + " " + result.verdict();
    }

    private static String verdict(final Map<String, ExperimentResult> byLetter) {
        return byLetter.entrySet().stream()
                .map(entry -> entry.getKey() + " (" + entry.getValue().experiment() + ")")
                .collect(Collectors.joining(", ", "Side by side: ", "."));
    }

    private static List<String> remarks(final Map<String, ExperimentResult> byLetter) {
        final List<String> remarks = new ArrayList<>();
        if (byLetter.values().stream().map(ExperimentResult::machine).distinct().count() > 1) {
            remarks.add("The results are of different machines or versions: compare ratios inside each only."
                    + " Below stands the machine of A.");
        }
        byLetter.forEach((letter, result) -> result.remarks().forEach(remark -> remarks.add(letter + ": " + remark)));
        return remarks;
    }

    /** A table for each kind of run that more than one result has. */
    private static List<DataTable> figures(final Map<String, ExperimentResult> byLetter) {
        final Set<String> kinds = byLetter.values().stream()
                .flatMap(result -> result.runs().stream())
                .map(run -> run.place().kind())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        return kinds.stream().flatMap(kind -> figures(kind, byLetter).stream()).toList();
    }

    private static Optional<DataTable> figures(final String kind, final Map<String, ExperimentResult> byLetter) {
        final Map<String, List<RunResult>> runs = new LinkedHashMap<>();
        byLetter.forEach((letter, result) -> result.runs().stream()
                .filter(run -> run.place().kind().equals(kind))
                .forEach(run ->
                        runs.computeIfAbsent(letter, each -> new ArrayList<>()).add(run)));
        if (runs.size() < 2) {
            return Optional.empty();
        }
        final List<String> letters = List.copyOf(runs.keySet());
        final List<Column> columns = new ArrayList<>(List.of(Column.of("figure")));
        letters.forEach(letter -> columns.add(Column.of(letter)));
        final boolean two = letters.size() == 2;
        if (two) {
            columns.add(new Column(letters.getLast() + " / " + letters.getFirst(), RATIO_DECIMALS));
        }
        final List<List<Object>> rows = new ArrayList<>();
        for (final Figure figure : Figure.all().toList()) {
            final List<Optional<Double>> medians = runs.values().stream()
                    .map(same -> figure.spread(same).map(Spread::median))
                    .toList();
            if (medians.stream().anyMatch(Optional::isPresent)) {
                final List<Object> row = new ArrayList<>(List.of(figure.title()));
                medians.forEach(median -> row.add(median.map(figure::format).orElse(null)));
                if (two) {
                    final double first = medians.getFirst().orElse(0.0);
                    row.add(medians.getLast()
                            .filter(second -> first != 0)
                            .map(second -> second / first)
                            .orElse(null));
                }
                rows.add(row);
            }
        }
        return Optional.of(new DataTable(kind, "Each figure is the median of its runs.", columns, rows));
    }

    private static Optional<DataTable> settings(final Map<String, ExperimentResult> byLetter) {
        final Set<String> names = new TreeSet<>();
        byLetter.values().forEach(result -> names.addAll(result.config().keySet()));
        names.removeAll(common(byLetter).keySet());
        if (names.isEmpty()) {
            return Optional.empty();
        }
        final List<String> columns = new ArrayList<>(List.of("setting"));
        columns.addAll(byLetter.keySet());
        final List<List<Object>> rows = new ArrayList<>();
        for (final String name : names) {
            final List<Object> row = new ArrayList<>(List.of(name));
            byLetter.values()
                    .forEach(result -> row.add(Objects.toString(result.config().get(name), "–")));
            rows.add(row);
        }
        return Optional.of(DataTable.of("Settings that differ", columns, rows));
    }

    private static Map<String, Object> common(final Map<String, ExperimentResult> byLetter) {
        final Collection<ExperimentResult> results = byLetter.values();
        final Map<String, Object> common =
                new TreeMap<>(results.iterator().next().config());
        common.entrySet().removeIf(setting -> results.stream()
                .anyMatch(result -> !setting.getValue().equals(result.config().get(setting.getKey()))));
        return common;
    }

    private static List<Chart> charts(final Map<String, ExperimentResult> byLetter) {
        final Map<String, Chart> charts = new LinkedHashMap<>();
        byLetter.forEach((letter, result) -> result.charts().forEach(chart -> {
            final List<Chart.Series> series = new ArrayList<>();
            if (charts.containsKey(chart.title())) {
                series.addAll(charts.get(chart.title()).series());
            }
            chart.series().forEach(each -> series.add(new Chart.Series(letter + " " + each.name(), each.points())));
            charts.put(chart.title(), new Chart(chart.title(), chart.kind(), chart.x(), chart.y(), series));
        }));
        return List.copyOf(charts.values());
    }

    private static List<RunResult> runs(final Map<String, ExperimentResult> byLetter) {
        final List<RunResult> runs = new ArrayList<>();
        byLetter.forEach((letter, result) -> result.runs().forEach(run -> {
            final Place at = run.place();
            final String row = letter + (at.row().isEmpty() ? "" : " " + at.row());
            runs.add(run.at(new Place(row, at.column(), at.round(), at.lap())));
        }));
        return runs;
    }
}
