// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.report;

import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.FormatStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.nios2s.harness.judge.Figure;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.Headline;
import org.nios2s.harness.result.Machine;
import org.nios2s.harness.result.RunResult;

/**
 * What the report's template shows, in the words and numbers that stand on the page. Immutable, any thread.
 *
 * @param title      of the page
 * @param scenario   name of the command
 * @param when       when it began
 * @param where      on which machine
 * @param verdict    what came out
 * @param incomplete why this is not all, or null when it is
 * @param remarks    what one has to know beside the verdict
 * @param headlines  the few figures that count most
 * @param tables     figures that belong together
 * @param figures    the charts
 * @param faultless  whether no transaction failed, so that there is no chart of failures
 * @param runs       the table of all runs, if there are any
 * @param settings   at the end: groups of names and values
 */
record ReportPage(
        String title,
        String scenario,
        String when,
        String where,
        String verdict,
        String incomplete,
        List<String> remarks,
        List<Headline> headlines,
        List<Table> tables,
        List<Drawn> figures,
        boolean faultless,
        List<Table> runs,
        List<Group> settings) {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofLocalizedDateTime(
                    FormatStyle.LONG, FormatStyle.SHORT)
            .withLocale(Locale.UK);
    private static final int MEBIBYTES_PER_GIBIBYTE = 1024;

    /** A longer text is no figure with its spread. */
    private static final int LONGEST_FIGURE = 30;

    /** More columns than these do not fit on a phone beside each other. */
    private static final int MOST_NARROW_COLUMNS = 4;

    private static final List<Figure> FIGURES_OF_RUNS = List.of(
            Figure.RATE,
            Figure.PACE,
            Figure.FAILURES,
            Figure.P50,
            Figure.P99,
            Figure.CPU,
            Figure.LOST,
            Figure.DUPLICATED);

    /** A table on the page; {@code wide} ones become lists on a phone. */
    record Table(String title, String note, boolean wide, List<Header> headers, List<Row> rows) {}

    /** A column; one of words is read from the left. */
    record Header(String name, boolean words) {}

    /** A row of a table. */
    record Row(List<Cell> cells) {}

    /** A cell; what stands in parentheses at its end is its detail, in smaller letters. */
    record Cell(String header, String text, String detail, boolean first, boolean words) {

        private static final Pattern DETAIL = Pattern.compile("(.+?) (\\(.+\\))");

        static Cell of(final Header column, final String text, final boolean first) {
            final Matcher matcher = DETAIL.matcher(text);
            return matcher.matches() && !first && !column.words()
                    ? new Cell(column.name(), matcher.group(1), matcher.group(2), false, false)
                    : new Cell(column.name(), text, null, first, column.words());
        }
    }

    /** A chart's place on the page. */
    record Drawn(int index, String title, String x, String y) {}

    /** Settings of a kind. */
    record Group(String title, List<Setting> entries) {}

    /** A name and its value. */
    record Setting(String name, String value) {}

    static ReportPage of(final ExperimentResult result, final List<Chart> charts) {
        return new ReportPage(
                "s2s-harness " + result.experiment(),
                result.experiment(),
                TIME.format(result.started().atZone(ZoneId.systemDefault())),
                where(result.machine()),
                result.verdict(),
                result.completion().state() == Completion.State.COMPLETE
                        ? null
                        : result.completion().reason(),
                result.remarks(),
                result.headlines(),
                result.tables().stream().map(ReportPage::table).toList(),
                figures(charts),
                !result.runs().isEmpty() && result.runs().stream().allMatch(run -> run.failures() == 0),
                result.runs().isEmpty() ? List.of() : List.of(table(runs(result.runs()))),
                settings(result));
    }

    private static DataTable runs(final List<RunResult> runs) {
        DataTable table = DataTable.of(
                "Every run",
                Stream.concat(
                                Stream.of(Column.of("run")),
                                FIGURES_OF_RUNS.stream()
                                        .map(figure -> new Column(figure.title(), null, figure.decimals())))
                        .toArray(Column[]::new));
        for (final RunResult run : runs) {
            final List<Object> cells = new ArrayList<>();
            cells.add(run.label());
            FIGURES_OF_RUNS.forEach(figure ->
                    cells.add(figure.of(run).isPresent() ? figure.of(run).getAsDouble() : null));
            table = table.row(cells.toArray());
        }
        return table;
    }

    private static String where(final Machine machine) {
        return String.format(
                Locale.ROOT,
                "%d processors (%s), %,d GiB",
                machine.processors(),
                machine.processorModel(),
                Math.round(machine.memoryMebibytes() / (double) MEBIBYTES_PER_GIBIBYTE));
    }

    private static Table table(final DataTable table) {
        final List<List<String>> texts = table.texts();
        final List<Header> headers = new ArrayList<>();
        for (int column = 0; column < table.columns().size(); column++) {
            headers.add(new Header(table.columns().get(column).header(), column > 0 && words(texts, column)));
        }
        final List<Row> rows = texts.stream().map(row -> row(headers, row)).toList();
        final boolean wide =
                headers.size() > MOST_NARROW_COLUMNS || headers.stream().anyMatch(Header::words);
        return new Table(table.title(), table.note(), wide, headers, rows);
    }

    private static Row row(final List<Header> headers, final List<String> texts) {
        final List<Cell> cells = new ArrayList<>();
        for (int column = 0; column < texts.size(); column++) {
            cells.add(Cell.of(headers.get(column), texts.get(column), column == 0));
        }
        return new Row(cells);
    }

    private static boolean words(final List<List<String>> texts, final int column) {
        return texts.stream().anyMatch(row -> row.get(column).length() > LONGEST_FIGURE);
    }

    private static List<Drawn> figures(final List<Chart> charts) {
        final List<Drawn> figures = new ArrayList<>();
        for (int index = 0; index < charts.size(); index++) {
            final Chart chart = charts.get(index);
            figures.add(new Drawn(index, chart.title(), words(chart.x()), words(chart.y())));
        }
        return figures;
    }

    private static String words(final Chart.Axis axis) {
        return axis.title().equals(axis.unit()) ? axis.unit() : axis.title() + ", " + axis.unit();
    }

    private static List<Group> settings(final ExperimentResult result) {
        final Machine machine = result.machine();
        return List.of(
                new Group("Settings", entries(result.config())),
                new Group(
                        "Machine",
                        List.of(
                                new Setting("processors", Integer.toString(machine.processors())),
                                new Setting("model", machine.processorModel()),
                                new Setting("memory", String.format(Locale.ROOT, "%,d MiB", machine.memoryMebibytes())),
                                new Setting("system", machine.system()),
                                new Setting("Java of the generator", machine.java()))),
                new Group("Versions", entries(machine.versions())));
    }

    private static List<Setting> entries(final Map<String, ?> values) {
        return values.entrySet().stream()
                .map(entry -> new Setting(entry.getKey(), String.valueOf(entry.getValue())))
                .toList();
    }
}
