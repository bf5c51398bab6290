// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.harness.HarnessResource;
import org.nios2s.harness.S2sHarness;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.result.ResultDirectory;
import org.nios2s.harness.result.RunResult;

/**
 * Every measured figure of README.md and docs/benchmarks.md is the median of the archived runs of its row and column, and every
 * chart is drawn from the result that docs/images/make names. Runs on the test's thread.
 */
class DocumentedFiguresTest {

    private static final Path PROJECT = Path.of("..", "..");
    private static final Path ARCHIVE = PROJECT.resolve("docs").resolve("results");
    private static final Path IMAGES = PROJECT.resolve("docs").resolve("images");
    private static final List<String> PAGES = List.of("README.md", "docs/benchmarks.md");
    private static final Pattern RESULT = Pattern.compile("results/(\\d{4}-\\d\\d-\\d\\d/[a-z-]+)/README\\.md");
    private static final Pattern MEASURED = Pattern.compile("stock|listener|^plain$|^TLS, ");
    private static final Pattern FIGURE = Pattern.compile("^\\**([0-9][0-9.,]*)\\**( ms| tx/s)?$");
    private static final Pattern CHART = Pattern.compile("(?m)^chart (\\S+) (\\S+) (.+)$");
    private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^\\s'\"])+");
    /** Their tables show figures of tests' logs and of a day without result files; the sections say so. */
    private static final Set<String> WITHOUT_RESULT = Set.of("From NiFi to NiFi", "Little or no difference");

    @TempDir
    private Path directory;

    /** The words that say what a figure is, beside it: of its metric, with its unit. */
    private static final Map<String, Pattern> WORDS = Map.of(
            "rate", Pattern.compile("tx/s|transactions per second"),
            "p50", Pattern.compile("(?:p50|median latency).*\\bms\\b"),
            "p99", Pattern.compile("p99.*\\bms\\b"),
            "cpu", Pattern.compile("CPU.*\\bms\\b"),
            "threads", Pattern.compile("threads"),
            "rss", Pattern.compile("resident memory, MiB"),
            "idle-heap", Pattern.compile("KiB.*\\bheap\\b"),
            "idle-native", Pattern.compile("KiB.*native memory"));

    private static final Map<String, String> UNITS = Map.of("rate", "tx/s", "p50", "ms", "p99", "ms", "cpu", "ms");

    /**
     * A figure of a table.
     *
     * @param cell   the number of its cell in the row
     * @param column the target that its title names
     * @param said   the title of the table, of the row and of the column, and the cell itself
     * @param number without its unit
     * @param unit   in the cell; empty where a title has it
     */
    private record Figure(int cell, String column, String said, String number, String unit) {}

    /** A row of a table: its line, what it is called by its cells that are no figures, its figures, and what should be one. */
    private record Row(String section, String name, int line, List<Figure> figures, List<String> others) {}

    private static List<Row> rows(final List<String> page) {
        final List<Row> rows = new ArrayList<>();
        String section = "";
        List<String> titles = List.of();
        String first = "";
        for (int number = 0; number < page.size(); number++) {
            final String line = page.get(number);
            if (line.startsWith("## ")) {
                section = line.substring("## ".length());
            }
            if (!line.startsWith("|")) {
                titles = List.of();
            } else if (titles.isEmpty()) {
                titles = cells(line);
            } else if (!line.startsWith("|--")) {
                final Row row = row(section, titles, number, cells(line), first);
                first = row.name().split(" / ")[0];
                rows.add(row);
            }
        }
        return rows.stream()
                .filter(row -> !row.figures().isEmpty() || !row.others().isEmpty())
                .toList();
    }

    private static Row row(
            final String section,
            final List<String> titles,
            final int line,
            final List<String> cells,
            final String above) {
        final List<String> names = new ArrayList<>();
        final List<Integer> measured = new ArrayList<>();
        for (int column = 0; column < cells.size(); column++) {
            if (MEASURED.matcher(titles.get(column)).find()) {
                measured.add(column);
            } else {
                names.add(cells.get(column));
            }
        }
        names.set(0, names.getFirst().isEmpty() ? above : names.getFirst());
        final String name = String.join(" / ", names);
        final List<Figure> figures = new ArrayList<>();
        final List<String> others = new ArrayList<>();
        String metric = "";
        for (final int column : measured) {
            final String title = titles.get(column);
            // 'stock, p50 ms' is about the column beside it, too.
            metric = title.startsWith("stock, ") ? title : metric;
            final String cell = cells.get(column);
            final Matcher figure = FIGURE.matcher(cell);
            if (figure.matches()) {
                final String said = String.join(" ", titles.getFirst(), name, metric, cell);
                final String unit = Objects.toString(figure.group(2), "").strip();
                figures.add(new Figure(column, target(title), said, figure.group(1), unit));
            } else if (!cell.isEmpty()) {
                others.add(cell);
            }
        }
        return new Row(section, name, line, figures, others);
    }

