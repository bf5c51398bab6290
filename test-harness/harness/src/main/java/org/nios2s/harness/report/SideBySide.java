// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.judge.Figure;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.ExperimentResult;
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

    private static final String NAME = "report";
    private static final int RATIO_DECIMALS = 2;

    private SideBySide() {}

    /** Puts results side by side: a result that a report can show. */
    public static ExperimentResult of(final Map<String, ExperimentResult> results) {
        final Map<String, ExperimentResult> byLetter = new LinkedHashMap<>();
        DataTable contents =
                DataTable.of("The results", Column.of(""), Column.of("directory"), Column.of("what it says"));
        for (final Map.Entry<String, ExperimentResult> entry : results.entrySet()) {
            final String letter = letter(byLetter.size());
            byLetter.put(letter, entry.getValue());
            contents = contents.row(letter, entry.getKey(), said(entry.getValue()));
        }
        final ExperimentResult first = byLetter.get(letter(0));
        final List<DataTable> tables = new ArrayList<>();
        tables.add(contents);
        tables.addAll(figures(byLetter));
        settings(byLetter).ifPresent(tables::add);
        return new ExperimentResult(
                NAME,
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

    private static String letter(final int index) {
        return String.valueOf((char) ('A' + index));
    }

    private static String said(final ExperimentResult result) {
        return result.completion().state() == Completion.State.COMPLETE
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
        return kinds.stream()
                .map(kind -> figures(kind, byLetter))
                .flatMap(List::stream)
                .toList();
    }

    private static List<DataTable> figures(final String kind, final Map<String, ExperimentResult> byLetter) {
        final Map<String, List<RunResult>> runs = new LinkedHashMap<>();
        byLetter.forEach((letter, result) -> {
            final List<RunResult> same = result.runs().stream()
                    .filter(run -> run.place().kind().equals(kind))
                    .toList();
            if (!same.isEmpty()) {
                runs.put(letter, same);
            }
        });
        if (runs.size() < 2) {
            return List.of();
        }
        final List<String> letters = List.copyOf(runs.keySet());
        final Stream<Column> columns =
                Stream.concat(Stream.of(Column.of("median")), letters.stream().map(Column::of));
        final boolean two = letters.size() == 2;
        DataTable table = DataTable.of(
                kind,
                (two
                                ? Stream.concat(
                                        columns,
                                        Stream.of(Column.of(
                                                letters.getLast() + " / " + letters.getFirst(), null, RATIO_DECIMALS)))
                                : columns)
                        .toArray(Column[]::new));
        for (final Figure figure : Figure.all().toList()) {
            final List<OptionalDouble> medians =
                    runs.values().stream().map(same -> median(figure, same)).toList();
            if (medians.stream().anyMatch(OptionalDouble::isPresent)) {
                final List<Object> cells = new ArrayList<>();
                cells.add(figure.title());
                medians.forEach(median -> cells.add(median.isPresent() ? figure.format(median.getAsDouble()) : null));
                if (two) {
                    cells.add(ratio(medians.getFirst(), medians.getLast()));
                }
                table = table.row(cells.toArray());
            }
        }
        return List.of(table);
    }

    private static OptionalDouble median(final Figure figure, final List<RunResult> runs) {
        final List<Double> values = runs.stream()
                .map(figure::of)
                .filter(OptionalDouble::isPresent)
                .map(OptionalDouble::getAsDouble)
                .toList();
        return values.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(Spread.of(values).median());
    }

    private static Double ratio(final OptionalDouble first, final OptionalDouble second) {
        return first.isEmpty() || second.isEmpty() || first.getAsDouble() == 0
                ? null
                : second.getAsDouble() / first.getAsDouble();
    }

    private static Optional<DataTable> settings(final Map<String, ExperimentResult> byLetter) {
        final Set<String> names = new TreeSet<>();
        byLetter.values().forEach(result -> names.addAll(result.config().keySet()));
        names.removeAll(common(byLetter).keySet());
        if (names.isEmpty()) {
            return Optional.empty();
        }
        DataTable table = DataTable.of(
                "Settings that differ",
                Stream.concat(
                                Stream.of(Column.of("setting")),
                                byLetter.keySet().stream().map(Column::of))
                        .toArray(Column[]::new));
        for (final String name : names) {
            table = table.row(Stream.concat(
                            Stream.of(name),
                            byLetter.values().stream()
                                    .map(result ->
                                            Objects.toString(result.config().get(name), "–")))
                    .toArray());
        }
        return Optional.of(table);
    }

    private static Map<String, Object> common(final Map<String, ExperimentResult> byLetter) {
        final Map<String, Object> common = new TreeMap<>();
        byLetter.values().iterator().next().config().forEach((name, value) -> {
            if (byLetter.values().stream()
                    .allMatch(result -> value.equals(result.config().get(name)))) {
                common.put(name, value);
            }
        });
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
        byLetter.forEach((letter, result) -> {
            for (final RunResult run : result.runs()) {
                final Place at = run.place();
                runs.add(run.at(new Place(
                        letter + (at.row().isEmpty() ? "" : " " + at.row()), at.column(), at.round(), at.lap())));
            }
        });
        return runs;
    }
}
