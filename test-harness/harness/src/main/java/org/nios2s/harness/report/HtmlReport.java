// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.samskivert.mustache.Mustache;
import java.io.StringReader;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.FormatStyle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.HarnessResource;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.analysis.Troubles;
import org.nios2s.harness.plan.Presets;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.ExperimentResult.Conclusion;
import org.nios2s.harness.result.Machine;
import org.nios2s.harness.result.ResultDirectory;
import org.nios2s.harness.result.RunResult;

/**
 * The report as one page of HTML that loads nothing: style, scripts, the chart library and all data are in it. Stateless,
 * any thread.
 */
public final class HtmlReport {

    private static final String BUT = " But ";

    public static final String FILE = "report.html";

    private static final String CHART_LIBRARY = "/META-INF/resources/webjars/echarts/%s/echarts.min.js";
    private static final ObjectMapper JSON = JsonMapper.builder().build();
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofLocalizedDateTime(
                    FormatStyle.LONG, FormatStyle.SHORT)
            .withLocale(Locale.UK);
    /** Rows whose first column is called so stand below it. */
    private static final String SITUATION = "what";

    /** The column of words, of which some are short. */
    private static final String MEANING = "which means";

    private static final List<String> FILES = List.of("result.json", Presets.RESULT_FILE, "index.md");
    private static final int MEBIBYTES_PER_GIBIBYTE = 1024;

    /** A longer text is no metric with its range. */
    private static final int MAX_METRIC = 30;

    /** More columns than these do not fit on a phone beside each other. */
    private static final int MAX_NARROW_COLUMNS = 4;

    private HtmlReport() {}

    /** A table on the page; {@code wide} ones become lists on a phone. */
    private record Table(String title, String note, boolean wide, List<Header> headers, List<Row> rows) {}

    /** A column; one of words is read from the left. */
    private record Header(String name, boolean words) {}

    /** A row; the first of a situation has its name, above so many columns. */
    private record Row(String group, int span, List<Cell> cells) {}

    /** A cell; what stands in parentheses at its end is its detail, in smaller letters. */
    private record Cell(String header, String text, String detail, boolean first, String kind) {

        private static final Pattern DETAIL = Pattern.compile("(.+?) (\\(.+\\))");

        static Cell of(final Header column, final String text, final boolean first) {
            final Matcher matcher = DETAIL.matcher(text);
            return matcher.matches() && !first && !column.words()
                    ? new Cell(column.name(), matcher.group(1), matcher.group(2), false, null)
                    : new Cell(column.name(), text, null, first, kind(column, text));
        }

        private static String kind(final Header column, final String text) {
            if (text.endsWith(", better")) {
                return "better";
            }
            if (text.endsWith(", worse")) {
                return "worse";
            }
            if (text.startsWith("no difference") || text.endsWith("not enough to tell")) {
                return "none";
            }
            return column.words() ? "words" : null;
        }
    }

    /** A file beside the page. */
    private record Link(String name, String address) {

        static Link of(final String name) {
            return new Link(name, name.replace("%", "%25").replace("#", "%23"));
        }
    }

    /** A chart's place on the page. */
    private record Drawn(int index, String title, String x, String y, boolean spread) {

        static Drawn of(final int index, final Chart chart) {
            final boolean named = chart.title().equals(chart.y().title());
            return new Drawn(index, chart.title(), words(chart.x()), named ? "" : words(chart.y()), chart.hasSpread());
        }

        private static String words(final Chart.Axis axis) {
            return axis.title().equals(axis.unit()) ? axis.unit() : axis.title() + ", " + axis.unit();
        }
    }

    /** Settings of a kind: names and values. */
    private record Group(String title, Collection<? extends Map.Entry<String, ?>> entries) {}

    public static String of(final ExperimentResult result) {
        final List<Chart> charts = new ArrayList<>(result.charts());
        charts.addAll(RunCharts.of(result.runs()));
        final String chartLibrary =
                CHART_LIBRARY.formatted(Machine.versionsOfBuild().get("ECharts"));
        return Mustache.compiler()
                .withLoader(name -> new StringReader(resource(name + ".html")))
                .compile(resource("report.html"))
                .execute(Map.of(
                        "page", page(result, charts),
                        "style", resource("report.css"),
                        "script", resource("report.js"),
                        "chartLibrary", resource(chartLibrary),
                        "charts", json(charts)));
    }

    /** Data inside a script element: nothing in it may end the element. */
    private static String json(final List<Chart> charts) {
        return HarnessException.attempt(
                e -> "Charts that cannot be written as JSON: " + e,
                () -> JSON.writeValueAsString(charts).replace("<", "\\u003c"));
    }

    private static String resource(final String name) {
        return HarnessResource.text(HtmlReport.class, name);
    }

