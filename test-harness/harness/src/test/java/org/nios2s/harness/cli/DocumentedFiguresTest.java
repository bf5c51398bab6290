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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Every measured figure of README.md and docs/benchmarks.md is a median of the archived result that its section names. Runs on the test's thread. */
class DocumentedFiguresTest {

    private static final Path PROJECT = Path.of("..", "..");
    private static final List<Path> PAGES = List.of(Path.of("README.md"), Path.of("docs", "benchmarks.md"));
    private static final Pattern RESULT = Pattern.compile("results/(\\d{4}-\\d\\d-\\d\\d/[a-z-]+)/README\\.md");
    private static final Pattern MEASURED = Pattern.compile("stock|listener|^plain$|^TLS, ");
    private static final Pattern NUMBER = Pattern.compile("^\\**([0-9][0-9.,]*)\\**(?: ms)?$");
    private static final Pattern MEDIAN = Pattern.compile("^([0-9][0-9.,]*)(?: \\(.*)?$");
    /** Their tables show figures of tests' logs and of a day without result files; the sections say so. */
    private static final Set<String> WITHOUT_RESULT = Set.of("A fleet", "From NiFi to NiFi", "Little or no difference");

    private record Section(Path page, String title, List<String> lines) {

        static List<Section> of(final Path page) throws IOException {
            final List<Section> sections = new ArrayList<>();
            sections.add(new Section(page, "", new ArrayList<>()));
            for (final String line : Files.readAllLines(PROJECT.resolve(page))) {
                if (line.startsWith("## ")) {
                    sections.add(new Section(page, line.substring("## ".length()), new ArrayList<>()));
                }
                sections.getLast().lines().add(line);
            }
            return sections;
        }

        List<String> results() {
            return RESULT.matcher(String.join("\n", lines))
                    .results()
                    .map((MatchResult link) -> link.group(1))
                    .toList();
        }

        /** The numbers in columns of what was measured. */
        List<String> figures() {
            final List<String> figures = new ArrayList<>();
            List<String> titles = List.of();
            for (final String line : lines) {
                if (!line.startsWith("|")) {
                    titles = List.of();
                } else if (titles.isEmpty()) {
                    titles = cells(line);
                } else {
                    final List<String> cells = cells(line);
                    for (int column = 0; column < cells.size(); column++) {
                        if (MEASURED.matcher(titles.get(column)).find()) {
                            NUMBER.matcher(cells.get(column)).results().forEach(number -> figures.add(number.group(1)));
                        }
                    }
                }
            }
            return figures;
        }
    }

    private static List<String> cells(final String row) {
        final String[] cells = row.split("\\|");
        return Arrays.stream(cells, 1, cells.length).map(String::strip).toList();
    }

    private static Set<String> medians(final String result) throws IOException {
        final Set<String> medians = new HashSet<>();
        for (final String line : Files.readAllLines(
                PROJECT.resolve("docs").resolve("results").resolve(result).resolve("README.md"))) {
            if (line.startsWith("|")) {
                cells(line)
                        .forEach(
                                cell -> MEDIAN.matcher(cell).results().forEach(median -> medians.add(median.group(1))));
            }
        }
        return medians;
    }

    private static List<Section> sections() throws IOException {
        final List<Section> sections = new ArrayList<>();
        for (final Path page : PAGES) {
            Section.of(page).stream()
                    .filter(section -> !section.figures().isEmpty())
                    .forEach(sections::add);
        }
        return sections;
    }

    @Test
    void everyFigureIsInTheResultThatItsSectionNames() throws IOException {
        final List<Executable> checks = new ArrayList<>();
        for (final Section section : sections()) {
            if (!section.results().isEmpty()) {
                final Set<String> medians = medians(section.results().getFirst());
                section.figures()
                        .forEach(figure -> checks.add(() -> assertTrue(
                                medians.contains(figure),
                                () -> section.page() + ", " + section.title() + ": " + figure + " is not in "
                                        + section.results().getFirst())));
            }
        }
        assertTrue(checks.size() > PAGES.size());
        assertAll(checks);
    }

    @Test
    void noOtherSectionHasFiguresWithoutAResult() throws IOException {
        final Set<String> without = new TreeSet<>();
        sections().stream()
                .filter(section -> section.results().isEmpty())
                .map(Section::title)
                .forEach(without::add);
        assertEquals(new TreeSet<>(WITHOUT_RESULT), without);
    }

    @Test
    void everyArchivedPageIsMadeFromItsResult() throws IOException {
        try (Stream<Path> results = Files.walk(PROJECT.resolve("docs").resolve("results"))) {
            final List<Path> pages =
                    results.filter(file -> file.endsWith("README.md")).toList();
            assertAll(pages.stream().map(page ->
                    (Executable) () -> assertTrue(Files.exists(page.resolveSibling("result.json")), page::toString)));
        }
    }
}
