// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.fault;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What an administrator may find in the log is explained in docs/troubleshooting.md. Runs on the test's thread. */
class DocumentedLogLinesTest {
    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final Pattern KIND = Pattern.compile("(?m)^\\| `([A-Z_]+)` \\|");
    private static final Pattern LINE =
            Pattern.compile("logger\\.(?:info|warn|error)\\(\\s*((?:\"[^\"]*\"(?:\\s*\\+\\s*)?)+)");
    private static final String PLACEHOLDER = "\\{}";
    private static final int FEWEST = 12;

    /** As many words identify a line; its remedy is in the line itself. */
    private static final Pattern BEGINNING = Pattern.compile("(?:\\S+\\s+){0,7}\\S+");

    private final String troubleshooting = Files.readString(Path.of("..", "docs", "troubleshooting.md"));

    DocumentedLogLinesTest() throws IOException {}

    @Test
    void everyKindOfFaultIsThere() {
        assertEquals(
                Stream.of(ConnectionFault.Kind.values()).map(Enum::name).collect(Collectors.toSet()),
                KIND.matcher(troubleshooting).results().map(row -> row.group(1)).collect(Collectors.toSet()));
    }

    @Test
    void everyLineAboveDebugIsThere() throws IOException {
        final Set<String> lines =
                lines().stream().map(DocumentedLogLinesTest::identifyingWords).collect(Collectors.toSet());
        assertTrue(lines.size() >= FEWEST, lines::toString);
        assertAll(lines.stream().map(line -> (Executable) () -> assertTrue(troubleshooting.contains(line), line)));
    }

    private static List<String> lines() throws IOException {
        final List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (final Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                LINE.matcher(Files.readString(file))
                        .results()
                        .map(call ->
                                call.group(1).replaceAll("\"\\s*\\+\\s*\"", "").replace("\"", ""))
                        .forEach(lines::add);
            }
        }
        return lines;
    }

    /** The first words of the longest part that every such line has. */
    private static String identifyingWords(final String line) {
        final String fixed = Stream.of(line.split(PLACEHOLDER))
                .map(String::strip)
                .max(Comparator.comparingInt(String::length))
                .orElseThrow();
        return BEGINNING.matcher(fixed).results().findFirst().orElseThrow().group();
    }
}
