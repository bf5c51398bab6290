// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.result.Range;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.GeneratorMetrics;

/**
 * A reason not to trust a metric too far: the generator was the limit, or the machine was too noisy. Immutable; any thread.
 *
 * @param brief  the reason in a few words, for the verdict
 * @param remark the reason with its figures, in a sentence
 */
public record Warning(String brief, String remark) {

    /** A thread that is busy for more of a second than this has no room left. */
    private static final double BUSY_THREAD_PERCENT = 90;

    /** The generator takes this much of all processors: there are none left to make more load. */
    private static final double BUSY_PROCESSORS_PERCENT = 90;

    /** Later than this is late: several times what timers and collectors of garbage cost. */
    private static final double LATE_MILLIS = 50;

    /** Others that take more than this of a processor are noise. */
    private static final double FOREIGN_PERCENT = 25;

    private static final double STOLEN_PERCENT = 10;

    /** Runs of the same work that lie further apart than this of their median are no repetition. */
    private static final double SPREAD_PERCENT = 20;

    private static final double PERCENT = 100;
    /** So many runs of either position; by chance three and three are apart once in ten times. */
    private static final int MIN_RUNS_OF_A_POSITION = 3;

    /** More kinds of runs or differences than these are counted and not listed. */
    private static final int MAX_LABELS = 4;

    /**
     * The warnings about the runs of an experiment on a machine of so many processors, worst first.
     *
     * @param shown whether a metric of a row is shown: of others nothing is said
     */
    static List<Warning> of(final List<RunResult> runs, final int processors, final BiPredicate<String, Metric> shown) {
        final Search search = new Search(runs, shown, new ArrayList<>());
        search.generator(processors);
        search.noise(processors);
        search.range();
        search.whole();
        search.order();
        search.position();
        return search.warnings();
    }

    /** A verdict with its warnings: one or two sentences. */
    public static String append(final String verdict, final List<Warning> warnings) {
        if (warnings.isEmpty()) {
            return verdict;
        }
        final Stream<String> reasons = warnings.stream().map(Warning::brief).distinct();
        return verdict + " But " + reasons.collect(Collectors.joining(", ")) + ".";
    }

    /** Whether the generator or the machine was the limit of a run, and not its target. */
    public static boolean isOfTheGenerator(final RunResult run, final int processors) {
        final GeneratorMetrics generator = run.generator();
        return generator.busiestThreadPercent() >= BUSY_THREAD_PERCENT
                || generator.cpuPercent() >= BUSY_PROCESSORS_PERCENT * processors
                || generator.lateP99Millis() != null && generator.lateP99Millis() > LATE_MILLIS
                || isNoisy(run);
    }

    private static boolean isNoisy(final RunResult run) {
        return run.disturbance() != null
                && (run.disturbance().foreignPercent() > FOREIGN_PERCENT
                        || run.disturbance().stolenPercent() > STOLEN_PERCENT);
    }

    /** All of them in a line for the top of a page; empty when there are none. */
    public static String line(final List<Warning> warnings) {
        return warnings.isEmpty()
                ? ""
                : warnings.stream().map(Warning::brief).distinct().collect(Collectors.joining(", ", "But ", "."));
    }

    /** Looks for warnings in runs. For one thread. */
    private record Search(List<RunResult> runs, BiPredicate<String, Metric> shown, List<Warning> warnings) {

        /** Says something of those runs of which a condition is true, if there are any: where, and how bad it is. */
        @SafeVarargs
        private void say(
                final String brief,
                final Predicate<RunResult> condition,
                final String remark,
                final Function<List<RunResult>, Object>... metrics) {
            final List<RunResult> concerned = runs.stream().filter(condition).toList();
            if (!concerned.isEmpty()) {
                final List<Object> words = new ArrayList<>(List.of(labels(concerned)));
                for (final Function<List<RunResult>, Object> metric : metrics) {
                    words.add(metric.apply(concerned));
                }
                warnings.add(new Warning(brief, Metric.words(remark, words.toArray())));
            }
        }

