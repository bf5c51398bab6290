// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.report.HtmlReport;
import org.nios2s.harness.result.Caveat;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.Headline;
import org.nios2s.harness.result.ResultDirectory;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.ScenarioResult;
import org.nios2s.harness.result.Verdict;
import org.nios2s.harness.scenario.BrokenRunException;
import org.nios2s.harness.scenario.LoadScenario.Measured;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The option that says where results go, and the result that comes of a command: the one way by which every scenario keeps
 * what it measured. For one thread.
 */
final class ResultsOption {

    /** Where results go in the project. */
    static final String DEFAULT = "results";

    private static final String BROKEN = "-broken";
    private static final long KIBIBYTE = 1024;

    /** Room for the CSVs, the logs and the report of some long runs. */
    private static final long LEAST_FREE_BYTES = 32 * KIBIBYTE * KIBIBYTE;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--results",
            paramLabel = "DIR",
            description = "Where the result's directory goes; default: " + DEFAULT + " in the project.")
    private Path parent;

    @Option(
            names = ConfigFile.OPTION,
            paramLabel = "FILE",
            description =
                    "Settings as lines 'name: value' of YAML, named as the options without dashes; the command line"
                            + " wins. The directory of an earlier result repeats it.")
    private Path config;

    private ResultDirectory directory;
    private ScenarioResult.Builder result;
    private boolean finished;

    /** Makes sure that results can be kept, before a measurement that would be lost. */
    void prepare() {
        final Path where = where();
        try {
            Files.createDirectories(where);
        } catch (final IOException e) {
            throw new HarnessException("Cannot make the directory " + where + " for results: " + e, e);
        }
        if (!Files.isWritable(where)) {
            throw new HarnessException("Cannot write results into " + where + ": choose another with --results");
        }
        checkSpace(where);
        result = ScenarioResult.builder(command.name());
    }

    private static void checkSpace(final Path where) {
        try {
            final long free = Files.getFileStore(where).getUsableSpace();
            if (free < LEAST_FREE_BYTES) {
                throw new HarnessException(
                        "The disk of %s has %,d KiB left, results may need %,d KiB: make room or choose another with --results"
                                .formatted(where, free / KIBIBYTE, LEAST_FREE_BYTES / KIBIBYTE));
            }
        } catch (final IOException e) {
            throw new HarnessException("Cannot tell how much room there is in " + where + ": " + e, e);
        }
    }

    /**
     * Keeps a run that counts, and writes its files.
     *
     * @param label    what the run is called, also the directory of its files; empty for the only run of a command
     * @param measured the run
     * @return the labelled run
     */
    RunResult add(final String label, final Measured measured) {
        final RunResult run =
                label.isEmpty() ? measured.result() : measured.result().labelled(label);
        result.run(run);
        try {
            directory().addRun(label, run.settings(), measured.outcome(), measured.latencies());
        } catch (final IOException e) {
            throw new HarnessException("Cannot write the files of a run into " + where() + ": " + e, e);
        }
        return run;
    }

    /** Says how it goes: on standard error, where the progress bar is. */
    void say(final String format, final Object... values) {
        command.commandLine().getErr().println(Words.of(format, values));
        command.commandLine().getErr().flush();
    }

    /** Adds a table to the result and prints it. */
    void table(final DataTable table) {
        result.table(table);
        command.commandLine().getOut().println(table.text());
    }

    /** Adds a chart to the result. */
    void chart(final Chart chart) {
        result.chart(chart);
    }

    /** Adds a sentence that one has to know beside the verdict, and prints it. */
    void remark(final String remark) {
        result.remark(remark);
        command.commandLine().getOut().println(remark);
    }

    /** Adds a figure that stands large at the top of the report. */
    void headline(final Headline headline) {
        result.headline(headline);
    }

    /** The runs that were kept so far. */
    List<RunResult> runs() {
        return result.runs();
    }

    /** Whether at least one run was kept, none with a failure and each with an exact ledger. */
    boolean flawless() {
        return flawless(run -> true);
    }

    /** Whether at least one run of a kind was kept, none of them with a failure and each with an exact ledger. */
    boolean flawless(final Predicate<RunResult> kind) {
        final List<RunResult> runs = runs().stream().filter(kind).toList();
        return !runs.isEmpty() && runs.stream().allMatch(RunResult::flawless);
    }

    /**
     * Writes the result and says where.
     *
     * @param verdict    what came out, in a sentence
     * @param completion whether this is all of it
     */
    void finish(final String verdict, final Completion completion) {
        finished = true;
        result.config(EffectiveConfig.of(command));
        final List<Caveat> caveats =
                Caveat.of(result.runs(), Runtime.getRuntime().availableProcessors());
        caveats.forEach(caveat -> remark(caveat.remark()));
        final String judged = Caveat.append(verdict, caveats);
        try {
            final ScenarioResult complete = result.build(judged, completion);
            directory().finish(complete);
            directory.write(HtmlReport.FILE, HtmlReport.of(complete));
        } catch (final IOException e) {
            throw new HarnessException("Cannot write the result into " + where() + ": " + e, e);
        }
        if (completion.state() != Completion.State.COMPLETE) {
            command.commandLine().getOut().println("not complete: " + completion.reason());
        }
        command.commandLine().getOut().println(judged);
        command.commandLine().getOut().println("report: " + directory.path().resolve(HtmlReport.FILE));
        command.commandLine().getOut().println("results: " + directory.path());
        command.commandLine().getOut().flush();
    }

    /**
     * Keeps the run in which something broke, if there is one and nothing was written yet.
     *
     * @param failure what broke
     */
    void keepBroken(final Exception failure) {
        if (failure instanceof final BrokenRunException broken && result != null && !finished) {
            add(broken.measured().result().label() + BROKEN, broken.measured());
        }
    }

    /**
     * Writes what there is when something broke in mid-run; does nothing when there is nothing, or when all was written.
     *
     * @param reason what broke
     */
    void fail(final String reason) {
        if (result != null && !finished && !result.runs().isEmpty()) {
            finish(
                    "It broke off. Until then: " + Verdict.of(result.runs()),
                    Completion.failed(reason + " These are the figures of a part."));
        }
    }

    /** A file of the command's own beside the result, not made yet. */
    Path file(final String name) {
        try {
            return directory().path().resolve(name);
        } catch (final IOException e) {
            throw new HarnessException("Cannot make a directory for the result in " + where() + ": " + e, e);
        }
    }

    private ResultDirectory directory() throws IOException {
        if (directory == null) {
            directory = ResultDirectory.create(where(), command.name());
        }
        return directory;
    }

    private Path where() {
        return parent == null ? ProjectDirectory.resolve(DEFAULT) : parent.toAbsolutePath();
    }
}
