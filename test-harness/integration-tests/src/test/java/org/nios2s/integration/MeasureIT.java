// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.nios2s.harness.S2sHarness;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.ResultDirectory;
import org.nios2s.harness.result.RunResult;
import picocli.CommandLine.ExitCode;

/**
 * Experiments of the harness with real NiFis, end to end: every run is of the load and the listener that it is named after,
 * every acknowledged packet is in its ledger, and the ratios of the table are those of the runs.
 * Runs on the thread of the tests; every experiment starts and stops its NiFis.
 */
@Order(Order.DEFAULT + 1)
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class MeasureIT {

    private static final String PROJECT = "s2s.harness.project";
    private static final List<String> LISTENERS = List.of("stock", "nio");
    private static final List<String> LOADS = List.of(
            "pushed",
            "at a pace",
            "beside slow peers",
            "beside idle peers",
            "large",
            "pulled compressed",
            "pulled",
            "repeated",
            "by NiFi's client",
            "as MiNiFi writes",
            "by the NIO client");
    private static final String RATE = "tx/s";
    private static final int LAPS = 2;

    private static String before;

    @TempDir
    private Path results;

    @BeforeAll
    static void homesBelowTarget() {
        before = System.setProperty(
                PROJECT, Path.of("target", "measured").toAbsolutePath().toString());
    }

    @AfterAll
    static void asItWas() {
        if (before == null) {
            System.clearProperty(PROJECT);
        } else {
            System.setProperty(PROJECT, before);
        }
    }

    @Test
    void eachLoadIsMeasuredOnEachListenerAndItsLedgerIsExact() throws IOException {
        final ExperimentResult result = measure(file("every-load.yaml"));

        final Set<String> expected = new HashSet<>();
        for (final String load : LOADS) {
            LISTENERS.forEach(listener -> expected.add(load + ", " + listener));
        }
        final Set<String> measured = new HashSet<>();
        for (final RunResult run : result.runs()) {
            measured.add(run.place().kind());
            assertTrue(run.flawless(), () -> run.place() + " failed: " + run);
            assertIsWhatItIsCalled(run);
        }
        assertEquals(expected, measured);
        assertEquals(LISTENERS.size() * (LOADS.size() - 1 + LAPS), result.runs().size());
        for (final String load : LOADS) {
            assertRatio(result, load);
        }
    }

    /** By what its settings and its probes say. */
    private static void assertIsWhatItIsCalled(final RunResult run) {
        final String load = run.place().row();
        final boolean pulled = load.startsWith("pulled");
        assertEquals(
                pulled ? Direction.PULL : Direction.PUSH, run.settings().shape().direction(), load);
        assertEquals(run.place().column(), run.execution().served().listener(), load);
        assertNotNull(run.server(), () -> run.place() + " has no figures of its server");
        switch (load) {
            case "at a pace" -> assertTrue(run.settings().paced());
            case "beside slow peers" -> assertEquals(3.0, run.probes().get("slow-peers"), load);
            case "beside idle peers" -> assertEquals(50.0, run.probes().get("idle-peers"), load);
            case "large" -> assertEquals(0, run.ledger().damaged().intValue(), load);
            case "pulled compressed" -> assertPulled(run, 100, true);
            case "pulled" -> assertPulled(run, 2_048, false);
            case "repeated" -> assertTrue(run.probes().get("live-heap") > 0, load);
            case "by NiFi's client" -> assertEquals("nifi", run.execution().client());
            case "as MiNiFi writes" -> assertEquals("minifi", run.execution().client());
            case "by the NIO client" -> assertEquals("nio", run.execution().client());
            default -> assertEquals("wire", run.execution().client(), load);
        }
        if (!load.equals("large")) {
            assertEquals(run.load().flowFiles(), run.ledger().acknowledged(), load);
            assertEquals(run.load().flowFiles(), run.ledger().arrived(), load);
        }
    }

    private static void assertPulled(final RunResult run, final int size, final boolean gzip) {
        assertEquals(gzip, run.settings().shape().gzip());
        assertEquals(run.load().flowFiles() * size, run.load().bytes());
    }

    /** The table's ratio of rates is that of the two runs, or of the medians of their laps. */
    private static void assertRatio(final ExperimentResult result, final String load) {
        final DataTable table = result.tables().getFirst();
        final List<String> head =
                table.columns().stream().map(DataTable.Column::title).toList();
        final List<Object> row = table.rows().stream()
                .filter(cells -> load.equals(cells.get(0)) && RATE.equals(cells.get(1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no rate of " + load + " in " + table.rows()));
        final double ratio = rate(result, load, "nio") / rate(result, load, "stock");
        final String text = String.valueOf(row.get(head.indexOf("nio / stock")));
        assertTrue(text.startsWith(String.format(Locale.ROOT, "%.2f ×", ratio)), () -> text + ", not " + ratio);
    }

    private static double rate(final ExperimentResult result, final String load, final String listener) {
        final double[] rates = result.runs().stream()
                .filter(run -> run.place().kind().equals(load + ", " + listener))
                .mapToDouble(run -> run.load().transactionsPerSecond())
                .sorted()
                .toArray();
        return (rates[(rates.length - 1) / 2] + rates[rates.length / 2]) / 2;
    }

    /** In two JVMs: a difference that the harness shows here is one that it makes. */
    @Test
    @Tag("full")
    void theSameListenerBesideItselfShowsNoDifference() throws IOException {
        final ExperimentResult result = measure("same-twice");

        assertEquals("No difference is shown in this run.", result.conclusion().sentence(), () -> result.tables()
                .getFirst()
                .text());
    }

    @Test
    @Tag("full")
    void manyPortsAreMeasured() throws IOException {
        for (final RunResult run : measure(file("other-targets.yaml")).runs()) {
            assertTrue(run.flawless(), () -> run.place() + " failed: " + run);
            assertTrue(run.probes().get("triggers") > 0, run::toString);
        }
    }

    private static String file(final String name) {
        return Path.of("src", "test", "resources", name).toString();
    }

    private ExperimentResult measure(final String experiment) throws IOException {
        final StringWriter out = new StringWriter();
        final List<String> arguments = List.of("measure", experiment, "--wait", "--results", results.toString());

        final int code = S2sHarness.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out))
                .execute(arguments.toArray(String[]::new));

        assertEquals(ExitCode.OK, code, out::toString);
        try (Stream<Path> directories = Files.list(results)) {
            final ExperimentResult result =
                    ResultDirectory.read(directories.findFirst().orElseThrow());
            assertTrue(result.completion().complete(), out::toString);
            return result;
        }
    }
}
