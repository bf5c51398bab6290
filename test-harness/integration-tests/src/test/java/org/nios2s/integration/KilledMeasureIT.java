// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.S2sHarness;

/**
 * A measurement that is killed leaves its NiFis behind, one of them paused; the next command says so and ends them.
 * Runs on the thread of the tests; every command is a process of its own.
 */
class KilledMeasureIT {

    private static final Duration START = Duration.ofMinutes(4);
    private static final Duration END = Duration.ofSeconds(90);

    @TempDir
    private Path directory;

    private final List<Process> commands = new ArrayList<>();

    @AfterEach
    void endWhatIsLeft() throws IOException {
        for (final ProcessHandle nifi : left()) {
            nifi.destroyForcibly();
        }
        commands.forEach(Process::destroyForcibly);
    }

    @Test
    void theNextCommandEndsWhatAKilledOneLeft() throws Exception {
        final Process killed = command("killed", measure());
        Awaitility.await().atMost(START).until(() -> {
            assertTrue(killed.isAlive(), () -> output("killed"));
            return output("killed").contains("round 1 ...");
        });
        killed.destroyForcibly().waitFor();
        final List<ProcessHandle> nifis = left();
        assertEquals(2, nifis.size());

        assertEquals(1, end(command("next", measure())), () -> output("next"));
        assertTrue(output("next").contains("was killed and left NiFi behind"), () -> output("next"));
        nifis.forEach(nifi -> assertTrue(output("next").contains(Long.toString(nifi.pid())), () -> output("next")));
        assertTrue(output("next").contains("nifi stop --all"), () -> output("next"));

        assertEquals(0, end(command("stop", List.of("nifi", "stop", "--all"))), () -> output("stop"));
        Awaitility.await().atMost(END).until(() -> nifis.stream().noneMatch(ProcessHandle::isAlive));
    }

    /** Stock and NIO, one of which is paused while the other is measured. */
    private List<String> measure() {
        return List.of(
                "measure",
                "compare",
                "--clients",
                "5",
                "--duration",
                "5m",
                "--warmup",
                "0s",
                "--settle",
                "100ms",
                "--heap",
                "512m");
    }

    private Process command(final String name, final List<String> arguments) throws IOException {
        final List<String> line = new ArrayList<>(List.of(
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
        try (Stream<Path> files = Files.find(directory, 5, (file, attributes) -> file.endsWith("instance.json"))) {
            for (final Path file : files.toList()) {
                final long pid = new ObjectMapper()
                        .readTree(file.toFile())
                        .required("pid")
                        .asLong();
                ProcessHandle.of(pid).ifPresent(left::add);
            }
        }
        return left;
    }
}
