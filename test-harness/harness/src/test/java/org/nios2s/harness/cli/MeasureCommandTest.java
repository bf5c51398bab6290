// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.S2sHarness;
import org.nios2s.harness.load.LoadServer;
import org.nios2s.harness.load.LoadServer.Script;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.ExperimentResult.Completion.State;
import org.nios2s.harness.result.Machine;
import org.nios2s.harness.result.ResultDirectory;
import picocli.CommandLine.ExitCode;

/** The commands that measure, against a scripted server, and what they refuse. Runs on the test's thread. */
@Timeout(300)
class MeasureCommandTest {

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final ProgressWatch errors = new ProgressWatch();
    private final List<HttpServer> web = new ArrayList<>();

    /** What a command says meanwhile; does something on the command's thread as soon as it has said some words. */
    private static final class ProgressWatch extends StringWriter {

        private String words;
        private Executable action;

        void on(final String awaited, final Executable wanted) {
            words = awaited;
            action = wanted;
        }

        @Override
        public void write(final String text, final int offset, final int length) {
            super.write(text, offset, length);
            if (action != null && toString().contains(words)) {
                final Executable once = action;
                action = null;
                assertDoesNotThrow(once);
            }
        }
    }

    @BeforeEach
    void aLockOfItsOwn() {
        System.setProperty("s2s.harness.lock", directory.resolve("lock").toString());
    }