        private void generator(final int processors) {
            say(
                    "the load generator was the limit",
                    run -> run.generator().busiestThreadPercent() >= BUSY_THREAD_PERCENT
                            || run.generator().cpuPercent() >= BUSY_PROCESSORS_PERCENT * processors,
                    "The load generator was the limit in %s: its busiest thread took up to %.0f %% of a processor, all"
                            + " of it up to %.0f %%. The target may be able to do more.",
                    full -> most(full, run -> run.generator().busiestThreadPercent()),
                    full -> most(full, run -> run.generator().cpuPercent()));
            say(
                    "the load generator fell behind",
                    run -> run.generator().lateP99Millis() != null
                            && run.generator().lateP99Millis() > LATE_MILLIS,
                    "The load generator fell behind in %s: it began transactions up to %,.0f ms (p99) later than due,"
                            + " because it got too little of the processors. Times there are partly its own.",
                    late -> most(late, run -> run.generator().lateP99Millis()));
            say(
                    "the load generator read late",
                    run -> run.generator().loopP99Millis() != null
                            && run.generator().loopP99Millis() > LATE_MILLIS,
                    "The load generator read late in %s: its threads came up to %,.0f ms (p99) late to what was due. As much"
                            + " of the times there is its own.",
                    late -> most(late, run -> run.generator().loopP99Millis()));
        }

        private void noise(final int processors) {
            say(
                    "the processors were full",
                    run -> run.server() != null
                            && !run.settings().paced()
                            && run.server().cpuPercent() + run.generator().cpuPercent()
                                    >= BUSY_PROCESSORS_PERCENT * processors,
                    "The processors were full in %s, the load generator's share up to %.0f %% of one: rates are those of"
                            + " both together; the processor time of a transaction is the server's own.",
                    full -> most(full, run -> run.generator().cpuPercent()));
            say(
                    "the machine was noisy",
                    Warning::isNoisy,
                    "The machine was noisy in %s: processes that were not measured took up to %.0f %% of a processor,"
                            + " and the machine's host up to %.0f %%.",
                    disturbed -> most(disturbed, run -> run.disturbance().foreignPercent()),
                    disturbed -> most(disturbed, run -> run.disturbance().stolenPercent()));
        }

        private void range() {
            // By their settings, too: a search tries the same row with another count each time.
            final Map<List<Object>, List<RunResult>> repeated = runs.stream()
                    .collect(Collectors.groupingBy(
                            run -> List.of(run.place().kind(), run.settings()),
                            LinkedHashMap::new,
                            Collectors.toList()));
            final Map<String, Double> differences = new LinkedHashMap<>();
            for (final Metric metric : List.of(Metric.RATE, Metric.CPU)) {
                repeated.forEach((work, same) -> {
                    final double percent =
                            metric.range(same).map(Range::percent).orElse(0.0);
                    if (percent > SPREAD_PERCENT
                            && shown.test(same.getFirst().place().row(), metric)) {
                        differences.put(metric.title() + " (" + work.getFirst() + ")", percent);
                    }
                });
            }
            if (!differences.isEmpty()) {
                final String worst = differences.entrySet().stream()
                        .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                        .limit(MAX_LABELS)
                        .map(each -> Metric.words("%.0f %% in %s", each.getValue(), each.getKey()))
                        .collect(Collectors.joining(", by "));
                final int more = Math.max(0, differences.size() - MAX_LABELS);
                warnings.add(new Warning(
                        "runs of the same work differ widely",
                        Metric.words(
                                "Runs of the same work differ by %s%s of their median. The machine was noisy, or the servers were"
                                        + " not warm yet: smaller differences mean nothing here.",
                                worst, more == 0 ? "" : Metric.words(", and by less in %,d more,", more))));
            }
        }

