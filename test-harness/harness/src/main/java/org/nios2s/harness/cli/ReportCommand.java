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
import org.nios2s.harness.report.HtmlReport;
import org.nios2s.harness.report.SideBySide;
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
            "For one result it writes the report again."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ReportCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", arity = "1..*", description = "Directories that commands left behind in results/.")
    private List<Path> directories;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description =
                    "The page; default: report.html in a new directory of results/, or in DIR if there is only one.")
    private Path output;

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
        return HarnessException.attempt(e -> "Cannot write the report: " + e, () -> {
            final Path page = output == null ? usualPage() : output.toAbsolutePath();
            Files.writeString(page, HtmlReport.of(shown));
            spec.commandLine().getOut().println("report: " + page);
            return ExitCode.OK;
        });
    }

    private Path usualPage() throws IOException {
        if (directories.size() == 1) {
            return directories.getFirst().resolve(HtmlReport.FILE);
        }
        final Path results = HarnessDirectory.resolve(HarnessDirectory.RESULTS);
        return ResultDirectory.create(results, spec.name()).path().resolve(HtmlReport.FILE);
    }

    private static ExperimentResult read(final Path directory) {
        return HarnessException.attempt(
                e -> "There is no result of this harness in %s: %s".formatted(directory, e.getMessage()),
                () -> ResultDirectory.read(directory));
    }
}
