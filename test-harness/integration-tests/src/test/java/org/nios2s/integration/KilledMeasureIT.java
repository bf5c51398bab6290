// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.S2sHarness;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.ExperimentResult.Completion.State;
import org.nios2s.harness.result.Machine;
import org.nios2s.harness.result.ResultDirectory;

/**
 * A measurement that is killed leaves its NiFis behind, one of them paused; the next command says so and ends them. One that
 * is interrupted ends its NiFi and keeps what it has. Runs on the thread of the tests; every command is a process of its own.
 */
@Tag("full")
class KilledMeasureIT {

    private static final Duration START = Duration.ofMinutes(4);
    private static final Duration END = Duration.ofSeconds(90);

    /** What a shell says of a process that SIGINT ended. */
    private static final int INTERRUPTED = 128 + 2;

    @TempDir
    private Path directory;

    private final List<Process> commands = new ArrayList<>();

    @AfterEach
    void endWhatIsLeft() throws Exception {
        for (final Process command : commands) {
            // First, since it could start another NiFi.
            command.destroyForcibly().waitFor();
        }
        for (final ProcessHandle nifi : left()) {
            nifi.destroyForcibly();
        }
    }

    @Test
    void theNextCommandEndsWhatAKilledOneLeft() throws Exception {
        final Process killed = command("killed", measure("0s"));
        awaitFirstRound(killed, "killed");
        killed.destroyForcibly().waitFor();
        final List<ProcessHandle> nifis = left();
        assertEquals(2, nifis.size());

        assertEquals(1, end(command("next", measure("0s"))), () -> output("next"));
        assertTrue(output("next").contains("was killed and left NiFi behind"), () -> output("next"));
        nifis.forEach(nifi -> assertTrue(output("next").contains(Long.toString(nifi.pid())), () -> output("next")));
        assertTrue(output("next").contains("nifi stop --all"), () -> output("next"));

        assertEquals(0, end(command("stop", List.of("nifi", "stop", "--all"))), () -> output("stop"));
        Awaitility.await().atMost(END).until(() -> nifis.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void ctrlCEndsItsNifiAndKeepsWhatWasMeasured() throws Exception {
        final Process interrupted = command("interrupted", measure("0s", "--listener", "nio"));
        awaitFirstRound(interrupted, "interrupted");
        Awaitility.await()
                .atMost(END)
                // Of the home's files some come and go while they are listed.
                .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                .until(() -> files("parcels.txt").stream()
                        .anyMatch(ids -> ids.toFile().length() > 0));
        final List<ProcessHandle> nifis = left();
        assertEquals(1, nifis.size());
        final String version = instances().getFirst().required("version").asText();

        interrupt(interrupted);

        assertEquals(INTERRUPTED, end(interrupted), () -> output("interrupted"));
        assertFalse(nifis.getFirst().isAlive());
        assertEquals(List.of(), left());
        assertTrue(output("interrupted").contains("not complete: It was interrupted"), () -> output("interrupted"));
        final ExperimentResult result =
                ResultDirectory.read(files("result.json").getFirst().getParent());
        assertEquals(State.INTERRUPTED, result.completion().state());
        assertEquals(1, result.runs().size());
        assertTrue(result.runs().getFirst().load().transactions() > 0);
        assertEquals(1, files("report.html").size());
        assertEquals(version, result.setup().machine().versions().get(Machine.NIFI));
    }

    @Test
    void ctrlCBeforeTheFirstRunEndsItsNifiAndSaysThatNothingWasMeasured() throws Exception {
        final Process interrupted = command("interrupted", measure("2m", "--listener", "nio"));
        Awaitility.await().atMost(START).until(() -> {
            assertTrue(interrupted.isAlive(), () -> output("interrupted"));
            return output("interrupted").contains("warming up nio ...");
        });
        final List<ProcessHandle> nifis = left();
        assertEquals(1, nifis.size());

        interrupt(interrupted);

        assertEquals(INTERRUPTED, end(interrupted), () -> output("interrupted"));
        assertFalse(nifis.getFirst().isAlive());
        assertEquals(List.of(), left());
        assertTrue(
                output("interrupted").strip().endsWith("interrupted, ending in order ...\nNothing was measured."),
                () -> output("interrupted"));
    }

    /** As a terminal does: NiFi, which is in the same group of processes, has the signal, too. */
    private static void interrupt(final Process command) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-INT", "--", "-" + command.pid()).start().waitFor();
    }

    private void awaitFirstRound(final Process measuring, final String name) {
        Awaitility.await().atMost(START).until(() -> {
            assertTrue(measuring.isAlive(), () -> output(name));
            return output(name).contains("round 1 ...");
        });
    }

    /** Stock and NIO, one of which is paused while the other is measured. */
    private List<String> measure(final String warmUp, final String... further) {
        final List<String> line = new ArrayList<>(List.of(
                "measure",
                "compare",
                "--clients",
                "5",
                "--duration",
                "5m",
                "--warmup",
                warmUp,
                "--lead",
                "0s",
                "--settle",
                "100ms",
                "--heap",
                "512m"));
        line.addAll(List.of(further));
        return line;
    }

    private Process command(final String name, final List<String> arguments) throws IOException {
        final List<String> line = new ArrayList<>(List.of(
                // A build in the background of a shell passes on that it ignores the signal.
                "env",
                "--default-signal=INT",
                "setsid",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Ds2s.harness.project=" + directory,
                "-Ds2s.harness.lock=" + directory.resolve("lock"),
                "-cp",
                System.getProperty("java.class.path"),
                S2sHarness.class.getName()));
        line.addAll(arguments);
        final Process command = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".out").toFile())
                .start();
        commands.add(command);
        return command;
    }

    private static int end(final Process command) throws InterruptedException {
        assertTrue(command.waitFor(END.toSeconds(), TimeUnit.SECONDS), "the command does not end");
        return command.exitValue();
    }

    private String output(final String name) {
        try {
            return Files.readString(directory.resolve(name + ".out"));
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The processes that homes remember. */
    private List<ProcessHandle> left() throws IOException {
        final List<ProcessHandle> left = new ArrayList<>();
        for (final JsonNode instance : instances()) {
            ProcessHandle.of(instance.required("pid").asLong()).ifPresent(left::add);
        }
        return left;
    }

    private List<JsonNode> instances() throws IOException {
        final List<JsonNode> instances = new ArrayList<>();
        for (final Path file : files("instance.json")) {
            instances.add(new ObjectMapper().readTree(file.toFile()));
        }
        return instances;
    }

    private List<Path> files(final String name) throws IOException {
        try (Stream<Path> files = Files.find(directory, 5, (file, attributes) -> file.endsWith(name))) {
            return files.toList();
        }
    }
}
