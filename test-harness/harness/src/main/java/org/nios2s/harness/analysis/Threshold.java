// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.RunResult;

/**
 * A condition on runs: a metric compared with a number, such as {@code p99 < 50ms} or {@code nio: failures > 0}, a ratio, such
 * as {@code nio/stock: rate < 1.5}, or one of the words {@code no-failure} and {@code keeps-pace}. Immutable; any thread.
 *
 * @param whose    settings of the runs that it is about; empty for all
 * @param against  settings of the runs by whose metric it divides; empty when it is about no ratio
 * @param metric   what is compared
 * @param operator how
 * @param limit    with what, in the metric's unit
 */
public record Threshold(
        Map<String, String> whose, Map<String, String> against, Metric metric, Operator operator, double limit) {

    private static final Pattern RULE =
            Pattern.compile("(?:([^:<>]+):)?\\s*([\\w-]+)\\s*(<=|>=|<|>|=)\\s*([\\d.]+)\\s*(%|ms|s|m|h|b|k|g|)\\s*");
    private static final List<String> LISTENERS = List.of("nio", "stock");
    private static final List<String> OF_SERVER =
            List.of("cpu", "server-percent", "threads", "rss", "live-heap", "rss-after");
    private static final List<String> OF_LEDGER = List.of("lost", "duplicated", "damaged");
    private static final String NO_FAILURE = "no-failure";
    private static final String KEEPS_PACE = "keeps-pace";

    /** How a metric is compared. */
    public enum Operator {
        LESS("<", (value, limit) -> value < limit),
        AT_MOST("<=", (value, limit) -> value <= limit),
        MORE(">", (value, limit) -> value > limit),
        AT_LEAST(">=", (value, limit) -> value >= limit),
        EQUAL("=", (value, limit) -> value.doubleValue() == limit);

        private final String sign;
        private final BiPredicate<Double, Double> comparison;

        Operator(final String sign, final BiPredicate<Double, Double> comparison) {
            this.sign = sign;
            this.comparison = comparison;
        }

        private static Operator of(final String sign) {
            return Stream.of(values())
                    .filter(operator -> operator.sign.equals(sign))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Reads a threshold; the message of an exception is fit for a user. */
    public static Threshold parse(final String text) {
        if (text.strip().equals(NO_FAILURE)) {
            return new Threshold(Map.of(), Map.of(), Metric.FAILURES, Operator.EQUAL, 0);
        }
        if (text.strip().equals(KEEPS_PACE)) {
            return new Threshold(Map.of(), Map.of(), Metric.PACE, Operator.AT_LEAST, RunResult.PACE_PERCENT);
        }
        final Matcher threshold = RULE.matcher(text);
        if (!threshold.matches()) {
            throw new IllegalArgumentException(
                    "'%s' is not a threshold: write %s, %s, or a metric and a limit, such as 'p99 > 50ms' or 'nio/stock: rate < 1.5'"
                            .formatted(text, NO_FAILURE, KEEPS_PACE));
        }
        final Metric metric = Metric.by(threshold.group(2));
        final String[] sides = threshold.group(1) == null
                ? new String[] {null}
                : threshold.group(1).split("/", 2);
        final Map<String, String> against = sides.length == 2 ? whose(sides[1]) : Map.of();
        final String unit = threshold.group(5);
        if (!against.isEmpty() && !unit.isEmpty()) {
            throw new IllegalArgumentException("'%s': a ratio has no unit, write a number".formatted(text));
        }
        final double limit = metric.unit().of(metric.key(), number(text, threshold.group(4)), unit);
        return new Threshold(whose(sides[0]), against, metric, Operator.of(threshold.group(3)), limit);
    }

    private static double number(final String text, final String number) {
        try {
            return Double.parseDouble(number);
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException(
                    "'%s' is not a threshold: '%s' is not a number".formatted(text, number), e);
        }
    }

    /** The part before the colon: a listener, or settings with their values. */
    private static Map<String, String> whose(final String prefix) {
        Settings settings = Settings.DEFAULTS;
        if (prefix != null) {
            for (final String part : prefix.split(",")) {
                final String[] pair = part.strip().split("=", 2);
                final boolean named = pair.length == 2;
                if (!named && !LISTENERS.contains(pair[0])) {
                    throw new IllegalArgumentException(
                            "'%s' names no side: before the colon of a threshold stands nio or stock, or a setting with its value, such as secure=true"
                                    .formatted(prefix.strip()));
                }
                settings = named
                        ? settings.with(pair[0].strip(), pair[1].strip())
                        : settings.with(Parameter.LISTENER.key(), pair[0]);
            }
        }
        return settings.explicit();
    }

    /** Whether the condition is true of a run; a metric that the run does not have makes it neither true nor false. */
    public boolean holds(final RunResult run) {
        final Double value = metric.orNull(run);
        return value != null && holds(value);
    }

    /** Whether the condition is true of a value of its metric, or of a ratio of two. */
    public boolean holds(final double value) {
        return operator.comparison.test(value, limit);
    }

    public boolean isRatio() {
        return !against.isEmpty();
    }

    /** Whether it is about these settings divided by those. */
    boolean isAbout(final Settings settings, final Settings divisor) {
        return isRatio() && settings.agreesWith(whose) && divisor.agreesWith(against);
    }

    /** Whether it is about runs with these settings. */
    public boolean isAbout(final Settings settings) {
        return settings.agreesWith(whose);
    }

    /** What a run with these settings lacks for its metric; empty when it can have it. {@code seen}: its process is here. */
    Optional<String> missing(final Settings settings, final boolean seen) {
        final String key = metric.key();
        final Optional<Parameter> maker = Parameter.making(key).filter(parameter -> !settings.has(parameter));
        if (maker.isPresent()) {
            return maker.map(parameter -> "the setting " + parameter.key());
        }
        if (OF_SERVER.contains(key) && !seen) {
            return Optional.of("the process of a NiFi that the harness starts, or of --home");
        }
        final boolean counted = seen && !settings.text(Parameter.SINK).equals("null");
        final boolean arrives = settings.text(Parameter.DIRECTION).equals("push");
        if (OF_LEDGER.contains(key) && !counted || key.equals("arrived") && !(counted && arrives)) {
            return Optional.of("a ledger: a NiFi that the harness starts");
        }
        return Optional.empty();
    }

    /** Whether it is about one listener only. */
    public boolean namesListener() {
        return whose.containsKey(Parameter.LISTENER.key()) || against.containsKey(Parameter.LISTENER.key());
    }

    @Override
    public String toString() {
        final String sides = isRatio() ? words(whose) + "/" + words(against) : words(whose);
        final String prefix = sides.isEmpty() ? "" : sides + ": ";
        return prefix + metric.title() + " " + operator.sign + " "
                + (isRatio() ? Metric.words("%.2f ×", limit) : metric.format(limit));
    }

    private static String words(final Map<String, String> whose) {
        return whose.entrySet().stream()
                .map(each -> each.getKey().equals(Parameter.LISTENER.key())
                        ? each.getValue()
                        : each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(", "));
    }
}
