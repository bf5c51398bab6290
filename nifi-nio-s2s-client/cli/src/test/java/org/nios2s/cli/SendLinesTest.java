// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.client.CliServer;

/** {@code s2s send --lines} as a process, which reads a pipe. Lives on the test's thread. */
class SendLinesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String LINE = "x".repeat(63) + "\n";
    private static final int PIPE_BYTES = 64 << 10;
    private static final int LINES_OF_A_PIPE = PIPE_BYTES / 64;
    private static final int SIGINT_BIT = 1 << 1;

    @TempDir
    private Path directory;

    private CliServer server;
    private Process process;

    @BeforeEach
    void start() throws IOException {
        server = new CliServer();
    }

    @AfterEach
    void stop() throws IOException {
        if (process != null) {
            process.destroyForcibly();
        }
        server.close();
    }

    private OutputStream send(final String... options) throws IOException {
        final List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                "org.nios2s.cli.S2s",
                "send",
                "--lines",
                "--quiet"));
        Collections.addAll(command, options);
        Collections.addAll(command, server.address());
        process = new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile())
                .start();
        return process.getOutputStream();
    }

    private String err() throws IOException {
        // Of the class path with which Maven runs tests: two bindings for the log.
        return String.join(
                "\n",
                Files.readAllLines(directory.resolve("err")).stream()
                        .filter(line -> line.startsWith("s2s: "))
                        .toList());
    }

    private void assertEnds(final int exitCode, final String err) throws Exception {
        assertTrue(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(err, err());
        assertEquals(exitCode, process.exitValue());
        assertEquals("", Files.readString(directory.resolve("out")));
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(ISO_8859_1);
    }

    private String committed() {
        return String.join("", server.committedContents());
    }

    @Test
    void linesAreJoinedAndTheLastOneEndsToo() throws Exception {
        try (OutputStream in = send("--batch-count", "3", "--linger", "1m", "-a", "filename=log")) {
            in.write(bytes("a\nb\rc\r\n\nlast"));
        }
        assertEnds(0, "");
        assertEquals(
                List.of("a\nb\rc\r\n\n", "last\n"),
                server.committedContents().stream().sorted().toList());
        final Map<String, String> attributes = server.committedAttributes().getFirst();
        assertEquals("log", attributes.get("filename"));
        assertEquals("text/plain", attributes.get("mime.type"));
    }

    @Test
    void bytesAreNotDecoded() throws Exception {
        final byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        try (OutputStream in = send()) {
            in.write(all);
        }
        assertEnds(0, "");
        assertEquals(new String(all, ISO_8859_1) + "\n", committed());
    }

    @Test
    void nothingToReadIsNothingToSend() throws Exception {
        send().close();
        assertEnds(0, "");
        assertEquals("", committed());
    }

    @Test
    void aLineThatIsTooLongIsNamedAndThoseBeforeItAreSent() throws Exception {
        try (OutputStream in = send("--batch-bytes", "10")) {
            in.write(bytes("123456789\n1234567890\nx\n"));
        }
        assertEnds(
                Outcome.FAILED.exitCode(),
                "s2s: Line 2 is longer than 9 bytes, the most that --batch-bytes leaves for a line; this line and those after"
                        + " it were not sent\ns2s: 1 lines delivered, 1 not, 0 unknown");
        assertEquals("123456789\n", committed());
    }

    @Test
    void anUnknownOutcomeIsToldAtOnceThoughThePipeIsOpen() throws Exception {
        server.hangsUpBeforeItSaysThatItFinished();
        final OutputStream in = send("--batch-count", "2");
        in.write(bytes("a\nb\n"));
        in.flush();
        assertTrue(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(Outcome.UNKNOWN.exitCode(), process.exitValue(), err());
        assertTrue(err().contains("CONNECTION_LOST"), err());
        assertTrue(err().endsWith("\ns2s: 0 lines delivered, 0 not, 2 unknown"), err());
    }

    @Test
    void whatIsRefusedIsCounted() throws Exception {
        server.refusesThePort();
        try (OutputStream in = send()) {
            in.write(bytes("a\nb\nc"));
        }
        assertTrue(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(Outcome.FAILED.exitCode(), process.exitValue(), err());
        assertTrue(err().contains("UNKNOWN_PORT"), err());
        assertTrue(err().endsWith("\ns2s: 0 lines delivered, 3 not, 0 unknown"), err());
    }

    @ParameterizedTest
    @CsvSource({"TERM,143", "INT,130"})
    void whatWasReadIsDeliveredAfterASignal(final String signal, final int exitCode) throws Exception {
        final OutputStream in = send("--linger", "1h", "--batch-count", "1000000", "--batch-bytes", "10000000");
        final int lines = 4 * LINES_OF_A_PIPE;
        for (int i = 0; i < lines; i++) {
            in.write(bytes(LINE));
        }
        in.flush();
        // All but what is in the pipe was read.
        assumeTrue(!"INT".equals(signal) || !ignoresInterrupts());
        signal(signal);
        assertEnds(exitCode, "");
        final String committed = committed();
        assertEquals(LINE.repeat(committed.length() / LINE.length()), committed);
        assertTrue(committed.length() >= LINE.length() * (lines - LINES_OF_A_PIPE), "" + committed.length());
    }

    /** {@code Process.destroy} would close its standard input, too. */
    private void signal(final String signal) throws Exception {
        new ProcessBuilder("kill", "-" + signal, "" + process.pid()).start().waitFor();
    }

    /** A process that a shell started in the background does, and so do its children. */
    private boolean ignoresInterrupts() throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.split("\\s+")[1], 16) & SIGINT_BIT) != 0);
    }

    @Test
    void aPartOfALineIsNotSentAfterASignal() throws Exception {
        final OutputStream in = send("--linger", "10ms");
        in.write(bytes("whole\npart"));
        in.flush();
        Awaitility.await().atMost(PATIENCE).until(() -> "whole\n".equals(committed()));
        signal("TERM");
        assertEnds(Outcome.FAILED.exitCode(), "s2s: 1 lines delivered, 1 not, 0 unknown");
        assertEquals("whole\n", committed());
    }

    /** The command waits for 8 seconds. */
    @Test
    void whatNifiDoesNotTakeAfterASignalIsTold() throws Exception {
        final CountDownLatch stalled = server.stallsOnceBeforeItConfirms();
        final OutputStream in = send("--batch-count", "1");
        in.write(bytes("a\nb\n"));
        in.flush();
        assertTrue(stalled.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> server.committedContents().size() == 1);
        signal("TERM");
        assertTrue(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(Outcome.FAILED.exitCode(), process.exitValue(), err());
        assertTrue(err().contains("CLIENT_CLOSED"), err());
        assertTrue(err().endsWith("\ns2s: 1 lines delivered, 1 not, 0 unknown"), err());
    }

    @Test
    void moreThanFitsIntoMemoryWaitsInThePipe() throws Exception {
        final int lines = 1_000_000;
        long received = 0;
        try (OutputStream in = send()) {
            for (int i = 0; i < lines; i++) {
                in.write(bytes(LINE));
                if (i % LINES_OF_A_PIPE == 0) {
                    received += server.forgetCommitted();
                }
            }
        }
        assertEnds(0, "");
        assertEquals((long) lines * LINE.length(), received + server.forgetCommitted());
    }
}
