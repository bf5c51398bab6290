// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.plan.Experiment.Trial;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Schedule;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.probe.Probe;
import org.nios2s.harness.probe.Probes;
import org.nios2s.harness.result.RunResult.Place;
import org.nios2s.harness.target.MeasuredTarget;
import org.nios2s.harness.target.SuspendedProcess;
import org.nios2s.harness.target.Targets;

/**
 * Goes through an experiment: warms every target up, then measures in a balanced order, with everything that is not
 * measured standing still. Runs on the command's thread.
 */
public final class Runner {

    private final Experiment experiment;
    private final Targets servers;
    private final ShutdownHook interruption;
    private final Consumer<String> progress;
    private final Set<String> warm = new HashSet<>();
    private final Set<String> known = new HashSet<>();
    private Schedule planned;
    private Duration taken = Duration.ZERO;
    private int done;
    private int started;
    private String warming;

    /** @param progress hears of what takes its time */
    public Runner(
            final Experiment experiment,
            final Targets servers,
            final ShutdownHook interruption,
            final Consumer<String> progress) {
        this.experiment = experiment;
        this.servers = servers;
        this.interruption = interruption;
        this.progress = progress;
    }

    /** Measures everything; each run is handed over as soon as it has ended. */
    public void run(final Consumer<Measured> kept) throws InterruptedException {
        final int rounds = experiment.roundsOfAStart();
        planned = Schedule.of(experiment);
        for (final Trial trial : planned.trials()) {
            if (interruption.interrupted()) {
                return;
            }
            final int start = (trial.round() - 1) / rounds + 1;
            if (start > started) {
                startTargets(start);
            }
            measure(trial, kept);
        }
    }

    private void startTargets(final int start) throws InterruptedException {
        if (start > 1) {
            progress.accept("start %d of %d of every NiFi ...".formatted(start, experiment.starts()));
            servers.closeAll();
            warm.clear();
            known.clear();
        }
        started = start;
        prepare();
    }

    /**
     * Starts every target and warms it up, in turn: half of the time in order, half of it backwards. The rows of a target
     * share the time, each with its own number of clients, so that none is the first to have so many.
     */
    public void prepare() throws InterruptedException {
        if (experiment.base().flag(Parameter.FRESH)) {
            return;
        }
        final Map<String, Cell> kinds = new LinkedHashMap<>();
        experiment.cells().forEach(cell -> kinds.putIfAbsent(warmKind(cell), cell));
        final List<Cell> cells = new ArrayList<>(kinds.values());
        cells.forEach(servers::of);
        for (final List<Cell> order : List.of(cells, cells.reversed())) {
            for (final Cell cell : order) {
                final long rows = cells.stream()
                        .filter(each -> each.settings()
                                .targetSettings()
                                .equals(cell.settings().targetSettings()))
                        .count();
                warmUp(cell, experiment.base().time(Parameter.WARMUP).dividedBy(2 * rows));
            }
        }
        warm.addAll(kinds.keySet());
    }

    public boolean interrupted() {
        return interruption.interrupted();
    }

    /** Measures a cell once, in all its repetitions; each is handed over as soon as it has ended. */
    public List<Measured> measure(final Trial trial, final Consumer<Measured> kept) throws InterruptedException {
        final Cell cell = trial.cell();
        final boolean fresh = experiment.base().flag(Parameter.FRESH);
        final MeasuredTarget nifi = servers.of(cell);
        if (fresh) {
            warmUp(cell, experiment.base().time(Parameter.WARMUP));
        }
        final List<SuspendedProcess> paused = new ArrayList<>();
        final List<Measured> repetitions = new ArrayList<>();
        try {
            servers.others(nifi).forEach(process -> paused.add(SuspendedProcess.pause(process)));
            progress.accept("%s%s, round %d ..."
                    .formatted(left(), place(cell, trial.round(), 1).kind(), trial.round()));
            final long begun = System.nanoTime();
            if (!fresh) {
                lead(cell);
            }
            for (int repetition = 1;
                    repetition <= Math.max(1, cell.settings().number(Parameter.REPETITIONS));
                    repetition++) {
                if (!interruption.interrupted()) {
                    final Measured run = runRepetition(place(cell, trial.round(), repetition), cell, nifi);
                    repetitions.add(run);
                    done++;
                    kept.accept(run);
                }
            }
            taken = taken.plusNanos(System.nanoTime() - begun);
            return repetitions;
        } finally {
            paused.forEach(SuspendedProcess::close);
            if (fresh) {
                servers.close(cell);
            }
        }
    }

    /** How far it has come; nothing where nobody knows how many runs there will be. */
    private String left() {
        return planned == null
                ? ""
                : "run %d of %d, %s left: "
                        .formatted(done + 1, planned.runs(), Schedule.minutes(planned.left(done, taken)));
    }

    private Measured runRepetition(final Place place, final Cell cell, final MeasuredTarget nifi)
            throws InterruptedException {
        final Map<String, Double> metrics = new TreeMap<>();
        final List<Probe> probes = Probes.of(cell.settings(), nifi);
        try {
            Thread.sleep(experiment.base().time(Parameter.SETTLE));
            for (final Probe probe : probes) {
                probe.before(metrics);
            }
            final Measured measured = run(cell, place, cell.settings().load());
            for (final Probe probe : probes) {
                if (!interruption.interrupted()) {
                    probe.after(measured.outcome(), metrics);
                }
            }
            measured.result().probes().putAll(metrics);
            return measured;
        } finally {
            probes.forEach(Probe::close);
        }
    }

    /**
     * What runs right before a measurement leaves traces in its server: so that is the same load, whatever ran before. It runs
     * without the probes beside the measurement.
     */
    private void lead(final Cell cell) throws InterruptedException {
        final Duration time = experiment.base().time(Parameter.LEAD);
        if (!time.isZero() && !cell.settings().flag(Parameter.LARGE) && !interruption.interrupted()) {
            run(cell, place(cell, 0, 1), cell.settings().load().lasting(time));
        }
    }

    private void warmUp(final Cell cell, final Duration time) throws InterruptedException {
        if (!time.isZero() && !interruption.interrupted() && !warm.contains(warmKind(cell))) {
            if (!cell.column().equals(warming)) {
                warming = cell.column();
                progress.accept("warming up " + warming + " ...");
            }
            run(cell, place(cell, 0, 1), cell.settings().load().flatOutFor(time));
        }
    }

    private Measured run(final Cell cell, final Place place, final LoadSettings load) throws InterruptedException {
        return new LoadRun(cell.settings(), servers.of(cell), isCold(place), interruption).run(place, load);
    }

    /** Without a warm-up the first run of a row is one. What leads it, in round 0, counts as none. */
    private boolean isCold(final Place place) {
        if (place.round() == 0) {
            return false;
        }
        final boolean fresh = experiment.base().flag(Parameter.FRESH);
        final String kind = place.kind() + (fresh ? " #" + place.round() : "");
        return known.add(kind) && experiment.base().time(Parameter.WARMUP).isZero();
    }

    private static Place place(final Cell cell, final int round, final int repetition) {
        return new Place(cell.row(), cell.column(), round, repetition);
    }

    /** Another client, direction, number of clients or target finds other code cold. */
    private static String warmKind(final Cell cell) {
        final Settings settings = cell.settings();
        return Stream.of(Parameter.CLIENT, Parameter.DIRECTION, Parameter.GZIP, Parameter.LARGE, Parameter.CLIENTS)
                .map(settings::text)
                .collect(Collectors.joining(" ", settings.targetSettings() + " ", ""));
    }
}