    @Test
    void aMeasurementLeavesItsReportItsFiguresAndAFileThatRepeatsIt() throws IOException {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            assertEquals(ExitCode.OK, measure(server, "--vary", "packets=1,2"), errors::toString);

            final Path result = result();
            assertTrue(Files.exists(result.resolve("report.html")));
            final String version =
                    ResultDirectory.read(result).setup().machine().versions().get(Machine.NIFI);
            assertEquals("unknown", version, "nobody has asked the one that runs");
            assertTrue(out.toString().contains("| packets 2"), out.toString());
            assertTrue(
                    out.toString().contains("The listener that serves at 127.0.0.1:%d: nio.".formatted(server.port())));
            final int before = server.packetIds().size();
            assertEquals(ExitCode.OK, measure(server, result.toString()), errors::toString);
            assertTrue(server.packetIds().size() > before);
        }
    }

    @Test
    void aRuleThatComesTrueHasAnExitCodeOfItsOwn() throws IOException {
        try (LoadServer server = new LoadServer(Script.SLOW)) {
            assertEquals(3, measure(server, "--fail-if", "p50 > 50ms"), errors::toString);
            assertTrue(out.toString().contains("Threshold: p50 ms > 50.0 holds in"), out.toString());
            assertEquals(ExitCode.OK, measure(server, "--fail-if", "p50 > 50s"), errors::toString);
        }
    }

    @Test
    void aCiServerReadsWhatTheRulesSay() throws IOException {
        try (LoadServer server = new LoadServer(Script.SLOW)) {
            final Path junit = directory.resolve("junit.xml");
            final int code =
                    measure(server, "--fail-if", "p50 > 50ms", "--fail-if", "p50 > 50s", "--junit", junit.toString());

            assertEquals(3, code, errors::toString);
            final String report = Files.readString(junit);
            assertTrue(
                    report.contains("<testcase classname=\"measure\" name=\"not p50 ms &gt; 50.0\"><failure"), report);
            assertTrue(
                    report.contains("<testcase classname=\"measure\" name=\"not p50 ms &gt; 50,000.0\"></testcase>"),
                    report);
        }
    }

    @Test
    void aCiServerSeesAFailureWhereTheCommandFails() throws Exception {
        final Path junit = Files.writeString(directory.resolve("junit.xml"), "of yesterday");
        try (LoadServer server = new LoadServer(Script.CLOSE_INSTEAD_OF_FINISHING)) {
            final int port = server.port();
            errors.on("run 1 of 1", () -> assertFalse(Files.exists(junit), "it is not this run's " + port));
            assertEquals(ExitCode.SOFTWARE, measure(server, "--junit", junit.toString()));
            assertTrue(Files.readString(junit).contains("as it was sent\"><failure"), Files.readString(junit));
            assertTrue(Files.readString(junit).contains("name=\"complete\"></testcase>"), Files.readString(junit));
        }
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            errors.on("run 2 of 2", () -> {
                final Path result = result();
                Files.move(result, directory.resolve("moved"));
                Files.writeString(result, "no directory any more");
            });
            deleteResults();
            assertEquals(ExitCode.SOFTWARE, measure(server, "--vary", "packets=1,2", "--junit", junit.toString()));
            assertTrue(Files.readString(junit).contains("name=\"complete\"><failure"), Files.readString(junit));
        }
    }

    private void deleteResults() throws IOException {
        Files.move(directory.resolve("results"), directory.resolve("results-before"));
    }

    /** Hours of figures must not go with a disk that is full. */
    @Test
    void whatCannotBeKeptIsPrintedAllTheSame() throws IOException {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            errors.on("run 2 of 2", () -> {
                final Path result = result();
                Files.move(result, directory.resolve("moved"));
                Files.writeString(result, "no directory any more");
            });

            assertEquals(ExitCode.SOFTWARE, measure(server, "--vary", "packets=1,2"), errors::toString);
            assertTrue(out.toString().contains("| packets 1"), out.toString());
            assertTrue(out.toString().contains("not complete: Cannot write"), out.toString());
        }
    }

    @Test
    void aRuleOfAFileMayBeATextAlone() throws IOException {
        try (LoadServer server = new LoadServer(Script.SLOW)) {
            final Path file = Files.writeString(directory.resolve("mine.yaml"), "fail-if: 'p50 > 50ms'");
            assertEquals(3, measure(server, file.toString()), errors::toString);
        }
    }

    @Test
    void theResultIsThereAfterEveryRun() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            final AtomicReference<ExperimentResult> part = new AtomicReference<>();
            errors.on("run 2 of 3", () -> part.set(ResultDirectory.read(result())));
            assertEquals(ExitCode.OK, measure(server, "--vary", "packets=1,2,3"), errors::toString);

            assertEquals(State.RUNNING, part.get().completion().state());
            assertEquals(1, part.get().runs().size());
            assertEquals(3, ResultDirectory.read(result()).runs().size());
            assertEquals(
                    State.COMPLETE, ResultDirectory.read(result()).completion().state());
        }
    }

    @Test
    void aServerThatFailsEverythingIsAFailure() throws IOException {
        try (LoadServer server = new LoadServer(Script.CLOSE_INSTEAD_OF_FINISHING)) {
            assertEquals(ExitCode.SOFTWARE, measure(server));
        }
    }

    @Test
    void theLargestCountThatMeetsARuleIsFound() throws IOException {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            assertEquals(ExitCode.OK, search(server, "no-failure"), errors::toString);
            assertTrue(
                    out.toString().contains("nio: 4 clients meet the thresholds, more were not tried"), out.toString());
        }
    }

    @Test
    void noCountKeepsAPaceThatTheServerDoesNot() throws IOException {
        try (LoadServer server = new LoadServer(Script.SLOW)) {
            assertEquals(ExitCode.SOFTWARE, search(server, "keeps-pace"), errors::toString);
            assumeFalse(out.toString().contains("The search has no answer"), "others use this machine");
            assertTrue(out.toString().contains("nio: 0 clients meet the thresholds, 1 do not"), out.toString());
        }
    }

    @Test
    void aSearchWhoseServerLeavesIsNoSuccess() throws Exception {
        final LoadServer server = new LoadServer(Script.FAITHFUL);
        errors.on("searched, nio #1: ", server::close);

        assertEquals(ExitCode.SOFTWARE, search(server, "no-failure", 8, 64), out::toString);
        assertTrue(out.toString().contains("not complete: "), out.toString());
        assertTrue(out.toString().contains("nio: 8 clients meet the thresholds"), out.toString());
    }

    private int search(final LoadServer server, final String threshold) {
        return search(server, threshold, 2, 4);
    }

    private int search(final LoadServer server, final String threshold, final int first, final int most) {
        return run(
                "search",
                "--url",
                url(server),
                "--clients",
                Integer.toString(first),
                "--max",
                Integer.toString(most),
                "--interval",
                "50ms",
                "--duration",
                "400ms",
                "--stagger",
                "1ms",
                "--settle",
                "0s",
                "--lead",
                "0s",
                "--warmup",
                "0s",
                "--no-default-thresholds",
                "--threshold",
                threshold,
                "--results",
                directory.resolve("results").toString());
    }

    @Test
    void twoMeasurementsAtATimeAreRefused() throws IOException {
        try (MachineLock lock = MachineLock.take(false);
                LoadServer server = new LoadServer(Script.FAITHFUL)) {
            assertEquals(ExitCode.SOFTWARE, measure(server));
            assertTrue(errors.toString().contains("wait for it with --wait"), errors.toString());
            assertTrue(lock != null);
        }
    }

    @Test
    void whatMakesNoSenseIsWrongUsage() {
        assertRefused("clients must be between 1 and 60000, not 0", "--clients", "0");
        assertRefused("interval: 'soon' is not a time", "--interval", "soon");
        assertRefused("neither a file nor a preset; there are", "no-such-preset");
        assertRefused("reconnect true has no effect beside client nifi", "--reconnect", "--client", "nifi");
        assertRefused("'speed' is not a metric", "--fail-if", "speed > 5");
        assertRefused("'colour' is not a setting", "--vary", "colour=red");
        assertRefused("exclude each other", "--home", "x", "--url", "http://x");
        assertRefused("go together", "--url", "http://x", "--key-store", "x");
        assertRefused("is not a web address of a NiFi", "--url", "localhost");
    }

    @Test
    void presetsAreListedAndShown() {
        assertEquals(ExitCode.OK, run("measure", "--list"));
        assertTrue(out.toString().contains("slow-peers"), out.toString());
        assertEquals(ExitCode.OK, run("measure", "--show", "scale"));
        assertTrue(out.toString().contains("listener: [stock, nio]"), out.toString());
    }

    @Test
    void theVersionIsThatOfTheBuild() {
        assertEquals(ExitCode.OK, run("--version"));
        assertEquals(
                "s2s-harness " + Machine.versionsOfBuild().get("s2s-harness"),
                out.toString().strip());
    }

    @Test
    void helpFitsAScreenBeforeItsOptions() {
        assertEquals(ExitCode.OK, run("measure", "--help"));
        assertTrue(out.toString().startsWith("Usage: s2s-harness measure [OPTIONS] [PRESET|FILE]"), out.toString());
    }

    @Test
    void aScriptForTheShellCompletesTheCommands() {
        assertEquals(ExitCode.OK, run("generate-completion"));
        assertTrue(out.toString().contains("--no-default-thresholds"), "the options of search");
        assertTrue(out.toString().contains("'--processors'"), "what is started");
        assertTrue(out.toString().contains("'--interval'"), "what the clients do");
    }

    @Test
    void progressSaysHowManyRunsThereAreAndHowLongTheyTake() throws IOException {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            assertEquals(ExitCode.OK, measure(server, "--vary", "packets=1,2"), errors::toString);

            assertTrue(errors.toString().contains("run 1 of 2, "), errors.toString());
            assertTrue(errors.toString().contains("run 2 of 2, "), errors.toString());
        }
    }

    private void assertRefused(final String message, final String... arguments) {
        errors.getBuffer().setLength(0);
        final List<String> all = new ArrayList<>(
                List.of("measure", "--results", directory.resolve("r").toString()));
        all.addAll(List.of(arguments));
        assertEquals(ExitCode.USAGE, run(all.toArray(String[]::new)), errors::toString);
        assertTrue(errors.toString().contains(message), errors.toString());
    }

    private int measure(final LoadServer server, final String... more) {
        final List<String> arguments = new ArrayList<>(List.of(
                "measure",
                "--url",
                url(server),
                "--clients",
                "3",
                "--duration",
                "400ms",
                "--settle",
                "0s",
                "--lead",
                "0s",
                "--warmup",
                "0s",
                "--rounds",
                "1",
                "--results",
                directory.resolve("results").toString()));
        arguments.addAll(List.of(more));
        return run(arguments.toArray(String[]::new));
    }

    private int run(final String... arguments) {
        return S2sHarness.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(errors))
                .execute(arguments);
    }

    /** The web address of a NiFi whose RAW port is that of a server. */
    private String url(final LoadServer server) {
        final byte[] answer =
                "{\"controller\":{\"remoteSiteListeningPort\":%d,\"inputPorts\":[{\"id\":\"%s\",\"name\":\"input\"}]}}"
                        .formatted(server.port(), LoadServer.PORT_ID)
                        .getBytes(StandardCharsets.UTF_8);
        return assertDoesNotThrow(() -> {
            final HttpServer nifi = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            nifi.createContext("/nifi-api/site-to-site", exchange -> {
                try (exchange) {
                    exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, answer.length);
                    exchange.getResponseBody().write(answer);
                }
            });
            nifi.start();
            web.add(nifi);
            return "http://127.0.0.1:%d/nifi".formatted(nifi.getAddress().getPort());
        });
    }

    @AfterEach
    void noWebServerStays() {
        web.forEach(server -> server.stop(0));
    }

    private Path result() throws IOException {
        try (Stream<Path> results = Files.list(directory.resolve("results"))) {
            return results.findFirst().orElseThrow();
        }
    }
}
