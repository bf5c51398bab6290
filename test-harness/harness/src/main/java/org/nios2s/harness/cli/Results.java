// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.analysis.Analysis;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.analysis.Warning;
import org.nios2s.harness.engine.Measured;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.plan.Axis;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Presets;
import org.nios2s.harness.report.HtmlReport;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.ExperimentResult.Completion;
import org.nios2s.harness.result.ExperimentResult.Conclusion;
import org.nios2s.harness.result.ExperimentResult.Repeat;
import org.nios2s.harness.result.ExperimentResult.Setup;
import org.nios2s.harness.result.Machine;
import org.nios2s.harness.result.ObservedServer;
import org.nios2s.harness.result.ResultDirectory;
import org.nios2s.harness.result.RunResult;

/**
 * The findings of a command: its runs, and the files of them, written again after each. Used on the command's thread.
 */
final class Results {

    private final Experiment experiment;
    private final Path parent;
    private final String name;
    private final String commandLine;
    private final Consumer<String> progress;
    private final Instant begun = Instant.now();
    private final Map<String, Histogram> times = new LinkedHashMap<>();
    private final List<RunResult> runs = new ArrayList<>();
    private final Set<String> versions = new LinkedHashSet<>();
    private final List<String> remarks;
    private List<DataTable> tables = List.of();
    private List<String> misses = List.of();
    private ResultDirectory directory;
    private String verdict;

    /**
     * @param parent      where the directory is made with the first run
     * @param name        of the directory, behind the time
     * @param commandLine repeats the command
     * @param remarks     to be added to those on the runs
     * @param progress    hears of each run
     */
    Results(
            final Experiment experiment,
            final Path parent,
            final String name,
            final String commandLine,
            final List<String> remarks,
            final Consumer<String> progress) {
        this.experiment = experiment;
        this.parent = parent;
        this.name = name;
        this.commandLine = commandLine;
        this.remarks = List.copyOf(remarks);
        this.progress = progress;
    }

    boolean isEmpty() {
        return runs.isEmpty();
    }

    /** Verdict, misses and table where the runs alone do not give them; may be set again when there is more. */
    void say(final String words, final List<String> missed, final DataTable table) {
        verdict = words;
        misses = List.copyOf(missed);
        tables = List.of(table);
    }

    /** The reasons for which the command has failed. */
    List<String> flaws() {
        return verdict == null ? analysis().flaws() : misses;
    }

    Analysis analysis() {
        return new Analysis(experiment, runs, times);
    }

    void add(final Measured repetition) {
        final RunResult run = repetition.result();
        runs.add(run);
        addTimes(repetition);
        Optional.ofNullable(run.execution().served()).map(ObservedServer::nifi).ifPresent(versions::add);
        HarnessException.attempt(e -> "Cannot write the files of a run into " + parent + ": " + e, () -> {
            directory()
                    .addRun(
                            ResultDirectory.part(run.place()),
                            run.settings(),
                            repetition.outcome(),
                            repetition.latencies());
        });
        // After each one, so that a kill costs no more than the run in which it comes.
        keep(result(Completion.RUNNING));
        final Double p99 = Metric.P99.orNull(run);
        progress.accept(Metric.words(
                "%s: %,.0f tx/s%s, %,d failures%s",
                run.place(),
                run.load().transactionsPerSecond(),
                p99 == null ? "" : Metric.words(", p99 %,.1f ms", p99),
                run.load().failures(),
                run.ledger() == null || run.ledger().exact() ? "" : ", but the ledger is not exact"));
    }

    /** Those that tell of a server at its work, as in medians. */
    private void addTimes(final Measured repetition) {
        final Histogram own = repetition.outcome().histograms().get(Phase.RESPONSE);
        if (own != null && own.getTotalCount() > 0 && repetition.result().timesTell()) {
            times.computeIfAbsent(
                            repetition.result().place().kind(),
                            kind -> new Histogram(own.getNumberOfSignificantValueDigits()))
                    .add(own);
        }
    }

    /** The results so far. */
    ExperimentResult result(final Completion completion) {
        final Analysis analysis = analysis();
        final int processors = Runtime.getRuntime().availableProcessors();
        final boolean compared = verdict == null;
        final List<DataTable> shown = new ArrayList<>(tables);
        if (compared) {
            shown.addFirst(analysis.table());
            shown.addAll(analysis.furtherTables());
        }
        final List<Warning> warnings = analysis.warnings(processors);
        final List<String> said =
                new ArrayList<>(warnings.stream().map(Warning::remark).toList());
        analysis.trends().forEach(trend -> said.add(trend.sentence() + "."));
        runs.forEach(run -> run.load()
                .failuresByCause()
                .forEach((cause, count) -> said.add(Metric.words("%s failed: %,d × %s", run.place(), count, cause))));
        analysis.crossedThresholds().forEach(threshold -> said.add("Threshold: " + threshold + "."));
        if (completion.complete()) {
            analysis.uncheckedThresholds().forEach(threshold -> said.add("Threshold: " + threshold + "."));
        }
        said.addAll(remarks);
        final Conclusion conclusion = new Conclusion(
                compared ? analysis.sentence() : verdict,
                compared ? analysis.verdict(processors) : Warning.append(verdict, warnings),
                compared ? analysis.headlines() : List.of(),
                said,
                analysis.crossedThresholds(),
                Warning.line(warnings));
        return new ExperimentResult(
                experiment.name(),
                begun,
                new Setup(
                        Machine.current(versions),
                        config(experiment),
                        new Repeat(commandLine, Presets.write(experiment))),
                completion,
                conclusion,
                shown,
                compared ? analysis.charts() : List.of(),
                analysis.runs(),
                analysis.comparisons());
    }

    void keep(final ExperimentResult result) {
        HarnessException.attempt(e -> "Cannot write the result into " + parent + ": " + e, () -> {
            directory().finish(result);
            directory.write(Presets.RESULT_FILE, Presets.write(experiment));
            directory.write(HtmlReport.FILE, HtmlReport.of(result));
        });
    }

    private static Map<String, Object> config(final Experiment experiment) {
        final Map<String, Object> config = new LinkedHashMap<>();
        for (final Parameter parameter : Parameter.values()) {
            final String value = experiment.base().text(parameter);
            if (!value.isEmpty()) {
                config.put(parameter.key(), value);
            }
        }
        experiment.base().properties().forEach(config::put);
        for (final Axis axis : experiment.axes()) {
            config.put(axis.name(), axis.steps().stream().map(Axis.Step::label).collect(Collectors.joining(" | ")));
        }
        return config;
    }

    ResultDirectory directory() {
        if (directory == null) {
            directory = HarnessException.attempt(
                    e -> "Cannot make a directory for the result in " + parent + ": " + e,
                    () -> ResultDirectory.create(parent, name));
        }
        return directory;
    }
}
