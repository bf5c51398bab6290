// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.report.HtmlReport;
import org.nios2s.harness.report.SideBySide;
import org.nios2s.harness.report.SvgChart;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.ResultDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Earlier results side by side, or the page of one again. Runs on the main thread. */
@Command(
        name = "report",
        description = {
            "Shows earlier results on one page: metrics side by side, charts overlaid.",
            "For one result it writes the report again. With --fail-if it is a gate.",
            "With --chart it draws metrics as one SVG, for a document: report DIR --chart p50,p99 -o latency.svg"
        },
        abbreviateSynopsis = true,
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ReportCommand implements Callable<Integer> {

    private static final String CHART_FILE = "chart.svg";

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", arity = "1..*", description = "Directories that commands left behind in results/.")
    private List<Path> directories;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description =
                    "The page, or the chart; default: report.html or chart.svg in a new directory of results/, or in"
                            + " DIR if there is only one.")
    private Path output;

    @Option(
            names = "--chart",
            paramLabel = "METRIC",
            split = ",",
            description = "Draws metrics as bars in one SVG, in place of the page; several by comma, as p50,p99.")
    private List<String> chart = List.of();

    @Option(
            names = "--rows",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "Of a chart: only rows that contain this text, as 'client nifi'.")
    private String rows;

    @Option(names = "--title", paramLabel = "TEXT", defaultValue = "", description = "Title of a chart.")
    private String title;

    @Option(names = "--note", paramLabel = "TEXT", defaultValue = "", description = "Line below the title of a chart.")
    private String note;

    @Option(
            names = "--call",
            paramLabel = "COLUMN=TEXT",
            description = "What a chart calls a target, as 'stock=NiFi listener'. May be repeated.")
    private Map<String, String> names = Map.of();

    @Option(
            names = "--fail-if",
            paramLabel = "RULE",
            description = "Of two results: exit code 3 if it is true of the medians of B by those of A in any row, as"
                    + " 'B/A: p99 > 1.2' or 'nio B/A: rate < 0.9'. May be repeated.")
    private List<String> thresholds = List.of();

    @Override
    public Integer call() {
        if (directories.size() > SideBySide.MAX_RESULTS) {
            final String count = "at most %d results, not %d".formatted(SideBySide.MAX_RESULTS, directories.size());
            throw new ParameterException(spec.commandLine(), count);
        }
        final Map<String, ExperimentResult> results = new LinkedHashMap<>();
        directories.forEach(directory -> results.put(directory.normalize().toString(), read(directory)));
        if (results.size() < directories.size()) {
            throw new ParameterException(spec.commandLine(), "a directory is named twice");
        }
        final ExperimentResult shown =
                results.size() == 1 ? results.values().iterator().next() : SideBySide.of(results);
        if (chart.isEmpty()) {
            requireNoChartOptions();
            final SideBySide.Gates gates = ParameterOptions.checked(spec, () -> SideBySide.gates(results, thresholds));
            write("report", HtmlReport.FILE, HtmlReport.of(shown));
            return said(gates);
        }
        if (!thresholds.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--fail-if is not checked with --chart: leave one out");
        }
        return write("chart", CHART_FILE, ParameterOptions.checked(spec, () -> draw(shown)));
    }

    private int said(final SideBySide.Gates gates) {
        gates.crossed().forEach(spec.commandLine().getOut()::println);
        gates.unchecked().forEach(spec.commandLine().getOut()::println);
        if (!gates.crossed().isEmpty()) {
            return ExperimentSession.THRESHOLD_CROSSED;
        }
        return gates.unchecked().isEmpty() ? ExitCode.OK : ExitCode.USAGE;
    }

    /** An option without an effect is refused. */
    private void requireNoChartOptions() {
        if (!(rows + title + note).isEmpty() || !names.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "--rows, --title, --note and --call are about a chart: add --chart METRIC");
        }
    }

    private String draw(final ExperimentResult shown) {
        final List<Metric> metrics = chart.stream().map(Metric::by).toList();
        return SvgChart.of(shown.runs(), metrics, rows, new SvgChart.Words(title, note, names));
    }

    private int write(final String what, final String name, final String text) {
        return HarnessException.attempt(e -> "Cannot write the " + what + ": " + e, () -> {
            final Path file = output == null ? defaultFile(name) : output.toAbsolutePath();
            Files.writeString(file, text);
            spec.commandLine().getOut().println(what + ": " + file);
            return ExitCode.OK;
        });
    }

    private Path defaultFile(final String name) throws IOException {
        if (directories.size() == 1) {
            return directories.getFirst().resolve(name);
        }
        final Path results = HarnessDirectory.resolve(HarnessDirectory.RESULTS);
        return ResultDirectory.create(results, spec.name()).path().resolve(name);
    }

    private static ExperimentResult read(final Path directory) {
        return HarnessException.attempt(
                e -> "There is no result of this harness in %s: %s".formatted(directory, e.getMessage()),
                () -> ResultDirectory.read(directory));
    }
}
