// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.plan.Experiment.Cell;
import org.nios2s.harness.plan.Experiment.Trial;

/**
 * The plan of an experiment before it begins: its runs in their order, and about how long they take. Immutable,
 * any thread.
 *
 * @param trials    every measurement in its order
 * @param runs     repetitions of all of them
 * @param overhead starts of NiFi and what warms them up
 * @param estimate how long all of it takes, overhead included
 */
public record Schedule(List<Trial> trials, int runs, Duration overhead, Duration estimate) {

    /** A NiFi on two processors of its own, from its command to its first transaction, and its end. */
    private static final Duration START = Duration.ofSeconds(25);

    private static final Duration START_OF_NULL_SINK = Duration.ofSeconds(2);

    /** The ledger stands still, files are written. */
    private static final Duration AFTER_A_RUN = Duration.ofSeconds(2);

    /** A guess for large contents. */
    private static final long BYTES_PER_MILLI = 200_000;

    public Schedule {
        trials = List.copyOf(trials);
    }

    public static Schedule of(final Experiment experiment) {
        final List<Trial> trials = experiment.trials();
        Duration overhead = Duration.ZERO;
        Duration measured = Duration.ZERO;
        int runs = 0;
        final boolean fresh = experiment.base().flag(Parameter.FRESH);
        final Set<Settings> started = new HashSet<>();
        for (final Trial trial : trials) {
            final Settings settings = trial.cell().settings();
            if (started.add(settings.targetSettings()) || fresh) {
                final Duration once = startOf(settings).plus(experiment.base().time(Parameter.WARMUP));
                overhead = overhead.plus(fresh ? once : once.multipliedBy(experiment.starts()));
            }
            final int repetitions = Math.max(1, settings.number(Parameter.REPETITIONS));
            runs += repetitions;
            measured = measured.plus(experiment
                    .base()
                    .time(Parameter.SETTLE)
                    .plus(AFTER_A_RUN)
                    .plus(load(settings.load()))
                    .multipliedBy(repetitions)
                    .plus(hasLead(experiment, settings) ? experiment.base().time(Parameter.LEAD) : Duration.ZERO));
        }
        return new Schedule(trials, runs, overhead, overhead.plus(measured));
    }

    private static boolean hasLead(final Experiment experiment, final Settings settings) {
        return !experiment.base().flag(Parameter.FRESH) && !settings.flag(Parameter.LARGE);
    }

    private static Duration startOf(final Settings settings) {
        return settings.text(Parameter.SINK).equals("null") ? START_OF_NULL_SINK : START;
    }

    private static Duration load(final LoadSettings load) {
        final Duration ramp = load.stagger().multipliedBy(load.clients() - 1L);
        return load.duration().isZero()
                ? Duration.ofMillis(
                        load.totalTransactions() * load.shape().size().largest() / BYTES_PER_MILLI)
                : ramp.plus(load.duration());
    }

    /** How long the rest takes when so many runs have taken so long. */
    public Duration left(final int done, final Duration taken) {
        final Duration planned = estimate.minus(overhead);
        final Duration each = done == 0 ? planned.dividedBy(Math.max(1, runs)) : taken.dividedBy(done);
        return each.multipliedBy(Math.max(0, runs - done));
    }

    /** The whole schedule in words, to be read before it begins. */
    public String text(final Experiment experiment) {
        final List<Cell> cells = experiment.cells();
        final List<String> lines = new ArrayList<>();
        lines.add("%s: %s".formatted(experiment.name(), experiment.about()));
        lines.add("%d combinations:".formatted(cells.size()));
        for (final Cell cell : cells) {
            lines.add("  %s%s".formatted(named(cell), given(cell.settings())));
        }
        lines.add("in this order:");
        lines.add(rounds(true) + order(1));
        if (trials.getLast().round() > 1) {
            lines.add(rounds(false) + order(2));
        }
        if (!experiment.thresholds().isEmpty()) {
            lines.add("fails if: " + String.join("; ", experiment.thresholds()));
        }
        lines.add(String.format(Locale.ROOT, "%,d runs, about %s", runs, minutes(estimate)));
        return String.join(System.lineSeparator(), lines);
    }

    private String rounds(final boolean forwards) {
        return IntStream.rangeClosed(1, trials.getLast().round())
                .filter(round -> Experiment.isForwards(round) == forwards)
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(", ", "  round ", ": "));
    }

    private String order(final int round) {
        return trials.stream()
                .filter(trial -> trial.round() == round)
                .map(trial -> named(trial.cell()))
                .collect(Collectors.joining("; "));
    }

    private static String named(final Cell cell) {
        return cell.row().isEmpty() ? cell.column() : cell.row() + " / " + cell.column();
    }

    private static String given(final Settings settings) {
        return settings.explicit().entrySet().stream()
                .filter(entry -> Parameter.find(entry.getKey())
                        .filter(found -> found.scope() == Parameter.Scope.PLAN)
                        .isEmpty())
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", ", " (", ")"))
                .replace(" ()", "");
    }

    /** A time as one says it: seconds below two minutes, minutes above. */
    public static String minutes(final Duration time) {
        final long seconds = time.toSeconds();
        return seconds < 2 * 60 ? seconds + " s" : Math.round(seconds / 60.0) + " min";
    }
}
