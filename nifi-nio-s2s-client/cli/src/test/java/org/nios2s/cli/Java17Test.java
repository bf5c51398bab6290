// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.client.CliServer;

/**
 * The command in a process of Java 17, and with it the client and the wire format. Lives on the test's thread. Skipped where no Java
 * 17 is found: by {@code -Djava17.home}, {@code JAVA_HOME_17_X64}, or below {@code /usr/lib/jvm}.
 */
@DisplayName("On Java 17")
class Java17Test {
    @TempDir
    private Path directory;

    private CliServer server;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(java17().isPresent(), "no Java 17");
        server = new CliServer();
    }

    @AfterEach
    void stop() throws IOException {
        if (server != null) {
            server.close();
        }
    }

    private static Optional<Path> java17() throws IOException {
        final Path installed = Path.of("/usr/lib/jvm");
        try (Stream<Path> homes = Files.isDirectory(installed) ? Files.list(installed) : Stream.empty()) {
            return Stream.concat(
                            Stream.of(System.getProperty("java17.home"), System.getenv("JAVA_HOME_17_X64"))
                                    .filter(Objects::nonNull)
                                    .map(Path::of),
                            homes.sorted())
                    .filter(Java17Test::is17)
                    .map(home -> home.resolve("bin/java"))
                    .findFirst();
        }
    }

    private static boolean is17(final Path home) {
        try {
            return Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"17");
        } catch (final IOException e) {
            return false;
        }
    }

    private Process run(final Path input, final String... arguments) throws IOException {
        final ProcessBuilder command = Run.process(server.address(), arguments);
        command.command().set(0, java17().orElseThrow().toString());
        if (input != null) {
            command.redirectInput(input.toFile());
        }
        return command.redirectError(Redirect.INHERIT).start();
    }

    private static List<String> said(final Process process) throws Exception {
        final List<String> lines =
                new String(process.getInputStream().readAllBytes()).lines().toList();
        assertEquals(0, process.waitFor());
        return lines;
    }

    @Test
    @DisplayName("files are sent")
    void sends() throws Exception {
        final Path file = Files.writeString(directory.resolve("a.txt"), "first");
        assertEquals(List.of(file.toString()), said(run(null, "send", "--quiet", file.toString())));
        assertEquals(Map.of("a.txt", "first"), server.committed());
    }

    @Test
    @DisplayName("lines are joined")
    void joins() throws Exception {
        final Path lines = Files.writeString(directory.resolve("lines"), "1\n2\n3\n");
        assertEquals(List.of(), said(run(lines, "send", "--quiet", "--lines")));
        assertEquals(List.of("1\n2\n3\n"), server.committedContents());
    }

    @Test
    @DisplayName("files are received")
    void receives() throws Exception {
        server.offer(Map.of("filename", "a.txt"), "first");
        final Path file = directory.resolve("a.txt");
        assertEquals(List.of(file.toString()), said(run(null, "receive", "--quiet", directory.toString())));
        assertEquals("first", Files.readString(file));
        assertEquals(1, server.finishedPulls());
    }

    @Test
    @DisplayName("the nodes of a cluster are found by its REST API")
    void asks() throws Exception {
        try (CliServer other = new CliServer()) {
            server.offer(Map.of("filename", "a.txt"), "first");
            final ProcessBuilder command =
                    Run.process(server.addressOfClusterWith(other), "receive", "--quiet", directory.toString());
            command.command().set(0, java17().orElseThrow().toString());
            final Process process = command.redirectError(Redirect.INHERIT).start();
            assertEquals(List.of(directory.resolve("a.txt").toString()), said(process));
        }
    }
}
