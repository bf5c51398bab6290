// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;

/** Every setting that docs/harness.md has in a table with its default and an example is so. Runs on the test's thread. */
class DocumentedParametersTest {

    private static final Path PAGE = Path.of("..", "..", "docs", "harness.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z-]+): ([^`]+)` \\| `([^`]+)` \\|");

    @Test
    void nameUnitAndDefaultAreThoseOfTheSetting() throws IOException {
        final List<MatchResult> rows =
                ROW.matcher(Files.readString(PAGE)).results().toList();

        assertEquals(
                List.of("processors"), rows.stream().map(row -> row.group(1)).toList());
        assertAll(rows.stream().map(row -> (Executable) () -> {
            final Parameter setting = Parameter.find(row.group(1)).orElseThrow();
            assertEquals(setting.defaultValue(), row.group(3));
            final Settings example = Settings.DEFAULTS.with(setting.key(), row.group(2));
            assertTrue(!example.meansTheSameAs(Settings.DEFAULTS), setting.key());
        }));
    }
}
