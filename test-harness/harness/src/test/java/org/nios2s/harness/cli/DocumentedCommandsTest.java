// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.nios2s.harness.S2sHarness;
import org.nios2s.harness.plan.Presets;
import picocli.CommandLine;

/** Every command of the documentation is one that the harness knows, with options that it knows. Runs on the test's thread. */
class DocumentedCommandsTest {

    private static final Path PROJECT = Path.of("..", "..");
    private static final String NAME = "((?:demo|measure|search|report|nifi (?:start|stop|status|clean))(?![.\\w])";
    private static final Pattern COMMAND =
            Pattern.compile("bin/s2s-harness " + NAME + "[^`|\\n]*)|`" + NAME + "[^`|]*)`");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\\S+");
    private static final Pattern PRESET = Pattern.compile("^(?:measure|search) ([a-z][a-z-]*)(?: |$)");
    private static final Pattern PLACEHOLDER = Pattern.compile("[ =](?:N|T|FILE|KEY=VALUE|…)(?:$|[ =])");
    private static final Pattern MEASURES = Pattern.compile("^(?:measure|search|demo)(?: |$)");
    private static final Pattern OWN_FILE =
            Pattern.compile("mine\\.yaml|--(?:list|show|help|plan)|measure DIR|PRESET|'p99 > x'");
    private static final int FEWEST = 40;

    private static List<String> commands() throws IOException {
        final List<String> commands = new ArrayList<>();
        try (Stream<Path> pages = Stream.concat(Files.list(PROJECT), Files.list(PROJECT.resolve("docs")))) {
            for (final Path page :
                    pages.filter(file -> file.toString().endsWith(".md")).toList()) {
                COMMAND.matcher(Files.readString(page))
                        .results()
                        .map(command -> command.group(1) == null ? command.group(2) : command.group(1))
                        .map(command -> command.strip().replaceAll("\\s+", " "))
                        .filter(command -> !PLACEHOLDER.matcher(command).find())
                        .forEach(commands::add);
            }
        }
        return commands;
    }

    private static String[] words(final String command) {
        return WORD.matcher(command)
                .results()
                .map(word -> word.group(1) == null ? word.group() : word.group(1))
                .toArray(String[]::new);
    }

    @Test
    void theHarnessUnderstandsThem() throws IOException {
        final List<String> commands = commands();
        assertTrue(commands.size() >= FEWEST, commands::toString);
        assertAll(commands.stream().map(command -> (Executable)
                () -> assertDoesNotThrow(() -> S2sHarness.commandLine().parseArgs(words(command)), command)));
    }

    /** A command that the harness parses and then refuses, or that would measure something else, is no documentation. */
    @Test
    void whatTheyMeasureCanBePlanned() throws IOException {
        assertAll(commands().stream()
                .filter(command -> MEASURES.matcher(command).find())
                .filter(command -> !OWN_FILE.matcher(command).find())
                .map(command -> (Executable) () -> assertPlanned(command)));
    }

    private static void assertPlanned(final String command) {
        final StringWriter said = new StringWriter();
        final int code = S2sHarness.commandLine()
                .setOut(new PrintWriter(said))
                .setErr(new PrintWriter(said))
                .execute(words(command + " --plan"));
        assertEquals(CommandLine.ExitCode.OK, code, () -> command + ": " + said);
    }

    @Test
    void theirPresetsExist() throws IOException {
        assertAll(commands().stream()
                .flatMap(command -> PRESET.matcher(command).results())
                .map((MatchResult match) -> match.group(1))
                .map(name -> (Executable) () -> assertTrue(Presets.names().contains(name), name)));
    }
}
