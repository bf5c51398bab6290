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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.engine.LoadRun.Measured;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.plan.Experiment.Trial;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Schedule;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.probe.Probe;
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
    private final Observer observer;
    private final Set<String> warm = new HashSet<>();
    private final Set<String> known = new HashSet<>();
    private Schedule planned;
    private Duration taken = Duration.ZERO;
    private int done;
    private int started;
    private String warming;

    /** Hears how it goes, on the command's thread. */
    public interface Observer {

        void onRun(Measured run);

        /** Something takes its time. */
        void onProgress(String text);
    }

    public Runner(
            final Experiment experiment,
            final Targets servers,
            final ShutdownHook interruption,
            final Observer observer) {
        this.experiment = experiment;
        this.servers = servers;
        this.interruption = interruption;
        this.observer = observer;
    }

    public void run() throws InterruptedException {
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
            measure(trial);
        }
    }

    private void startTargets(final int start) throws InterruptedException {
        if (start > 1) {
            observer.onProgress("start %d of %d of every NiFi ...".formatted(start, experiment.starts()));
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

    /** Measures a cell once, in all its repetitions. */
    public List<Measured> measure(final Trial trial) throws InterruptedException {
        final Cell cell = trial.cell();
        final boolean fresh = experiment.base().flag(Parameter.FRESH);
        final MeasuredTarget nifi = servers.of(cell);
        if (fresh) {
            warmUp(cell, experiment.base().time(Parameter.WARMUP));
        }
        final List<SuspendedProcess> paused = new ArrayList<>();
        final List<Measured> repetitions = new ArrayList<>();
        try {
            if (experiment.base().flag(Parameter.PAUSE)) {
                servers.others(nifi).forEach(process -> paused.add(SuspendedProcess.pause(process)));
            }
            observer.onProgress("%s%s, round %d ..."
                    .formatted(progress(), place(cell, trial.round(), 1).kind(), trial.round()));
            final long begun = System.nanoTime();
            if (!fresh) {
                lead(cell);
            }
            for (int repetition = 1;
                    repetition <= Math.max(1, cell.settings().number(Parameter.REPETITIONS));
                    repetition++) {
                if (!interruption.interrupted()) {
                    final List<Measured> runs = runRepetition(place(cell, trial.round(), repetition), cell, nifi);
                    repetitions.add(runs.getFirst());
                    done++;
                    runs.forEach(observer::onRun);
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
    private String progress() {
        return planned == null
                ? ""
                : "run %d of %d, %s left: "
                        .formatted(done + 1, planned.runs(), Schedule.minutes(planned.left(done, taken)));
    }

    private List<Measured> runRepetition(final Place place, final Cell cell, final MeasuredTarget nifi)
            throws InterruptedException {
        final Map<String, Double> metrics = new TreeMap<>();
        final List<Probe> probes = Probe.of(cell.settings(), nifi, interruption::interrupted);
        try {
            final Duration settle = experiment.base().time(Parameter.SETTLE);
            final Double idle = LoadRun.idlePercent(nifi.target().processes(), settle);
            for (final Probe probe : probes) {
                probe.before(metrics);
            }
            final List<Measured> runs = runWithAll(cell, place, idle);
            final Measured measured = runs.getFirst();
            for (final Probe probe : probes) {
                if (!interruption.interrupted()) {
                    probe.after(measured.outcome(), metrics);
                }
            }
            measured.result().probes().putAll(metrics);
            return runs;
        } finally {
            probes.forEach(Probe::close);
        }
    }

    /**
     * What runs right before a measurement leaves traces in its server: so that is the same load, whatever ran before. It runs
     * alone, without the probes and loads beside the measurement.
     */
    private void lead(final Cell cell) throws InterruptedException {
        final Duration time = experiment.base().time(Parameter.LEAD);
        if (!time.isZero() && !cell.settings().flag(Parameter.LARGE) && !interruption.interrupted()) {
            run(cell, place(cell, 0, 1), cell.settings().load().lasting(time), null);
        }
    }

    private void warmUp(final Cell cell, final Duration time) throws InterruptedException {
        if (!time.isZero() && !interruption.interrupted() && !warm.contains(warmKind(cell))) {
            if (!cell.column().equals(warming)) {
                warming = cell.column();
                observer.onProgress("warming up " + warming + " ...");
            }
            run(cell, place(cell, 0, 1), cell.settings().load().flatOutFor(time), null);
        }
    }

    private Measured run(final Cell cell, final Place place, final LoadSettings load, final Double idlePercent)
            throws InterruptedException {
        return new LoadRun(cell.settings(), servers.of(cell), isCold(place), interruption, LoadRun.Surroundings.NONE)
                .run(place, load, idlePercent);
    }

    /** A load with what is beside it and what happens to its server; its own measurement comes first. */
    private List<Measured> runWithAll(final Cell cell, final Place place, final Double idlePercent)
            throws InterruptedException {
        final MeasuredTarget target = servers.of(cell);
        final Events events = new Events(cell, place, target);
        final LoadRun load = new LoadRun(cell.settings(), target, isCold(place), interruption, events.surroundings());
        final List<Measured> runs = new ArrayList<>();
        try {
            runs.add(load.run(place, cell.settings().load(), idlePercent));
        } finally {
            events.end();
        }
        for (final Companion companion : events.companions) {
            runs.add(companion.await());
        }
        events.requireDone();
        return runs;
    }

    /** Events while a load runs: other loads begin with it and end with it, and its server has a fault. */
    private final class Events {

        private final Cell cell;
        private final Place place;
        private final MeasuredTarget target;
        private final List<Companion> companions = new ArrayList<>();
        private FaultInjector fault;

        Events(final Cell cell, final Place place, final MeasuredTarget target) {
            this.cell = cell;
            this.place = place;
            this.target = target;
        }

        LoadRun.Surroundings surroundings() {
            final boolean alone = cell.settings().beside().isEmpty();
            return new LoadRun.Surroundings(alone, generator -> begin(), this::end);
        }

        private void begin() {
            for (final Cell beside : cell.beside()) {
                final Place own = place(beside, place.round(), place.repetition());
                final LoadRun run =
                        new LoadRun(beside.settings(), target, isCold(own), interruption, LoadRun.Surroundings.NONE);
                companions.add(Companion.start(beside, own, run));
            }
            cell.settings()
                    .fault()
                    .ifPresent(planned -> fault = FaultInjector.start(planned, target, observer::onProgress));
        }

        private void end() {
            companions.forEach(Companion::stop);
            if (fault != null) {
                fault.loadEnded();
            }
        }

        private void requireDone() {
            if (fault != null) {
                fault.requireDone();
            }
        }
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
