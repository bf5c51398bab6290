// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.nios2s.harness.load.LoadSettings;

/**
 * A reason not to trust a figure too far: the generator was the limit, or the machine was too noisy. Immutable, any thread.
 *
 * @param brief  the reason in a few words, for the verdict
 * @param remark the reason with its figures, in a sentence
 */
public record Caveat(String brief, String remark) {

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
    private static final String GENERATOR = "the load generator was the limit";
    private static final String BEHIND = "the load generator fell behind";
    private static final String NOISE = "the machine was noisy";
    private static final String SPREAD = "runs of the same work differ widely";

    /**
     * What is to be said of runs.
     *
     * @param runs       the runs of a scenario
     * @param processors of the machine
     * @return the caveats, worst first; empty when the figures can be trusted
     */
    public static List<Caveat> of(final List<RunResult> runs, final int processors) {
        final List<Caveat> caveats = new ArrayList<>();
        generator(runs, processors, caveats);
        noise(runs, caveats);
        spread(runs, caveats);
        return caveats;
    }

    /**
     * A verdict with its caveats.
     *
     * @param verdict a sentence
     * @param caveats what is to be said of it
     * @return one or two sentences
     */
    public static String append(final String verdict, final List<Caveat> caveats) {
        return caveats.isEmpty()
                ? verdict
                : caveats.stream()
                        .map(Caveat::brief)
                        .distinct()
                        .collect(Collectors.joining(", ", verdict + " But ", "."));
    }

    private static void generator(final List<RunResult> runs, final int processors, final List<Caveat> caveats) {
        final List<RunResult> full = matching(
                runs,
                run -> run.generator() != null
                        && (run.generator().busiestThreadPercent() >= BUSY_THREAD_PERCENT
                                || run.generator().cpuPercent() >= BUSY_PROCESSORS_PERCENT * processors));
        if (!full.isEmpty()) {
            caveats.add(new Caveat(
                    GENERATOR,
                    words(
                            "The load generator was the limit in %s: its busiest thread took up to %.0f %% of a processor, all"
                                    + " of it up to %.0f %%. The target may be able to do more.",
                            labels(full),
                            most(full, run -> run.generator().busiestThreadPercent()),
                            most(full, run -> run.generator().cpuPercent()))));
        }
        final List<RunResult> late = matching(
                runs,
                run -> run.generator() != null
                        && run.generator().lateP99Millis() != null
                        && run.generator().lateP99Millis() > LATE_MILLIS);
        if (!late.isEmpty()) {
            caveats.add(new Caveat(
                    BEHIND,
                    words(
                            "The load generator fell behind in %s: it began transactions up to %,.0f ms (p99) later than due,"
                                    + " because it got too little of the processors. Times there are partly its own.",
                            labels(late), most(late, run -> run.generator().lateP99Millis()))));
        }
    }

    private static void noise(final List<RunResult> runs, final List<Caveat> caveats) {
        final List<RunResult> disturbed = matching(
                runs,
                run -> run.disturbance() != null
                        && (run.disturbance().foreignPercent() > FOREIGN_PERCENT
                                || run.disturbance().stolenPercent() > STOLEN_PERCENT));
        if (!disturbed.isEmpty()) {
            caveats.add(new Caveat(
                    NOISE,
                    words(
                            "The machine was noisy in %s: processes that were not measured took up to %.0f %% of a processor,"
                                    + " and the machine's host up to %.0f %%.",
                            labels(disturbed),
                            most(disturbed, run -> run.disturbance().foreignPercent()),
                            most(disturbed, run -> run.disturbance().stolenPercent()))));
        }
    }

    /** The same work, several times: how far apart its rates lie. */
    private record Work(String kind, String listener, String client, LoadSettings settings) {}

    private static void spread(final List<RunResult> runs, final List<Caveat> caveats) {
        final Map<Work, List<RunResult>> repeated = runs.stream()
                .collect(Collectors.groupingBy(
                        run -> new Work(run.kind(), run.listener(), run.client(), run.settings()),
                        LinkedHashMap::new,
                        Collectors.toList()));
        final List<String> differences = new ArrayList<>();
        for (final Figure figure : List.of(Figure.RATE, Figure.SERVER_CPU)) {
            repeated.forEach((work, same) -> {
                final double percent = spreadPercent(figure, same);
                if (percent > SPREAD_PERCENT) {
                    differences.add(words("%.0f %% in %s (%s)", percent, figure.title(), labels(same)));
                }
            });
        }
        if (!differences.isEmpty()) {
            caveats.add(new Caveat(
                    SPREAD,
                    words(
                            "Runs of the same work differ by %s of their median. The machine was noisy, or the servers were not"
                                    + " warm yet: smaller differences mean nothing here.",
                            String.join(", by ", differences))));
        }
    }

    private static double spreadPercent(final Figure figure, final List<RunResult> runs) {
        final double[] values = runs.stream()
                .map(figure::of)
                .filter(OptionalDouble::isPresent)
                .mapToDouble(OptionalDouble::getAsDouble)
                .sorted()
                .toArray();
        final double median = values.length == 0 ? 0 : values[values.length / 2];
        return values.length < 2 || median == 0 ? 0 : PERCENT * (values[values.length - 1] - values[0]) / median;
    }

    private static List<RunResult> matching(final List<RunResult> runs, final Predicate<RunResult> condition) {
        return runs.stream().filter(condition).toList();
    }

    private static double most(final List<RunResult> runs, final ToDoubleFunction<RunResult> value) {
        final DoubleSummaryStatistics statistics =
                runs.stream().mapToDouble(value).summaryStatistics();
        return statistics.getMax();
    }

    private static String labels(final List<RunResult> runs) {
        return runs.stream().map(RunResult::label).distinct().collect(Collectors.joining(", "));
    }

    private static String words(final String format, final Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