    /** As results name it. */
    private static String target(final String title) {
        if (title.equals("this listener")) {
            return "nio";
        }
        return title.equals("NiFi's listener") || title.startsWith("stock") ? "stock" : title.replace(",", "");
    }

    private static List<String> cells(final String row) {
        final String[] cells = row.split("\\|");
        return Arrays.stream(cells, 1, cells.length).map(String::strip).toList();
    }

    private static Map<String, Set<String>> resultsBySection(final List<String> page) {
        final Map<String, Set<String>> results = new TreeMap<>();
        String section = "";
        for (final String line : page) {
            section = line.startsWith("## ") ? line.substring("## ".length()) : section;
            final Set<String> own = results.computeIfAbsent(section, each -> new TreeSet<>());
            RESULT.matcher(line).results().forEach(link -> own.add(link.group(1)));
        }
        return results;
    }

    /** By page and row, its line of the list. */
    private static Map<String, String[]> published() {
        final Map<String, String[]> published = new LinkedHashMap<>();
        HarnessResource.text(DocumentedFiguresTest.class, "published-figures.txt")
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> Arrays.stream(line.split("\\|")).map(String::strip).toArray(String[]::new))
                .forEach(cells -> published.put(cells[0] + " | " + cells[1], cells));
        return published;
    }

    @Test
    void everyFigureIsTheMedianOfItsRowAndColumn() throws IOException {
        final Map<String, String[]> published = published();
        for (final String page : PAGES) {
            assertEquals(List.of(), complaints(page, lines(page), published));
        }
        assertEquals(Set.of(), published.keySet(), "rows that no page has any more");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "README.md; NiFi's listener . this listener; this listener | NiFi's listener; of stock",
                "README.md; ([\\d,]+) tx/s \\|$; $1 ms |; is no rate",
                "README.md; ([\\d,]{3,}) tx/s \\|$; 1$1 tx/s |; the result has",
                "README.md; (threads.*) \\|$; $1 ms |; is no threads",
                "README.md; (threads.*\\|) \\d+ \\|$; $1 many |; is no figure",
                "docs/benchmarks.md; stock, p50 ms; stock, transactions per second; is no p50",
                "docs/benchmarks.md; resident memory, MiB; resident memory, KiB; is not in published-figures.txt",
                "docs/benchmarks.md; KiB per connection; MiB per connection; is no idle-heap",
                "docs/benchmarks.md; 2026-11-27/light-load/README; 2026-11-27/minifi/README; names no result 2026-11-27/light-load",
            })
    void anotherTitleUnitOrLinkIsNoticed(final String page, final String now, final String then, final String complaint)
            throws IOException {
        final List<String> changed =
                lines(page).stream().map(line -> line.replaceFirst(now, then)).toList();
        assertNotEquals(lines(page), changed, "nothing was changed");

        final List<String> complaints = complaints(page, changed, published());
        assertTrue(complaints.stream().anyMatch(each -> each.contains(complaint)), complaints::toString);
    }

    /** If asked to, writes the medians of the results into the tables of the pages, and draws the charts. */
    @BeforeAll
    static void write() throws IOException {
        if (!Boolean.getBoolean("figures.write")) {
            return;
        }
        final Map<String, String[]> published = published();
        for (final String page : PAGES) {
            final List<String> lines = new ArrayList<>(lines(page));
            for (final Row row : rows(lines)) {
                final String[] found = published.get(page + " | " + row.name());
                if (found != null) {
                    lines.set(row.line(), written(lines.get(row.line()), row, found));
                }
            }
            Files.write(PROJECT.resolve(page), lines);
        }
        for (final MatchResult chart : charts()) {
            draw(chart, IMAGES);
        }
    }

    private static String written(final String line, final Row row, final String[] published) throws IOException {
        final String[] cells = line.split("\\|");
        final List<String> medians = medians(published);
        for (int index = 0; index < row.figures().size(); index++) {
            final Figure figure = row.figures().get(index);
            final int cell = figure.cell() + 1;
            cells[cell] = cells[cell].replace(figure.number(), medians.get(index));
        }
        return String.join("|", cells) + "|";
    }

    private static List<String> lines(final String page) throws IOException {
        return Files.readAllLines(PROJECT.resolve(page));
    }

    /** Differences between a page and the results; takes the rows that it has off the list. */
    private static List<String> complaints(
            final String page, final List<String> lines, final Map<String, String[]> published) throws IOException {
        final Map<String, Set<String>> results = resultsBySection(lines);
        final List<String> complaints = new ArrayList<>();
        for (final Row row : rows(lines)) {
            if (!WITHOUT_RESULT.contains(row.section())) {
                final String[] found = published.remove(page + " | " + row.name());
                row.others().forEach(cell -> complaints.add(row.name() + ": '" + cell + "' is no figure"));
                if (found == null) {
                    complaints.add(row + " is not in published-figures.txt");
                } else {
                    if (!results.get(row.section()).contains(found[2])) {
                        complaints.add(row.name() + ": its section names no result " + found[2]);
                    }
                    complaints.addAll(complaints(row, found));
                }
            }
        }
        return complaints;
    }

    /** As an archived page prints them: of the runs themselves, by row and column. */
    private static List<String> complaints(final Row row, final String[] published) throws IOException {
        final String[] expected = published[4].split(", ");
        final List<String> medians = medians(published);
        final List<String> complaints = new ArrayList<>();
        if (expected.length != row.figures().size()) {
            complaints.add(
                    "%s: %d figures, not %d".formatted(row.name(), row.figures().size(), expected.length));
        }
        for (int index = 0; index < Math.min(expected.length, row.figures().size()); index++) {
            final String[] words = expected[index].split(" ", 2);
            final Figure figure = row.figures().get(index);
            final String median = medians.get(index);
            if (!median.equals(figure.number())) {
                complaints.add("%s: %s, the result has %s".formatted(row.name(), figure, median));
            }
            if (!words[1].startsWith(figure.column())) {
                complaints.add("%s: %s is of %s".formatted(row.name(), figure, words[1]));
            }
            if (!WORDS.get(words[0]).matcher(figure.said()).find()
                    || !List.of("", UNITS.getOrDefault(words[0], "")).contains(figure.unit())) {
                complaints.add("%s: %s is no %s".formatted(row.name(), figure, words[0]));
            }
        }
        return complaints;
    }

    private static List<String> medians(final String[] published) throws IOException {
        final List<RunResult> runs =
                ResultDirectory.read(ARCHIVE.resolve(published[2])).runs();
        return Arrays.stream(published[4].split(", "))
                .map(each -> each.split(" ", 2))
                .map(words -> median(runs, published[3], Metric.by(words[0]), words[1]))
                .toList();
    }

    /** With no more digits than its spread allows. */
    private static String median(
            final List<RunResult> runs, final String row, final Metric metric, final String column) {
        final List<RunResult> same = runs.stream()
                .filter(run -> run.place().row().equals(row)
                        && run.place().column().replace(",", "").equals(column))
                .toList();
        return metric.range(same)
                .map(range -> metric.format(range.median(), range.max() - range.min()))
                .orElseThrow(() -> new AssertionError("no run of " + row + ", " + column + " has " + metric.key()));
    }

    @Test
    void noOtherSectionHasFiguresWithoutAResult() throws IOException {
        final Set<String> without = new TreeSet<>();
        for (final String page : PAGES) {
            final Map<String, Set<String>> results = resultsBySection(lines(page));
            rows(lines(page)).stream()
                    .map(Row::section)
                    .filter(section -> results.get(section).isEmpty())
                    .forEach(without::add);
        }
        without.remove("");
        assertEquals(new TreeSet<>(WITHOUT_RESULT), without);
    }

    @Test
    void everyChartIsDrawnFromItsResult() throws IOException {
        final Set<Path> drawn = new TreeSet<>();
        final List<Executable> checks = new ArrayList<>();
        for (final MatchResult chart : charts()) {
            final Path file = IMAGES.resolve(chart.group(2) + ".svg");
            drawn.add(file);
            checks.add(() -> assertEquals(draw(chart, directory), Files.readString(file), file::toString));
        }
        assertAll(checks);
        try (Stream<Path> files = Files.list(IMAGES)) {
            assertEquals(
                    drawn,
                    new TreeSet<>(files.filter(file -> file.toString().endsWith(".svg"))
                            .toList()));
        }
    }

    private static List<MatchResult> charts() throws IOException {
        return CHART.matcher(Files.readString(IMAGES.resolve("make"))).results().toList();
    }

    private static String draw(final MatchResult chart, final Path directory) throws IOException {
        final Path file = directory.resolve(chart.group(2) + ".svg");
        final List<String> arguments = new ArrayList<>(List.of(
                "report",
                ARCHIVE.resolve(chart.group(1)).toString(),
                "-o",
                file.toString(),
                "--call",
                "stock=NiFi's listener",
                "--call",
                "nio=this listener"));
        WORD.matcher(chart.group(3))
                .results()
                .map(word -> unquoted(word.group()))
                .forEach(arguments::add);
        assertEquals(0, S2sHarness.commandLine().execute(arguments.toArray(String[]::new)), arguments::toString);
        return Files.readString(file);
    }

    /** As the shell reads a word of quoted and other parts. */
    private static String unquoted(final String word) {
        return word.replace("'\"'\"'", "\u0000").replace("'", "").replace('\u0000', '\'');
    }

    @Test
    void everyArchivedPageIsMadeFromItsResult() throws IOException {
        try (Stream<Path> results = Files.walk(ARCHIVE)) {
            final List<Path> pages =
                    results.filter(file -> file.endsWith("README.md")).toList();
            assertAll(pages.stream().map(page ->
                    (Executable) () -> assertTrue(Files.exists(page.resolveSibling("result.json")), page::toString)));
        }
    }
}
