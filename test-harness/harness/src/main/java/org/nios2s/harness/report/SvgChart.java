// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.report;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.nios2s.harness.HarnessResource;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.analysis.Unit;
import org.nios2s.harness.result.Range;
import org.nios2s.harness.result.RunResult;

/**
 * Metrics of runs as bars in one SVG, for a document: each bar is a median and says its value, a thin line goes from the
 * least to the most. It loads nothing and follows the reader's light or dark scheme. Stateless; any thread.
 */
public final class SvgChart {

    private static final int WIDTH = 440;
    private static final int MARGIN = 16;
    private static final int LABELS = 112;
    private static final int VALUES = 164;
    private static final int BARS = WIDTH - LABELS - VALUES - MARGIN;
    private static final int TITLE_HEIGHT = 56;
    private static final int GROUP_HEIGHT = 34;
    private static final int BAR_HEIGHT = 26;
    private static final int THICKNESS = 16;
    private static final int TEXT_BASELINE = 13;
    private static final int WHISKER = 5;
    private static final int GAP = 8;
    private static final int COLOURS = 6;

    private SvgChart() {}

    /**
     * The texts around the bars.
     *
     * @param title  above them; empty for the metrics' own names
     * @param note   below the title; empty for what bars and lines mean
     * @param names  what targets are called, in place of their columns
     */
    public record Words(String title, String note, Map<String, String> names) {}

    /** A bar with its group above it. */
    private record Bar(String group, String column, Metric metric, Range range) {

        private String value() {
            final String median = metric.format(range.median());
            final String unit = unit(metric);
            final String min = metric.format(range.min());
            final String max = metric.format(range.max());
            return min.equals(max) ? median + unit : "%s%s (%s – %s)".formatted(median, unit, min, max);
        }
    }

    /** Draws metrics of runs whose row contains some text; the message of an exception is fit for a user. */
    public static String of(
            final List<RunResult> runs, final List<Metric> metrics, final String rows, final Words words) {
        final List<RunResult> drawn =
                runs.stream().filter(run -> run.place().row().contains(rows)).toList();
        final List<Bar> bars = bars(drawn, columnsOf(runs), metrics);
        if (bars.isEmpty()) {
            throw new IllegalArgumentException("No run has %s%s; the rows are: %s"
                    .formatted(titles(metrics), rows.isEmpty() ? "" : " in a row with '" + rows + "'", rowsOf(runs)));
        }
        return svg(bars, metrics, words);
    }

    private static String rowsOf(final List<RunResult> runs) {
        final Set<String> rows = new LinkedHashSet<>();
        runs.forEach(run -> rows.add("'" + run.place().row() + "'"));
        return String.join(", ", rows);
    }

    /** In the order of all runs: a row that was measured in another order has the colours of the others. */
    private static Set<String> columnsOf(final List<RunResult> runs) {
        final Set<String> columns = new LinkedHashSet<>();
        runs.forEach(run -> columns.add(run.place().column()));
        return columns;
    }

    private static List<Bar> bars(final List<RunResult> runs, final Set<String> columns, final List<Metric> metrics) {
        final Set<String> rows = new LinkedHashSet<>();
        runs.forEach(run -> rows.add(run.place().row()));
        final List<Bar> bars = new ArrayList<>();
        for (final String row : rows) {
            for (final Metric metric : metrics) {
                final String group = group(row, metric, rows.size(), metrics.size());
                for (final String column : columns) {
                    final List<RunResult> same = runs.stream()
                            .filter(run -> run.place().row().equals(row)
                                    && run.place().column().equals(column))
                            .toList();
                    metric.range(same).ifPresent(range -> bars.add(new Bar(group, column, metric, range)));
                }
            }
        }
        return bars;
    }

    /** The name of a group among the others: its row, its metric, or both. */
    private static String group(final String row, final Metric metric, final int rows, final int metrics) {
        if (rows == 1) {
            return name(metric);
        }
        return metrics == 1 ? row : row + ": " + name(metric);
    }

