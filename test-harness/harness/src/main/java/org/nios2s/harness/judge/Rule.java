// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.judge;

import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.nios2s.harness.load.Units;
import org.nios2s.harness.result.RunResult;

/**
 * A condition on a run: a figure compared with a number, such as {@code p99 < 50ms} or {@code nio: failures > 0}, or one
 * of the words {@code no-failure} and {@code keeps-pace}. Immutable, any thread.
 *
 * @param column   whose runs it is about, or null for all
 * @param figure   what is compared
 * @param operator how
 * @param limit    with what, in the figure's unit
 */
public record Rule(String column, Figure figure, Operator operator, double limit) {

    /** A run that gets less than this of its pace does not keep it; the window's edges take part of a transaction each. */
    public static final double PACE_PERCENT = 98;

    private static final Pattern RULE =
            Pattern.compile("(?:([^:<>=]+):)?\\s*([\\w-]+)\\s*(<=|>=|<|>|=)\\s*([\\d.]+)\\s*(%|ms|s|m|h|)\\s*");
    private static final String NO_FAILURE = "no-failure";
    private static final String KEEPS_PACE = "keeps-pace";

    /** How a figure is compared. */
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

    /** Reads a rule; the message of an exception is fit for a user. */
    public static Rule parse(final String text) {
        if (text.strip().equals(NO_FAILURE)) {
            return new Rule(null, Figure.FAILURES, Operator.EQUAL, 0);
        }
        if (text.strip().equals(KEEPS_PACE)) {
            return new Rule(null, Figure.PACE, Operator.AT_LEAST, PACE_PERCENT);
        }
        final Matcher rule = RULE.matcher(text);
        if (!rule.matches()) {
            throw new IllegalArgumentException("'%s' is no rule: write %s, %s, or a figure and a limit, as 'p99 > 50ms'"
                    .formatted(text, NO_FAILURE, KEEPS_PACE));
        }
        final String unit = rule.group(5);
        final double number = Double.parseDouble(rule.group(4));
        final boolean time = !unit.isEmpty() && !"%".equals(unit);
        final String column = rule.group(1) == null ? null : rule.group(1).strip();
        final double limit = time ? number * Units.time("1" + unit).toMillis() : number;
        return new Rule(column, Figure.by(rule.group(2)), Operator.of(rule.group(3)), limit);
    }

    /** Whether the condition is true of a run; a figure that the run does not have makes it neither true nor false. */
    public boolean holds(final RunResult run) {
        final Double value = figure.orNull(run);
        return isAbout(run) && value != null && operator.comparison.test(value, limit);
    }

    /** Whether a run meets the condition as a requirement: what it does not have it need not meet. */
    public boolean isMet(final RunResult run) {
        return !isAbout(run) || figure.orNull(run) == null || holds(run);
    }

    private boolean isAbout(final RunResult run) {
        return column == null || column.equals(run.place().column());
    }

    @Override
    public String toString() {
        final String whose = column == null ? "" : column + ": ";
        return whose + figure.title() + " " + operator.sign + " " + figure.format(limit);
    }
}
