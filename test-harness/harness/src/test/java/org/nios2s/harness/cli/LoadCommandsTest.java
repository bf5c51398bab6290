// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.S2sHarness;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** What scale, compare and demo refuse, and in which words. Runs on the test's thread. */
@Timeout(60)
class LoadCommandsTest {

    @TempDir
    private Path directory;

    private final StringWriter errors = new StringWriter();

    @Test
    void impossibleNumbersAreWrongUsage() {
        assertRefused(ExitCode.USAGE, "clients must be between 1 and 60000, not 0", "scale", "--clients", "0");
        assertRefused(ExitCode.USAGE, "transactions must be 1 or more, not 0", "scale", "--transactions", "0");
        assertRefused(ExitCode.USAGE, "packets must be between 1 and 1000000, not -5", "demo", "--packets", "-5");
        assertRefused(ExitCode.USAGE, "'soon' is no time", "compare", "--interval", "soon");
        assertRefused(ExitCode.USAGE, "--pairs must be between 1 and 100, not 0", "compare", "--pairs", "0");
        assertRefused(ExitCode.USAGE, "timeout must be longer than 0", "scale", "--timeout", "0s");
    }

    @Test
    void connectionsOfAKindNeedWhatCanMakeThem() {
        assertRefused(ExitCode.USAGE, "--reconnect needs --client wire", "scale", "--reconnect", "--client", "stock");
        assertRefused(ExitCode.USAGE, "--reconnect needs --client wire", "scale", "--reconnect", "--client", "nio");
        assertRefused(ExitCode.USAGE, "--secure is for a NiFi that is started", "scale", "--secure", "--home", "x");
    }

    @Test
    void clientsAreComparedWithNifisOwn() {
        assertRefused(
                ExitCode.USAGE,
                "--client names the one that NiFi's own is compared with",
                "compare-clients",
                "--client",
                "stock");
        assertRefused(ExitCode.USAGE, "--pairs must be between 1 and 100, not 0", "compare-clients", "--pairs", "0");
    }

    @Test
    void aTargetNeedsAPortAndItsInputPort() {
        assertRefused(ExitCode.USAGE, "--target needs HOST:PORT", "scale", "--target", "127.0.0.1");
        assertRefused(ExitCode.USAGE, "--target needs HOST:PORT", "scale", "--target", "127.0.0.1:80");
        assertRefused(
                ExitCode.USAGE,
                "a TCP port is between 1 and 65535, not 0",
                "scale",
                "--target",
                "127.0.0.1:0",
                "--port-id",
                "x");
        assertRefused(
                ExitCode.USAGE,
                "--client stock needs --api",
                "scale",
                "--client",
                "stock",
                "--target",
                "127.0.0.1:80",
                "--port-id",
                "x");
        assertRefused(
                ExitCode.USAGE,
                "exclude each other",
                "scale",
                "--home",
                "x",
                "--target",
                "127.0.0.1:80",
                "--port-id",
                "x");
    }

    @Test
    void anUnreachableTargetIsNamedAndLeavesNoResult() throws IOException {
        final String target = "127.0.0.1:" + unusedPort();

        assertRefused(
                ExitCode.SOFTWARE,
                "No transaction can begin at " + target + ", port x: ConnectException",
                "scale",
                "--target",
                target,
                "--port-id",
                "x",
                "--results",
                directory.toString());

        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(0, left.count());
        }
    }

    @Test
    void aHomeWithoutNiFiIsNamed() {
        assertRefused(
                ExitCode.SOFTWARE,
                "No NiFi of this harness runs in " + directory,
                "scale",
                "--home",
                directory.toString(),
                "--results",
                directory.resolve("results").toString());
    }

    @Test
    void aWebAddressIsCheckedBeforeAnythingStarts() throws IOException {
        final String url = "http://127.0.0.1:" + unusedPort();

        assertRefused(ExitCode.USAGE, "is no web address of a NiFi", "scale", "--url", "127.0.0.1");
        assertRefused(ExitCode.USAGE, "exclude each other", "scale", "--url", url, "--home", "x");
        assertRefused(ExitCode.USAGE, "--listener is for NiFis that are", "scale", "--url", url, "--listener", "nio");
        assertRefused(ExitCode.USAGE, "go together", "scale", "--url", url, "--key-store", "x");
        assertRefused(ExitCode.USAGE, "--port-name goes with --url", "scale", "--port-name", "x");
        assertRefused(ExitCode.SOFTWARE, "No NiFi answers at " + url, "scale", "--url", url);
    }

    @Test
    void aClusterIsStartedAndOfSomeNodes() {
        assertRefused(ExitCode.USAGE, "--nodes must be between 1 and 9, not 0", "scale", "--nodes", "0");
        assertRefused(ExitCode.USAGE, "--nodes is for a cluster that is", "scale", "--nodes", "2", "--home", "x");
        assertRefused(ExitCode.USAGE, "--nodes is for a cluster that is", "scale", "--nodes", "2", "--client", "nio");
    }

    @Test
    void aSearchNeedsPossibleBounds() {
        assertRefused(ExitCode.USAGE, "--quick goes with --until-failure", "scale", "--quick");
        assertRefused(
                ExitCode.USAGE,
                "--max-clients is 10, less than the 20 --clients",
                "scale",
                "--until-failure",
                "--clients",
                "20",
                "--max-clients",
                "10");
        assertRefused(ExitCode.USAGE, "--growth must be more than 1", "scale", "--until-failure", "--growth", "1");
    }

    @Test
    void timesAreReadWithTheirUnits() {
        final DurationConverter converter = new DurationConverter();

        assertEquals(Duration.ofMillis(10), converter.convert("10ms"));
        assertEquals(Duration.ZERO, converter.convert("0s"));
        assertEquals(Duration.ofMinutes(2), converter.convert(" 2 m"));
        assertEquals(Duration.ofHours(1), converter.convert("1h"));
    }

    private void assertRefused(final int exitCode, final String message, final String... arguments) {
        errors.getBuffer().setLength(0);
        final CommandLine commandLine = S2sHarness.commandLine().setErr(new PrintWriter(errors, true));
        final int actual = commandLine.execute(arguments);
        assertTrue(errors.toString().contains(message), errors.toString());
        assertEquals(exitCode, actual);
    }

    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
