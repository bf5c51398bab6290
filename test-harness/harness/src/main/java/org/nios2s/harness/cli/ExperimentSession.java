// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.analysis.Analysis;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.analysis.Threshold;
import org.nios2s.harness.analysis.Warning;
import org.nios2s.harness.engine.BrokenRunException;
import org.nios2s.harness.engine.LoadRun.Measured;
import org.nios2s.harness.engine.Runner;
import org.nios2s.harness.engine.ShutdownHook;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.MachineLimits;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.Processors;
import org.nios2s.harness.plan.Axis;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Presets;
import org.nios2s.harness.plan.Schedule;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.report.HtmlReport;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.ExperimentResult.Completion;
import org.nios2s.harness.result.ExperimentResult.Completion.State;
import org.nios2s.harness.result.ExperimentResult.Conclusion;
import org.nios2s.harness.result.ExperimentResult.Repeat;
import org.nios2s.harness.result.ExperimentResult.Setup;
import org.nios2s.harness.result.Machine;
import org.nios2s.harness.result.ObservedServer;
import org.nios2s.harness.result.ResultDirectory;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.target.MeasuredTarget;
import org.nios2s.harness.target.Target;
import org.nios2s.harness.target.Targets;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * One experiment from its checks to its report: takes the machine, starts what is measured, keeps what was found, also
 * when it ends early, and stops everything. Used on the command's thread, once.
 */
final class ExperimentSession implements Runner.Observer {

    /** Exit code when a threshold of the user says that the result is not good enough. */
    static final int THRESHOLD_CROSSED = 3;

