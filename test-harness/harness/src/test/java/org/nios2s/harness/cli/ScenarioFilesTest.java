// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.S2sHarness;
import org.nios2s.harness.load.ScriptedServer;
import org.nios2s.harness.load.ScriptedServer.Script;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.ResultDirectory;
import org.nios2s.harness.result.ScenarioResult;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** The file that a scenario is given, and the files that it leaves behind. Runs on the test's thread. */
@Timeout(60)
class ScenarioFilesTest {

    @TempDir
    private Path directory;

    private final StringWriter errors = new StringWriter();

    @Test
    void aRunLeavesItsResultItsReportItsSettingsItsTimesAndItsClients() throws IOException {
        try (ScriptedServer server = new ScriptedServer(Script.FAITHFUL)) {
            assertEquals(ExitCode.OK, scale(server, "--clients", "3", "--transactions", "4", "--interval", "0s"));
        }

        final Path left = onlyResult();
        final List<String> names = names(left);
        for (final String name : List.of("config.yaml", "index.md", "latencies.hlog", "report.html", "result.json")) {
            assertTrue(names.contains(name), names.toString());
        }
        assertTrue(names.stream().anyMatch(name -> name.matches("\\d{8}_\\d{4}_3\\.csv")), names.toString());
        final ScenarioResult result = ResultDirectory.read(left);
        assertEquals(Completion.COMPLETE, result.completion());
        assertEquals(12, result.runs().getFirst().transactions());
        assertEquals(12, result.runs().getFirst().settings().totalTransactions());
        assertEquals("10ms", result.config().get("stagger"));
        assertTrue(!result.runs().getFirst().series().samples().isEmpty());
    }

    @Test
    void theSettingsOfAResultRepeatItAndTheCommandLineWins() throws IOException {
        try (ScriptedServer server = new ScriptedServer(Script.FAITHFUL)) {
            scale(server, "--clients", "3", "--transactions", "4", "--interval", "0s", "--size", "77");
            final Path first = onlyResult();
            final Path again = directory.resolve("again");

            assertEquals(
                    ExitCode.OK,
                    execute("scale", "--config", first.toString(), "--clients=2", "--results", again.toString()));

            final ScenarioResult result = ResultDirectory.read(only(again));
            assertEquals(8, result.runs().getFirst().transactions());
            assertEquals(77, result.runs().getFirst().settings().packetSize());
            assertEquals(
                    List.of("clients: 2"),
                    Files.readAllLines(only(again).resolve("config.yaml")).stream()
                            .filter(line -> line.startsWith("clients"))
                            .toList());
        }
    }

    @Test
    void aReportNeedsResults() {
        assertEquals(ExitCode.SOFTWARE, execute("report", directory.toString()));

        assertTrue(errors.toString().contains("There is no result of this harness in " + directory), errors::toString);
    }

    @Test
    void anUnknownNameInTheFileIsNamedWithTheKnownOnes() throws IOException {
        final Path file = Files.writeString(directory.resolve("x.yaml"), "clinets: 5\n");

        assertEquals(ExitCode.USAGE, execute("compare", "--config", file.toString()));

        assertTrue(
                errors.toString().contains("x.yaml: 'clinets' is no setting of compare; there are "), errors::toString);
        assertTrue(errors.toString().contains("clients, duration"), errors::toString);
    }

    @Test
    void aFileThatIsMissingOrNoYamlOrHoldsImpossibleValuesIsRefused() throws IOException {
        final Path missing = directory.resolve("missing.yaml");
        final Path broken = Files.writeString(directory.resolve("broken.yaml"), "clients: [5\n");
        final Path twice = Files.writeString(directory.resolve("twice.yaml"), "clients: 5\nclients: 6\n");
        final Path flag = Files.writeString(directory.resolve("flag.yaml"), "reconnect: 5\n");
        final Path value = Files.writeString(directory.resolve("value.yaml"), "interval: soon\n");

        assertRefused(missing, "cannot be read");
        assertRefused(broken, "cannot be read as 'name: value' lines");
        assertRefused(twice, "Duplicate field 'clients'");
        assertRefused(flag, "'reconnect' is true or false, not 5");
        assertRefused(value, "'soon' is no time");
    }

    @Test
    void aFullDiskIsSaidAndIsNoSuccess() throws IOException {
        final ResultDirectory full = ResultDirectory.create(directory, "full");
        Files.createSymbolicLink(full.path().resolve("report.html.part"), Path.of("/dev/full"));

        final IOException failure = assertThrows(IOException.class, () -> full.write("report.html", "x"));

        assertTrue(failure.getMessage().contains("No space left"), failure.getMessage());
        assertTrue(Files.notExists(full.path().resolve("report.html")));
    }

    private void assertRefused(final Path file, final String message) {
        errors.getBuffer().setLength(0);
        assertEquals(ExitCode.USAGE, execute("scale", "--config=" + file));
        assertTrue(errors.toString().contains(message), errors::toString);
    }

    private int scale(final ScriptedServer server, final String... more) {
        final Stream<String> target = Stream.of(
                "scale",
                "--target",
                "127.0.0.1:" + server.port(),
                "--port-id",
                ScriptedServer.PORT_ID,
                "--results",
                directory.resolve("results").toString());
        return execute(Stream.concat(target, Arrays.stream(more)).toArray(String[]::new));
    }

    private int execute(final String... arguments) {
        final CommandLine commandLine = S2sHarness.commandLine()
                .setErr(new PrintWriter(errors, true))
                .setOut(new PrintWriter(new StringWriter()));
        return commandLine.execute(arguments);
    }

    private Path onlyResult() throws IOException {
        return only(directory.resolve("results"));
    }

    private static Path only(final Path parent) throws IOException {
        try (Stream<Path> results = Files.list(parent)) {
            return results.findFirst().orElseThrow();
        }
    }

    private static List<String> names(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