    /** The data of the template, in the words and numbers that stand on the page. */
    private static Map<String, Object> page(final ExperimentResult result, final List<Chart> charts) {
        final List<RunResult> runs = result.runs();
        final DataTable everyRun =
                Metric.table("Every run", List.of("run"), run -> List.of(run.place()), Metric.OF_EACH_RUN, runs);
        final boolean trouble = !troubles(result).isEmpty();
        return Map.ofEntries(
                Map.entry("result", result),
                Map.entry("headline", headline(result)),
                Map.entry("trouble", trouble),
                Map.entry("praise", !trouble),
                Map.entry("caveats", caveats(result.conclusion())),
                Map.entry("when", TIME.format(result.started().atZone(ZoneId.systemDefault()))),
                Map.entry("where", where(result.setup().machine())),
                Map.entry(
                        "tables",
                        result.tables().stream().map(HtmlReport::table).toList()),
                Map.entry("drawings", drawings(charts)),
                Map.entry(
                        "faultless",
                        !runs.isEmpty()
                                && runs.stream().allMatch(run -> run.load().failures() == 0)),
                Map.entry("runs", runs.isEmpty() ? List.of() : List.of(table(everyRun))),
                Map.entry("repeat", repeat(result)),
                Map.entry("settings", settings(result)));
    }

    /** The line below the first; of an older result it is the last sentence of its verdict. */
    private static List<String> caveats(final Conclusion conclusion) {
        final String verdict = conclusion.verdict();
        final String line = conclusion.caveats() == null && verdict.contains(BUT)
                ? verdict.substring(verdict.lastIndexOf(BUT) + 1)
                : Objects.requireNonNullElse(conclusion.caveats(), "");
        return line.isEmpty() ? List.of() : List.of(line);
    }

    /** The first line of a page: what went wrong, otherwise what the runs show. */
    public static String headline(final ExperimentResult result) {
        final List<String> troubles = troubles(result);
        return troubles.isEmpty() ? result.conclusion().sentence() : String.join("; ", troubles) + ".";
    }

    /** From the runs themselves, whatever the conclusion says. */
    private static List<String> troubles(final ExperimentResult result) {
        final List<String> troubles = new ArrayList<>(Troubles.of(result.runs(), result.comparisons()));
        if (result.conclusion().crossed() != null) {
            result.conclusion().crossed().forEach(gate -> troubles.add("gate crossed: " + gate));
        }
        return troubles;
    }

    private static String where(final Machine machine) {
        final long gibibytes = Math.round(machine.memoryMebibytes() / (double) MEBIBYTES_PER_GIBIBYTE);
        return Metric.words("%d processors (%s), %,d GiB", machine.processors(), machine.processorModel(), gibibytes);
    }

    /** How to measure it again, and the files beside the page; nothing of a page that was made of several results. */
    private static List<Map<String, Object>> repeat(final ExperimentResult result) {
        return result.setup().repeat() == null
                ? List.of()
                : List.of(Map.of(
                        "command", result.setup().repeat().command(),
                        "experiment", result.setup().repeat().experiment(),
                        "files", FILES.stream().map(Link::of).toList(),
                        "logs",
                                result.runs().stream()
                                        .map(run -> ResultDirectory.part(run.place()) + "/latencies.hlog")
                                        .map(Link::of)
                                        .toList()));
    }

    private static Table table(final DataTable table) {
        final List<List<String>> texts = table.texts();
        final boolean grouped = table.columns().getFirst().title().equals(SITUATION);
        final int from = grouped ? 1 : 0;
        final List<Header> headers = IntStream.range(from, table.columns().size())
                .mapToObj(column ->
                        new Header(table.columns().get(column).title(), column > from && words(table, texts, column)))
                .toList();
        final List<Row> rows = new ArrayList<>();
        String last = null;
        for (final List<String> text : texts) {
            final String situation = grouped && !text.getFirst().equals(last) ? text.getFirst() : null;
            last = text.getFirst();
            rows.add(new Row(situation, headers.size(), row(headers, text.subList(from, text.size()))));
        }
        final boolean wide =
                headers.size() > MAX_NARROW_COLUMNS || headers.stream().anyMatch(Header::words);
        return new Table(table.title(), table.note(), wide, headers, rows);
    }

    private static List<Cell> row(final List<Header> headers, final List<String> texts) {
        return IntStream.range(0, texts.size())
                .mapToObj(column -> Cell.of(headers.get(column), texts.get(column), column == 0))
                .toList();
    }

    private static boolean words(final DataTable table, final List<List<String>> texts, final int column) {
        return table.columns().get(column).title().equals(MEANING)
                || texts.stream().anyMatch(row -> row.get(column).length() > MAX_METRIC);
    }

    private static List<Drawn> drawings(final List<Chart> charts) {
        return IntStream.range(0, charts.size())
                .mapToObj(index -> Drawn.of(index, charts.get(index)))
                .toList();
    }

    /** By column, as it was seen in its runs. */
    private static Collection<Map.Entry<String, String>> served(final ExperimentResult result) {
        final Map<String, String> servers = new LinkedHashMap<>();
        result.runs().stream()
                .filter(run -> run.execution().served() != null)
                .forEach(run -> servers.merge(
                        run.place().column(),
                        run.execution().served().words(),
                        (seen, other) -> seen.contains(other) ? seen : seen + "; also " + other));
        return servers.entrySet();
    }

    private static List<Group> settings(final ExperimentResult result) {
        final Machine machine = result.setup().machine();
        return List.of(
                new Group("Settings", result.setup().config().entrySet()),
                new Group(
                        "Machine",
                        List.of(
                                Map.entry("processors", machine.processors()),
                                Map.entry("model", machine.processorModel()),
                                Map.entry("memory", Metric.words("%,d MiB", machine.memoryMebibytes())),
                                Map.entry("system", machine.system()),
                                Map.entry("Java of the generator", machine.java()))),
                new Group("Versions", machine.versions().entrySet()),
                new Group("What served", served(result)));
    }
}