        private void whole() {
            say(
                    "some runs were cold",
                    run -> run.execution().cold(),
                    "Nothing had warmed the target up before %s: the times there are in no median and no ratio.");
            say(
                    "some runs have no steady part",
                    run -> run.execution().window() != null
                            && !run.execution().window().usable(),
                    "In %s all clients were at work together for too short a time: rates and times there are those of"
                            + " the whole run, start and end included.");
            say(
                    "the pace was not kept",
                    run -> run.pacePercent() < RunResult.PACE_PERCENT,
                    "The pace was not kept in %s: down to %.0f %% of what was asked for. Times there would grow with the"
                            + " length of the run: they are in no median and no ratio.",
                    behind -> behind.stream()
                            .mapToDouble(Metric.PACE::orNull)
                            .min()
                            .orElseThrow());
            say(
                    "the ledger did not come to rest",
                    run -> run.ledger() != null && !run.ledger().settled(),
                    "The sink was still at work when the harness stopped to wait in %s: lost packets there may only be"
                            + " late, and their cost is not counted.");
        }

        private void order() {
            final long columns =
                    runs.stream().map(run -> run.place().column()).distinct().count();
            final int rounds =
                    runs.stream().mapToInt(run -> run.place().round()).max().orElse(0);
            if (columns > 1 && rounds % 2 != 0) {
                warnings.add(new Warning(
                        "the order is not balanced",
                        "With an odd number of rounds one target was measured first more often than the other."));
            }
        }

        /** Of two columns one is first in half of the rounds: runs that differ by that compare unlike states of their server. */
        private void position() {
            final Map<String, List<RunResult>> kinds = runs.stream()
                    .collect(Collectors.groupingBy(run -> run.place().kind(), LinkedHashMap::new, Collectors.toList()));
            final long columns =
                    runs.stream().map(run -> run.place().column()).distinct().count();
            final List<String> explained = new ArrayList<>();
            for (final Metric metric : List.of(Metric.RATE, Metric.P50, Metric.P99, Metric.CPU)) {
                kinds.forEach((kind, same) -> {
                    final Optional<Range> forwards = metric.range(inRounds(same, true));
                    final Optional<Range> backwards = metric.range(inRounds(same, false));
                    if (columns == 2
                            && forwards.isPresent()
                            && backwards.isPresent()
                            && areApart(forwards.get(), backwards.get())) {
                        explained.add(Metric.words(
                                "%s of %s (%s and %s)",
                                metric.title(),
                                kind,
                                metric.format(forwards.get().median()),
                                metric.format(backwards.get().median())));
                    }
                });
            }
            if (!explained.isEmpty()) {
                warnings.add(
                        new Warning(
                                "the position in a round explains a difference",
                                "Equal runs differ by whether they are the first or the second of their round: "
                                        + String.join("; ", explained)
                                        + ", in rounds that go in order and backwards. Each ratio there compares unlike states of a server."));
            }
        }

        private static List<RunResult> inRounds(final List<RunResult> same, final boolean forwards) {
            return same.stream()
                    .filter(run -> Experiment.isForwards(run.place().round()) == forwards)
                    .toList();
        }

        private static boolean areApart(final Range one, final Range other) {
            final boolean disjoint = one.min() > other.max() || other.min() > one.max();
            final double least = Math.min(one.median(), other.median());
            return disjoint
                    && Math.min(one.count(), other.count()) >= MIN_RUNS_OF_A_POSITION
                    && Math.max(one.median(), other.median()) > (1 + SPREAD_PERCENT / PERCENT) * least;
        }

        private static double most(final List<RunResult> runs, final ToDoubleFunction<RunResult> value) {
            return runs.stream().mapToDouble(value).max().orElseThrow();
        }

        /** Of many runs of a kind only the kind is named. */
        private String labels(final List<RunResult> concerned) {
            final Map<String, Long> counts = concerned.stream()
                    .collect(Collectors.groupingBy(
                            run -> run.place().kind(), LinkedHashMap::new, Collectors.counting()));
            if (counts.size() > MAX_LABELS) {
                return Metric.words(
                        "%d of %d runs, the first of them %s",
                        concerned.size(),
                        runs.size(),
                        counts.keySet().iterator().next());
            }
            return counts.entrySet().stream()
                    .map(kind -> Metric.words("%s (%d ×)", kind.getKey(), kind.getValue()))
                    .collect(Collectors.joining(", "));
        }
    }
}
