// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.analysis.Analysis;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.analysis.Threshold;
import org.nios2s.harness.engine.BrokenRunException;
import org.nios2s.harness.engine.Runner;
import org.nios2s.harness.engine.ShutdownHook;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.MachineLimits;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.Processors;
import org.nios2s.harness.plan.Axis;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Schedule;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.report.HtmlReport;
import org.nios2s.harness.result.ExperimentResult;
import org.nios2s.harness.result.ExperimentResult.Completion;
import org.nios2s.harness.result.ExperimentResult.Completion.State;
import org.nios2s.harness.result.ObservedServer;
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
final class ExperimentSession {

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

    private boolean started;

    /** The work of a command with a runner. */
    @FunctionalInterface
    interface Work {
        void with(Experiment experiment, Runner runner, Results results) throws InterruptedException;
    }

    /** Measures all of an experiment; returns the exit code. */
    int measure(final Experiment wanted, final TargetOptions targets) throws InterruptedException {
        return run(wanted, targets, (experiment, runner, results) -> runner.run(results::add));
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
            final ObservedServer seen = given == null ? null : given.observe();
            final Experiment experiment = given == null ? wanted : servedBy(given.target(), seen.listener(), wanted);
            final Results results = results(experiment, given, seen);
            RuntimeException failure = null;
            try (Targets servers = given == null ? startable(experiment) : Targets.given(given)) {
                final Runner runner = new Runner(experiment, servers, interruption, this::say);
                work.with(experiment, runner, results);
            } catch (final BrokenRunException e) {
                results.add(e.measured());
                failure = e;
            } catch (final RuntimeException e) {
                // Of whatever kind: hours of figures must not go with it.
                failure = e;
            }
            // Ctrl-C ends NiFi, too, and what fails then is no news.
            if (failure != null && results.isEmpty() && !interruption.interrupted()) {
                throw failure;
            }
            return finish(results, completion(interruption, failure));
        }
    }

    private Results results(final Experiment experiment, final MeasuredTarget given, final ObservedServer seen) {
        final List<String> remarks = given == null
                ? List.of()
                : List.of("The listener that serves at %s: %s."
                        .formatted(given.target().address(), seen.listener()));
        return new Results(experiment, results(), command.name(), commandLine(), remarks, this::say);
    }

    private static MeasuredTarget given(final Experiment wanted, final TargetOptions targets) {
        final LoadSettings first = wanted.cells().getFirst().settings().load();
        return targets.given(first.shape().direction()).orElse(null);
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
    private Experiment servedBy(final Target target, final String listener, final Experiment wanted) {
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
                    "This system has no /proc, through which a server's cost is measured: only --url works here");
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
        return Targets.started(HarnessDirectory.measured(), this::say);
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

    private void say(final String text) {
        command.commandLine().getErr().println(text);
    }

    private int finish(final Results results, final Completion completion) {
        if (results.isEmpty()) {
            command.commandLine().getOut().println("Nothing was measured.");
            return ExitCode.SOFTWARE;
        }
        final Analysis analysis = results.analysis();
        final ExperimentResult result = results.result(completion);
        final Optional<String> lost = kept(() -> results.keep(result));
        print(
                result,
                lost.orElseGet(() -> "report: " + results.directory().path().resolve(HtmlReport.FILE)));
        final List<String> flaws = results.flaws();
        if (junit != null) {
            final List<String> incomplete = new ArrayList<>(lost.stream().toList());
            if (!completion.complete()) {
                incomplete.add(completion.reason());
            }
            final String report = JunitReport.of(result.experiment(), incomplete, flaws, analysis.gates());
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

    /** @param kept where the result is, or the reason for which it is nowhere */
    private void print(final ExperimentResult result, final String kept) {
        final PrintWriter out = command.commandLine().getOut();
        // First, since what follows is about a part of the runs.
        if (!result.completion().complete()) {
            out.println("not complete: " + result.completion().reason());
        }
        out.println(HtmlReport.headline(result));
        out.println();
        result.tables().forEach(table -> {
            out.println(table.text());
            Optional.ofNullable(table.note()).ifPresent(out::println);
        });
        result.conclusion().remarks().forEach(out::println);
        out.println(result.conclusion().verdict());
        out.println(kept);
        left().ifPresent(out::println);
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

    private Path results() {
        return parent == null ? HarnessDirectory.resolve(HarnessDirectory.RESULTS) : parent.toAbsolutePath();
    }
}
