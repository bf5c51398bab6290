// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.S2sHarness;
import picocli.CommandLine;

/**
 * The commands about NiFi as far as they go without one.
 * On the test's thread.
 */
class NifiCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    @Test
    void everyCommandHasHelp() {
        for (final String command : new String[] {"start", "stop", "status"}) {
            assertEquals(CommandLine.ExitCode.OK, run("nifi", command, "--help"));
            assertTrue(out.toString().contains("--home"), out.toString());
        }
    }

    @Test
    void aHomeWithoutNifiIsReportedAsSuch() {
        assertEquals(CommandLine.ExitCode.SOFTWARE, run("nifi", "status", "--home", directory.toString()));
        assertTrue(err.toString().contains("No NiFi runs in " + directory), err.toString());
    }

    @Test
    void stoppingWhatDoesNotRunIsNoFailure() {
        assertEquals(CommandLine.ExitCode.OK, run("nifi", "stop", "--home", directory.toString()));
    }

    @Test
    void aFailureIsOneLineWithoutStackTrace() throws Exception {
        Files.writeString(directory.resolve("thesis.txt"), "precious");

        assertEquals(CommandLine.ExitCode.SOFTWARE, run("nifi", "start", "--home", directory.toString()));
        assertEquals(1, err.toString().lines().count(), err.toString());
        assertTrue(err.toString().startsWith("s2s-harness: "), err.toString());
    }

    @Test
    void freshDeletesNothingThatIsNotOfNifi() throws Exception {
        final Path thesis = Files.writeString(directory.resolve("thesis.txt"), "precious");

        assertEquals(CommandLine.ExitCode.SOFTWARE, run("nifi", "start", "--fresh", "--home", directory.toString()));
        assertEquals(1, err.toString().lines().count(), err.toString());
        assertTrue(Files.exists(thesis));
    }

    @Test
    void anUnknownListenerIsWrongUsage() {
        assertEquals(CommandLine.ExitCode.USAGE, run("nifi", "start", "--listener", "http"));
        assertTrue(err.toString().contains("none of stock, nio"), err.toString());
    }

    @Test
    void moreProcessorsThanThereAreAreWrongUsage() {
        assertEquals(CommandLine.ExitCode.USAGE, run("nifi", "start", "--processors", "100000"));
        assertTrue(err.toString().contains("processors 100000"), err.toString());
    }

    @Test
    void theNifiToStartIsNamedByDirectoryOrByVersion() {
        assertEquals(
                CommandLine.ExitCode.USAGE, run("nifi", "start", "--nifi-home", "nifi", "--nifi-version", "2.3.0"));
        assertTrue(err.toString().contains("nifi-home nifi has no effect beside nifi-version 2.3.0"), err.toString());
    }

    @Test
    void aDirectoryWithoutNifiIsOneLine() {
        assertEquals(
                CommandLine.ExitCode.SOFTWARE,
                run("nifi", "start", "--nifi-home", directory.toString(), "--home", directory.toString()));
        assertEquals(1, err.toString().lines().count(), err.toString());
        assertTrue(err.toString().contains(directory + " is not an installation of NiFi"), err.toString());
    }

    private int run(final String... arguments) {
        return S2sHarness.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
