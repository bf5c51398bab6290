// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of settings in docs/settings.md against {@link ListenerSettings}: names, defaults, what is accepted. On the test's thread. */
class DocumentedSettingsTest {
    private static final String PREFIX = "nifi.remote.input.nio.";
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `nifi\\.remote\\.input\\.nio\\.([a-z.]+)` \\| (.+?) \\| (.+?) \\|");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final Pattern KEY = Pattern.compile("nifi\\.remote\\.input\\.nio\\.([a-z.]+)");
    private static final Pattern RANGE =
            Pattern.compile("([0-9,]+)( [KMG]?B)? to ([0-9,]+)( [KMG]?B)?|a time from (\\d+) millis");

    private record Row(String name, String defaultText, String accepted) {}

    private static Stream<Row> rows() throws IOException {
        return ROW.matcher(Files.readString(Path.of("..", "docs", "settings.md")))
                .results()
                .map(row -> new Row(row.group(1), row.group(2), row.group(3)));
    }

    private static ListenerSettings with(final Map<String, String> settings) {
        final Map<String, String> properties = new HashMap<>();
        settings.forEach((name, value) -> properties.put(PREFIX + name, value));
        return ListenerSettings.from(new NiFiProperties(properties));
    }

    /** Beside memory that is large enough for any transaction. */
    private static ListenerSettings with(final String name, final String value) {
        final Map<String, String> settings = new HashMap<>();
        if (name.equals("transaction.memory")) {
            settings.put("buffer.memory", "64 GB");
        }
        if (name.equals("buffer.memory")) {
            settings.put("transaction.memory", "4 KB");
        }
        settings.put(name, value);
        return with(settings);
    }

    @Test
    void itHasEverySettingAndNoOther() throws IOException {
        final Set<String> documented = new TreeSet<>();
        rows().forEach(row -> documented.add(row.name()));
        final String known = assertThrows(IllegalArgumentException.class, () -> with(Map.of("no.such", "1")))
                .getMessage();
        final Set<String> existing = new TreeSet<>();
        KEY.matcher(known.substring(known.indexOf('['))).results().forEach(key -> existing.add(key.group(1)));
        assertEquals(existing, documented);
    }

    @Test
    void itsDefaultsAreTheDefaults() throws IOException {
        final Map<String, String> defaults = new TreeMap<>();
        rows().forEach(row ->
                QUOTED.matcher(row.defaultText()).results().forEach(text -> defaults.put(row.name(), text.group(1))));
        // The default of worker.threads is in words, and that of proxy.protocol.from is no address.
        assertEquals(rows().count() - 2, defaults.size());
        assertEquals(with(Map.of()), with(defaults));
    }

    private static Stream<Arguments> named() throws IOException {
        return rows().flatMap(row -> QUOTED.matcher(row.accepted())
                .results()
                .map(value -> value.group(1))
                .filter(value -> !value.contains("."))
                .map(value -> Arguments.of(row.name(), value)));
    }

    @ParameterizedTest
    @MethodSource
    void named(final String name, final String value) {
        assertDoesNotThrow(() -> with(name, value));
    }

    private static Stream<Arguments> ranges() throws IOException {
        return rows().flatMap(row ->
                RANGE.matcher(row.accepted()).results().map(range -> Arguments.of(row.name(), range.group())));
    }

    @ParameterizedTest
    @MethodSource
    void ranges(final String name, final String text) {
        final Matcher range = RANGE.matcher(text);
        range.find();
        if (range.group(5) != null) {
            assertBounds(name, Long.parseLong(range.group(5)), " millis", -1);
        } else if (range.group(2) == null) {
            assertBounds(name, number(range.group(1)), "", -1);
            assertBounds(name, number(range.group(3)), "", 1);
        } else {
            assertBounds(name, bytes(range.group(1), range.group(2)), " B", -1);
            assertBounds(name, bytes(range.group(3), range.group(4)), " B", 1);
        }
    }

    private static void assertBounds(final String name, final long bound, final String unit, final int beyond) {
        assertDoesNotThrow(() -> with(name, bound + unit));
        assertThrows(IllegalArgumentException.class, () -> with(name, bound + beyond + unit));
    }

    private static long number(final String text) {
        return Long.parseLong(text.replace(",", ""));
    }

    private static long bytes(final String count, final String unit) {
        return number(count) << 10 * " KMG".indexOf(unit.charAt(1));
    }
}
