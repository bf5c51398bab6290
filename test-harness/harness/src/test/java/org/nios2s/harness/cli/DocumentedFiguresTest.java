// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
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
    private static final List<String> PAGES = List.of("README.md", "docs/benchmarks.md");
    private static final Pattern RESULT = Pattern.compile("results/(\\d{4}-\\d\\d-\\d\\d/[a-z-]+)/README\\.md");
    private static final Pattern MEASURED = Pattern.compile("stock|listener|^plain$|^TLS, ");
    private static final Pattern FIGURE = Pattern.compile("^\\**([0-9][0-9.,]*)\\**(?: ms| tx/s)?$");
    private static final Pattern CHART = Pattern.compile("(?m)^chart (\\S+) (\\S+) (.+)$");
    private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^\\s'\"])+");
    /** Their tables show figures of tests' logs and of a day without result files; the sections say so. */
    private static final Set<String> WITHOUT_RESULT = Set.of("A fleet", "From NiFi to NiFi", "Little or no difference");

    @TempDir
    private Path directory;

    /** A row of a table: what it is called by its cells that are no figures, and its figures. */
    private record Row(String page, String section, String name, List<String> figures) {}

    private static List<Row> rows(final String page) throws IOException {
        final List<Row> rows = new ArrayList<>();
        String section = "";
        List<String> titles = List.of();
        String first = "";
        for (final String line : Files.readAllLines(PROJECT.resolve(page))) {
            if (line.startsWith("## ")) {
                section = line.substring("## ".length());
            }
            if (!line.startsWith("|")) {
                titles = List.of();
            } else if (titles.isEmpty()) {
                titles = cells(line);
            } else {
                final List<String> names = new ArrayList<>();
                final List<String> figures = new ArrayList<>();
                final List<String> cells = cells(line);
                for (int column = 0; column < cells.size(); column++) {
                    final Matcher figure = FIGURE.matcher(cells.get(column));
                    if (!MEASURED.matcher(titles.get(column)).find()) {
                        names.add(cells.get(column));
                    } else if (figure.matches()) {
                        figures.add(figure.group(1));
                    }
                }
                first = names.getFirst().isEmpty() ? first : names.getFirst();
                names.set(0, first);
                rows.add(new Row(page, section, String.join(" / ", names), figures));
            }
        }
        return rows.stream().filter(row -> !row.figures().isEmpty()).toList();
    }

    private static List<String> cells(final String row) {
        final String[] cells = row.split("\\|");
        return Arrays.stream(cells, 1, cells.length).map(String::strip).toList();
    }

    private static Set<String> sectionsWithResult(final String page) throws IOException {
        final Set<String> sections = new TreeSet<>();
        String section = "";
        for (final String line : Files.readAllLines(PROJECT.resolve(page))) {
            section = line.startsWith("## ") ? line.substring("## ".length()) : section;
            if (RESULT.matcher(line).find()) {
                sections.add(section);
            }
        }
        return sections;
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
        final List<Executable> checks = new ArrayList<>();
        for (final String page : PAGES) {
            for (final Row row : rows(page)) {
                if (!WITHOUT_RESULT.contains(row.section())) {
                    final String[] found = published.remove(page + " | " + row.name());
                    checks.add(() -> assertTrue(found != null, () -> row + " is not in published-figures.txt"));
                    if (found != null) {
                        final List<String> medians = medians(found);
                        checks.add(() -> assertEquals(medians, row.figures(), row.toString()));
                    }
                }
            }
        }
        assertTrue(checks.size() > PAGES.size());
        assertAll(checks);
        assertEquals(Set.of(), published.keySet(), "rows that no page has any more");
    }

    /** As an archived page prints them: of the runs themselves, by row and column. */
    private static List<String> medians(final String[] published) throws IOException {
        final List<RunResult> runs = ResultDirectory.read(result(published[2])).runs();
        return Arrays.stream(published[4].split(", "))
                .map(figure -> figure.split(" ", 2))
                .map(figure -> median(runs, published[3], Metric.by(figure[0]), figure[1]))
                .toList();
    }

    private static String median(
            final List<RunResult> runs, final String row, final Metric metric, final String column) {
        final List<RunResult> same = runs.stream()
                .filter(run -> run.place().row().equals(row)
                        && run.place().column().replace(",", "").equals(column))
                .toList();
        return metric.range(same)
                .map(range -> metric.format(range.median()))
                .orElseThrow(() -> new AssertionError("no run of " + row + ", " + column + " has " + metric.key()));
    }

    private static Path result(final String name) throws IOException {
        try (Stream<Path> days = Files.list(ARCHIVE)) {
            return days.map(day -> day.resolve(name))
                    .filter(Files::isDirectory)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no archived result " + name));
        }
    }

    @Test
    void noOtherSectionHasFiguresWithoutAResult() throws IOException {
        final Set<String> without = new TreeSet<>();
        for (final String page : PAGES) {
            final Set<String> with = sectionsWithResult(page);
            rows(page).stream()
                    .map(Row::section)
                    .filter(section -> !with.contains(section))
                    .forEach(without::add);
        }
        without.remove("");
        assertEquals(new TreeSet<>(WITHOUT_RESULT), without);
    }

    @Test
    void everyChartIsDrawnFromItsResult() throws IOException {
        final List<MatchResult> charts = CHART.matcher(Files.readString(
                        PROJECT.resolve("docs").resolve("images").resolve("make")))
                .results()
                .toList();
        final Set<Path> drawn = new TreeSet<>();
        final List<Executable> checks = new ArrayList<>();
        for (final MatchResult chart : charts) {
            final Path file = PROJECT.resolve("docs").resolve("images").resolve(chart.group(2) + ".svg");
            drawn.add(file);
            checks.add(() -> assertEquals(draw(chart), Files.readString(file), file::toString));
        }
        assertAll(checks);
        try (Stream<Path> files = Files.list(PROJECT.resolve("docs").resolve("images"))) {
            assertEquals(
                    drawn,
                    new TreeSet<>(files.filter(file -> file.toString().endsWith(".svg"))
                            .toList()));
        }
    }

    private String draw(final MatchResult chart) throws IOException {
        final Path file = directory.resolve(chart.group(2) + ".svg");
        final List<String> arguments = new ArrayList<>(List.of(
                "report",
                result(chart.group(1)).toString(),
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