    private static String svg(final List<Bar> bars, final List<Metric> metrics, final Words words) {
        final List<String> columns = bars.stream().map(Bar::column).distinct().toList();
        final String title = words.title().isEmpty() ? titles(metrics) : words.title();
        final StringBuilder body = new StringBuilder();
        final StringBuilder said = new StringBuilder();
        int y = TITLE_HEIGHT;
        String group = null;
        for (final Bar bar : bars) {
            if (!bar.group().equals(group)) {
                group = bar.group();
                y += GROUP_HEIGHT;
                body.append(text("group", MARGIN, y - GAP, group));
            }
            final String name = words.names().getOrDefault(bar.column(), bar.column());
            body.append(bar(bar, name, columns.indexOf(bar.column()) % COLOURS, y, longest(bars, bar.metric())));
            said.append("%s, %s: %s. ".formatted(group, name, bar.value()));
            y += BAR_HEIGHT;
        }
        final String note = words.note().isEmpty() ? note(bars) : words.note();
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img">
                <title>%3$s</title>
                <desc>%4$s</desc>
                <style>
                %5$s</style>
                <rect class="ground" width="%1$d" height="%2$d" rx="6"/>
                %6$s%7$s%8$s</svg>
                """.formatted(
                        WIDTH,
                        y + MARGIN,
                        escaped(title),
                        escaped(said.toString().strip()),
                        HarnessResource.text(SvgChart.class, "chart.css"),
                        text("title", MARGIN, MARGIN + GAP, title),
                        text("note", MARGIN, MARGIN + GAP + 20, note),
                        body);
    }

    private static String bar(final Bar bar, final String name, final int colour, final int y, final double longest) {
        final double scale = longest == 0 ? 0 : BARS / longest;
        final double length = Math.max(1, bar.range().median() * scale);
        final double end = LABELS + Math.max(length, bar.range().max() * scale);
        final int top = y + (BAR_HEIGHT - THICKNESS) / 2;
        final int middle = top + THICKNESS / 2;
        return text("label", LABELS - GAP, top + TEXT_BASELINE, name)
                + Metric.words(
                        "<rect class=\"c%d\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>%n",
                        colour, LABELS, top, length, THICKNESS)
                + whisker(
                        LABELS + bar.range().min() * scale, LABELS + bar.range().max() * scale, middle)
                + text("value", (int) Math.ceil(end) + GAP, top + TEXT_BASELINE, bar.value());
    }

    /** Where all runs say nearly the same, a line would only look like a speck. */
    private static String whisker(final double from, final double to, final int middle) {
        if (to - from < 2) {
            return "";
        }
        return Metric.words(
                "<path class=\"whisker\" d=\"M%1$.1f %2$dH%3$.1fM%1$.1f %4$dv%5$dM%3$.1f %4$dv%5$d\"/>%n",
                from, middle, to, middle - WHISKER, 2 * WHISKER);
    }

    /** The most of all metrics of the same unit: only their bars can be compared by eye. */
    private static double longest(final List<Bar> bars, final Metric metric) {
        return bars.stream()
                .filter(bar -> bar.metric().equals(metric)
                        || metric.unit() != Unit.COUNT && bar.metric().unit() == metric.unit())
                .mapToDouble(bar -> bar.range().max())
                .max()
                .orElse(0);
    }

    private static String note(final List<Bar> bars) {
        final int runs =
                bars.stream().mapToInt(bar -> bar.range().count()).min().orElse(0);
        return runs < 2
                ? "One run each"
                : Metric.words("Median of %d runs each; thin lines and parentheses: least and most", runs);
    }

    private static String titles(final List<Metric> metrics) {
        return String.join(", ", metrics.stream().map(SvgChart::name).toList());
    }

    /** A metric's title without its unit, which stands at each value. */
    private static String name(final Metric metric) {
        return metric.unit() == Unit.MILLIS ? metric.title().replaceAll(" ms(/tx)?$", "$1") : metric.title();
    }

    private static String unit(final Metric metric) {
        return metric.unit() == Unit.MILLIS ? " ms" : "";
    }

    private static String text(final String kind, final int x, final int y, final String text) {
        return "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>%n".formatted(kind, x, y, escaped(text));
    }

    private static String escaped(final String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