    private static final Path PROCESSES = Path.of("/proc/self/status");
    private static final long GIBIBYTE = 1L << 30;
    private static final long RESULT_BYTES = 64L << 20;
    private static final int COPIES_OF_CONTENT = 3;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--results",
            paramLabel = "DIR",
            description =
                    "Where the result's directory goes; default: " + HarnessDirectory.RESULTS + " in the project.")
    private Path parent;

    @Option(
            names = "--plan",
            description = "Prints what would be measured, in which order and how long it takes, and starts nothing.")
    private boolean plan;

    @Option(names = "--wait", description = "Waits for another measurement on this machine to end.")
    private boolean wait;

    @Option(
            names = "--junit",
            paramLabel = "FILE",
            description = "Also writes the results of the thresholds as a JUnit report, for a CI server.")
    private Path junit;

    private final Map<String, Histogram> times = new LinkedHashMap<>();
    private final Instant begun = Instant.now();
    private boolean started;
    private final List<RunResult> runs = new ArrayList<>();
    private final Set<String> versions = new LinkedHashSet<>();
    private final List<DataTable> tables = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final List<String> misses = new ArrayList<>();
    private ResultDirectory directory;
    private String verdict;
    private Experiment measured;

    /** The work of a command with a runner. */
    @FunctionalInterface
    interface Work {
        void with(Experiment experiment, Runner runner, ShutdownHook interruption) throws InterruptedException;
    }

    /** Does the work of an experiment; returns the exit code. */
    int run(final Experiment wanted, final TargetOptions targets, final Work work) throws InterruptedException {
        check(wanted, targets);
        if (plan) {
            command.commandLine().getOut().println(Schedule.of(wanted).text(wanted));
            return ExitCode.OK;
        }
        requireSpace(results(), RESULT_BYTES);
        if (junit != null) {
            // One of an earlier run would speak for this one where this ends without a result.
            HarnessException.attempt(
                    e -> "Cannot delete an earlier JUnit report: " + e, () -> Files.deleteIfExists(junit));
        }
        final MachineLock lock = MachineLock.take(wait);
        try (lock;
                ShutdownHook interruption = ShutdownHook.install()) {
            final MeasuredTarget given = given(wanted, targets);
            final Experiment experiment = given == null ? wanted : servedBy(given, wanted);
            measured = experiment;
            RuntimeException failure = null;
            try (Targets servers = given == null ? startable(experiment) : Targets.given(given)) {
                final Runner runner = new Runner(experiment, servers, interruption, this);
                work.with(experiment, runner, interruption);
            } catch (final BrokenRunException e) {
                onRun(e.measured());
                failure = e;
            } catch (final RuntimeException e) {
                // Of whatever kind: hours of figures must not go with it.
                failure = e;
            }
            if (failure != null && runs.isEmpty()) {
                throw failure;
            }
            return finish(completion(interruption, failure));
        }
    }

    private static MeasuredTarget given(final Experiment wanted, final TargetOptions targets) {
        final LoadSettings first = wanted.cells().getFirst().settings().load();
        final boolean nifiClient = wanted.cells().stream()
                .anyMatch(cell -> cell.settings().word(Parameter.CLIENT, ClientKind.class) == ClientKind.NIFI);
        return targets.given(first.shape().direction(), nifiClient).orElse(null);
    }

    private static Completion completion(final ShutdownHook interruption, final RuntimeException failure) {
        if (interruption.interrupted()) {
            return Completion.INTERRUPTED;
        }
        if (failure == null) {
            return Completion.COMPLETE;
        }
        final String words = failure instanceof HarnessException ? failure.getMessage() : failure.toString();
        return new Completion(State.FAILED, words + " These figures are of a part of the runs.");
    }

    /** An experiment on the one target that the user named goes by the name of the listener that serves there. */
    private Experiment servedBy(final MeasuredTarget given, final Experiment wanted) {
        final Target target = given.target();
        final String listener = given.observe().listener();
        remarks.add("The listener that serves at %s: %s.".formatted(target.address(), listener));
        final String key = Parameter.LISTENER.key();
        if (listener.equals(ObservedServer.NONE)) {
            throw new HarnessException(
                    "The NiFi at %s has no threads of a Site-to-Site listener: see its logs/nifi-app.log"
                            .formatted(target.address()));
        }
        final boolean unknown = listener.equals(ObservedServer.UNKNOWN);
        final String setting = unknown ? ObservedServer.NIO : listener;
        return ParameterOptions.checked(command, () -> {
            final String named = wanted.base().explicit().get(key);
            if (named != null && !unknown && !named.equals(setting)) {
                throw new IllegalArgumentException("The listener that serves at %s is %s, not %s: leave --listener out"
                        .formatted(target.address(), setting, named));
            }
            final String secure = Boolean.toString(target.tls() != null);
            if (!secure.equals(wanted.base().explicit().getOrDefault(Parameter.SECURE.key(), secure))) {
                throw new IllegalArgumentException(
                        "secure %s does not agree with the socket at %s: leave it out; TLS there needs --key-store, --trust-store and --password"
                                .formatted(wanted.base().text(Parameter.SECURE), target.address()));
            }
            if (unknown && wanted.thresholds().stream().map(Threshold::parse).anyMatch(Threshold::namesListener)) {
                throw new IllegalArgumentException(
                        "A threshold names a listener, and it is not known which one serves at %s: write the threshold without its name"
                                .formatted(target.address()));
            }
            final Axis.Step only = new Axis.Step(listener, Map.of(key, setting), Map.of(), List.of());
            final Experiment served = wanted.with(key, setting).vary(new Axis(key, List.of(only)));
            Analysis.check(served, target.process() != null);
            return served;
        });
    }

    /** Verdict, misses and table where the runs alone do not give them; may be set again when there is more. */
    void say(final String words, final List<String> missed, final DataTable table) {
        verdict = words;
        misses.clear();
        misses.addAll(missed);
        tables.clear();
        tables.add(table);
    }

    private void check(final Experiment experiment, final TargetOptions targets) {
        ParameterOptions.checked(command, () -> {
            targets.check(experiment);
            for (final Cell cell : experiment.cells()) {
                final Settings settings = cell.settings();
                final int sockets = settings.load().clients()
                        + settings.number(Parameter.SLOW_PEERS)
                        + settings.number(Parameter.IDLE_PEERS);
                MachineLimits.check(sockets, settings.word(Parameter.CLIENT, ClientKind.class));
                Processors.ofThisMachine().check(settings.number(Parameter.PROCESSORS));
            }
            Analysis.check(experiment, targets.seesProcess());
            return experiment;
        });
    }

    private Targets startable(final Experiment experiment) {
        if (!Files.isReadable(PROCESSES)) {
            throw new HarnessException(
                    "This system has no /proc, through which a server's cost is measured: only --url and --target work here");
        }
        final List<NifiNode> left = HarnessDirectory.running(HarnessDirectory.measured());
        if (!left.isEmpty()) {
            final String processes =
                    left.stream().map(nifi -> Long.toString(nifi.info().pid())).collect(Collectors.joining(", "));
            throw new HarnessException(
                    "An earlier measurement was killed and left NiFi behind, process %s: end it with 'nifi stop --all'"
                            .formatted(processes));
        }
        final long servers = experiment.cells().stream()
                .map(cell -> cell.settings().targetSettings())
                .distinct()
                .count();
        final long content = experiment.cells().stream()
                .map(Cell::settings)
                .filter(settings -> settings.flag(Parameter.LARGE))
                .map(Settings::load)
                .mapToLong(load -> load.clients() * load.shape().size().largest())
                .max()
                .orElse(0);
        requireSpace(HarnessDirectory.measured(), servers * (GIBIBYTE / 2 + COPIES_OF_CONTENT * content));
        started = true;
        return Targets.started(HarnessDirectory.measured(), this::onProgress);
    }

    private static void requireSpace(final Path where, final long bytes) {
        HarnessException.attempt(e -> "Cannot use the directory " + where + ": " + e, () -> {
            Files.createDirectories(where);
            final long free = Files.getFileStore(where).getUsableSpace();
            final boolean writable = Files.isWritable(where);
            if (free < bytes || !writable) {
                final String trouble = writable ? "has too little room" : "can't be written to";
                throw new HarnessException(
                        "%s %s: %,d MiB are needed there, %,d are free; 'nifi clean' deletes old homes"
                                .formatted(where, trouble, bytes >> 20, free >> 20));
            }
        });
    }

    @Override
    public void onRun(final Measured repetition) {
        final RunResult run = repetition.result();
        runs.add(run);
        addTimes(repetition);
        Optional.ofNullable(run.execution().served()).map(ObservedServer::nifi).ifPresent(versions::add);
        HarnessException.attempt(e -> "Cannot write the files of a run into " + results() + ": " + e, () -> {
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
        onProgress(Metric.words(
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

    @Override
    public void onProgress(final String text) {
        command.commandLine().getErr().println(text);
    }

    private int finish(final Completion completion) {
        final PrintWriter out = command.commandLine().getOut();
        if (runs.isEmpty()) {
            out.println("Nothing was measured.");
            return ExitCode.SOFTWARE;
        }
        final Analysis analysis = new Analysis(measured, runs);
        final ExperimentResult result = result(completion);
        final Optional<String> lost = kept(() -> keep(result));
        out.println(HtmlReport.headline(result));
        out.println();
        result.tables().forEach(table -> {
            out.println(table.text());
            Optional.ofNullable(table.note()).ifPresent(out::println);
        });
        result.conclusion().remarks().forEach(out::println);
        if (!completion.complete()) {
            out.println("not complete: " + completion.reason());
        }
        out.println(result.conclusion().verdict());
        // Figures that could not be written have been said by now.
        lost.ifPresentOrElse(
                out::println, () -> out.println("report: " + directory.path().resolve(HtmlReport.FILE)));
        left().ifPresent(out::println);
        final List<String> flaws = verdict == null ? analysis.flaws() : misses;
        if (junit != null) {
            final List<String> incomplete = new ArrayList<>(lost.stream().toList());
            if (!completion.complete()) {
                incomplete.add(completion.reason());
            }
            final String report = JunitReport.of(measured.name(), incomplete, flaws, analysis.gates());
            HarnessException.attempt(
                    e -> "Cannot write the JUnit report: " + e, () -> Files.writeString(junit, report));
        }
        if (lost.isPresent()) {
            return ExitCode.SOFTWARE;
        }
        if (!analysis.crossedThresholds().isEmpty()) {
            return THRESHOLD_CROSSED;
        }
        if (completion.complete() && !analysis.uncheckedThresholds().isEmpty()) {
            return ExitCode.USAGE;
        }
        return flaws.isEmpty() && completion.complete() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private static Optional<String> kept(final Runnable write) {
        try {
            write.run();
            return Optional.empty();
        } catch (final HarnessException e) {
            return Optional.of(e.getMessage());
        }
    }

    /** What the NiFis that were started leave on the disk. */
    private Optional<String> left() {
        final long bytes = started ? HarnessDirectory.bytes(HarnessDirectory.measured()) : 0;
        return Optional.of(bytes >> 20)
                .filter(mebibytes -> mebibytes > 0)
                .map(mebibytes -> Metric.words(
                        "%,d MiB of the NiFis stay in %s: 'nifi clean' deletes them.",
                        mebibytes, HarnessDirectory.measured()));
    }

    /** The results so far. */
    private ExperimentResult result(final Completion completion) {
        final Analysis analysis = new Analysis(measured, runs, times);
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
                measured.name(),
                begun,
                new Setup(
                        Machine.current(versions),
                        config(measured),
                        new Repeat(commandLine(), Presets.write(measured))),
                completion,
                conclusion,
                shown,
                compared ? analysis.charts() : List.of(),
                analysis.runs(),
                analysis.comparisons());
    }

    /** As it was written, but for a password. */
    private String commandLine() {
        final List<String> words = new ArrayList<>(List.of("s2s-harness"));
        boolean secret = false;
        for (final String word : command.root().commandLine().getParseResult().originalArgs()) {
            final String shown = secret ? "…" : word.replaceAll("^--password=.*", "--password=…");
            secret = word.equals("--password");
            words.add(shown.matches("[\\w./:=,+%#@-]+|…") ? shown : "'" + shown + "'");
        }
        return String.join(" ", words);
    }

    private void keep(final ExperimentResult result) {
        HarnessException.attempt(e -> "Cannot write the result into " + results() + ": " + e, () -> {
            directory().finish(result);
            directory.write(Presets.RESULT_FILE, Presets.write(measured));
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

    private ResultDirectory directory() {
        if (directory == null) {
            directory = HarnessException.attempt(
                    e -> "Cannot make a directory for the result in " + results() + ": " + e,
                    () -> ResultDirectory.create(results(), command.name()));
        }
        return directory;
    }

    private Path results() {
        return parent == null ? HarnessDirectory.resolve(HarnessDirectory.RESULTS) : parent.toAbsolutePath();
    }
}
