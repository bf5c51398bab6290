// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.S2sHarness;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.ResultDirectory;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.Samples;
import picocli.CommandLine;

/** Pages and charts of results that are there. Runs on the test's thread. */
class ReportCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    @BeforeEach
    void keepResult() throws IOException {
        new ResultDirectory(directory).finish(Samples.comparison());
    }

    @Test
    void aChartIsOneFile() throws IOException {
        final Path chart = directory.resolve("p50.svg");

        final int code = report("--chart", "p50,p99", "-o", chart.toString(), "--title", "Waiting");

        assertEquals(0, code, err.toString());
        assertTrue(Files.readString(chart).startsWith("<svg "), "a chart");
        assertTrue(Files.readString(chart).contains(">Waiting</text>"), "its title");
        assertEquals("chart: " + chart, out.toString().strip());
    }

    @Test
    void aChartOfWhatIsNoMetricIsWrongUsage() {
        assertEquals(2, report("--chart", "p98"));
        assertTrue(err.toString().contains("'p98' is not a metric (did you mean 'p95'?)"), err.toString());
    }

    @Test
    void aResultIsAGateForAnother() throws IOException {
        final Path before = Files.createDirectory(directory.resolve("before"));
        final Path after = Files.createDirectory(directory.resolve("after"));
        new ResultDirectory(before).finish(Samples.comparison(1_000, 2_500));
        new ResultDirectory(after).finish(Samples.comparison(1_000, 2_000));
        final String page = directory.resolve("page.html").toString();

        assertEquals(3, gate(before, after, "nio B/A: rate < 0.9", page), err.toString());
        assertTrue(out.toString().contains("nio B/A: rate < 0.9 holds in nio: 0.80 ×"), out.toString());
        assertEquals(0, gate(before, after, "stock B/A: rate < 0.9", page), err.toString());
        assertEquals(3, gate(before, after, "B/A: rate < 0.9", page), err.toString());
        assertEquals(2, gate(before, after, "rate < 0.9", page));
        assertEquals(2, gate(before, after, "nioo B/A: rate < 0.9", page));
        assertEquals(2, report("--fail-if", "B/A: rate < 0.9"));
    }

    @Test
    void aRowThatNoLongerKeepsItsPaceIsNotExcusedFromAGate() throws IOException {
        final ExperimentResult kept = Samples.comparison(1_000, 1_000);
        final Path before = result("before", paced(kept, 1_000, 1_000));
        final Path after = result("after", paced(kept, 1_000, 3_000));

        assertEquals(3, gate(before, after, "nio B/A: p50 >= 1", page()), err.toString());
        assertTrue(out.toString().contains("holds in nio: 1.00 ×"), out.toString());
    }

    @Test
    void aRowThatTheSecondLacksIsSaidToBeUnchecked() throws IOException {
        final Path before = result("before", Samples.comparison(1_000, 2_500));
        final ExperimentResult whole = Samples.comparison(1_000, 2_500);
        final Path after = result("after", Samples.with(whole.runs().subList(0, 1), whole));

        assertEquals(2, gate(before, after, "B/A: rate < 0.9", page()), err.toString());
        assertTrue(out.toString().contains("B/A: rate < 0.9 was not checked in nio"), out.toString());
        assertEquals(3, gate(before, after, "B/A: rate < 1.1", page()), "what is crossed comes first");
        assertEquals(2, gate(before, before, "B/A: lost > 1", page()), "0 by 0 is no ratio");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "B/A: nio: rate < 0.9",
                "B/A: nio/stock: rate < 0.9",
                "B/A: p99 > 1.2s",
                "B/A: no-failure",
                "nio: B/A: rate < 0.9"
            })
    void aRuleThatWouldBeReadOtherwiseIsRefused(final String rule) throws IOException {
        final Path before = result("before", Samples.comparison(1_000, 2_500));
        final Path after = result("after", Samples.comparison(1_000, 2_000));

        assertEquals(2, gate(before, after, rule, page()), out.toString());
        assertEquals("", out.toString(), "a page was made");
    }

    @Test
    void aChartIsNoGate() {
        assertEquals(2, report("--chart", "p50", "--fail-if", "B/A: rate < 0.9"));
        assertTrue(err.toString().contains("--fail-if is not checked with --chart"), err.toString());
    }

    private static ExperimentResult paced(final ExperimentResult result, final double stock, final double nio) {
        final List<RunResult> runs = result.runs();
        return Samples.with(List.of(Samples.paced(stock, runs.getFirst()), Samples.paced(nio, runs.getLast())), result);
    }

    private Path result(final String name, final ExperimentResult result) throws IOException {
        final Path made = Files.createDirectory(directory.resolve(name));
        new ResultDirectory(made).finish(result);
        return made;
    }

    private String page() {
        return directory.resolve("page.html").toString();
    }

    private int gate(final Path before, final Path after, final String rule, final String page) {
        return execute("report", before.toString(), after.toString(), "--fail-if", rule, "-o", page);
    }

    @Test
    void whatIsAboutAChartIsRefusedWithoutOne() {
        assertEquals(2, report("--rows", "pull"));
        assertTrue(err.toString().contains("are about a chart: add --chart METRIC"), err.toString());
    }

    @Test
    void aDirectoryWithoutAResultIsToldInOneLine() {
        final int code = execute("report", directory.resolve("nothing").toString());

        assertEquals(1, code);
        assertEquals(1, err.toString().strip().lines().count(), err.toString());
        assertTrue(err.toString().contains("There is no result of this harness in "), err.toString());
    }

    private int report(final String... options) {
        final String[] arguments = new String[options.length + 2];
        arguments[0] = "report";
        arguments[1] = directory.toString();
        System.arraycopy(options, 0, arguments, 2, options.length);
        return execute(arguments);
    }

    private int execute(final String... arguments) {
        final CommandLine command = S2sHarness.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }
}
