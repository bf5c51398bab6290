// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.client.CliServer;

/** What {@code s2s send} does. Lives on the test's thread. */
class SendCommandTest {
    @TempDir
    private Path directory;

    private CliServer server;

    @BeforeEach
    void start() throws IOException {
        server = new CliServer();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private String file(final String name, final String content) throws IOException {
        return Files.writeString(directory.resolve(name), content).toString();
    }

    @Test
    void filesAreSentAndNamedAfterwards() throws Exception {
        final String a = file("a.txt", "first");
        final String b = file("b.txt", "");
        final Run run = Run.of(server.address(), "send", a, b, "--batch", "2");
        assertEquals(0, run.exitCode(), run::err);
        assertEquals(List.of(a, b), run.out());
        assertEquals(Map.of("a.txt", "first", "b.txt", ""), server.committed());
        assertTrue(run.err().startsWith("2 files sent, 0.0 MiB in "), run::err);
    }

    @Test
    void attributesAreSent() throws Exception {
        final Run run = Run.of(
                server.address(), "send", file("a.txt", "first"), "-a", "uuid=mine", "-a", "filename=other", "--quiet");
        assertEquals(0, run.exitCode(), run::err);
        assertEquals(List.of(Map.of("uuid", "mine", "filename", "other")), server.committedAttributes());
        assertEquals("", run.err());
    }

    @Test
    void whatIsRefusedIsOneLineAndOneExitCode() throws Exception {
        server.refusesThePort();
        final Run run = Run.of(server.address(), "send", "--quiet", file("a.txt", "first"));
        assertEquals(Outcome.FAILED.exitCode(), run.exitCode(), run::err);
        assertEquals(1, run.err().lines().count(), run::err);
        assertTrue(run.err().contains("UNKNOWN_PORT"), run::err);
        assertEquals(List.of(), run.out());
    }

    @Test
    void anUnknownOutcomeHasAnExitCodeOfItsOwn() throws Exception {
        server.hangsUpBeforeItSaysThatItFinished();
        final Run run = Run.of(server.address(), "send", "--quiet", file("a.txt", "first"));
        assertEquals(Outcome.UNKNOWN.exitCode(), run.exitCode(), run::err);
        assertEquals(List.of(), run.out());
    }

    @Test
    void nothingIsSentIfOneFileIsMissing() throws Exception {
        final String missing = directory.resolve("missing").toString();
        assertMistake(missing + " does not exist; nothing was sent", "send", file("a.txt", "first"), missing);
        assertEquals(Map.of(), server.committed());
    }

    @Test
    void theFileThatCanNotBeReadIsNamed() throws Exception {
        final String gone = file("b.txt", "second");
        server.whenItIsAskedOnce(() -> Files.deleteIfExists(Path.of(gone)));
        final Run run = Run.of(server.address(), "send", "--quiet", "--batch", "2", file("a.txt", "first"), gone);
        assertEquals(Outcome.FAILED.exitCode(), run.exitCode(), run::err);
        assertTrue(run.err().startsWith("s2s: " + gone + ": "), run::err);
        assertTrue(run.err().contains("CONTENT_FAILED"), run::err);
        assertEquals(1, run.err().lines().count(), run::err);
        assertEquals(Map.of(), server.committed());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void namesThatCanNotBePrintedEndTheCommand() throws Exception {
        final String last = file("a.txt", "first");
        final Process told = Run.process(server.address(), "send", "--quiet", last, file("b.txt", "second"))
                .redirectOutput(new File("/dev/full"))
                .start();
        final String err = new String(told.getErrorStream().readAllBytes());
        assertEquals(Outcome.FAILED.exitCode(), told.waitFor(), err);
        assertEquals(
                "s2s: Standard output takes no names of files: " + last + " is the last file that NiFi has",
                err.strip());
        assertEquals(Map.of("a.txt", "first"), server.committed());
    }

    @Test
    void aDirectoryIsNoFile() {
        assertMistake(directory + " is not a file; nothing was sent", "send", directory.toString());
    }

    @Test
    void noBatchIsEmpty() throws Exception {
        assertMistake("--batch is 0; accepted: 1 or more", "send", "--batch", "0", file("a.txt", ""));
    }

    @Test
    void linesAndFilesAreToldApart() throws Exception {
        final String file = file("a.txt", "");
        assertMistake("--lines reads standard input: give no FILE", "send", "--lines", file);
        assertMistake("--batch counts files; with --lines give --batch-count", "send", "--lines", "--batch", "2");
        for (final String option : List.of("--batch-bytes=3", "--batch-count=3", "--linger=3s")) {
            assertMistake("--batch-bytes, --batch-count and --linger go with --lines", "send", option, file);
        }
        assertMistake("--batch-bytes is 1; accepted: 2 to 67108864", "send", "--lines", "--batch-bytes", "1");
        assertMistake("--batch-count is 0; accepted: 1 to 100000000", "send", "--lines", "--batch-count", "0");
        assertMistake("--linger is PT-1S; accepted: 0s or more", "send", "--lines", "--linger=-1s");
        assertMistake("The attribute uuid can't be given", "send", "--lines", "-a", "uuid=mine");
    }

    @Test
    void aTimeNeedsAUnit() throws Exception {
        final Run run = Run.of(server.address(), "send", "--delivery-timeout", "30", file("a.txt", ""));
        assertEquals(Outcome.MISTAKE.exitCode(), run.exitCode());
        assertTrue(run.err().contains("'30' is not a duration; write 500ms, 30s, 2m or 1h"), run::err);
    }

    private void assertMistake(final String message, final String... arguments) {
        final Run run = Run.of(server.address(), arguments);
        assertEquals(Outcome.MISTAKE.exitCode(), run.exitCode(), run::err);
        assertTrue(run.err().startsWith("s2s: " + message), run::err);
        assertEquals(1, run.err().lines().count(), run::err);
    }
}
