// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;
import org.nios2s.harness.result.Comparison.Spread;

/**
 * The middle of several runs of the same kind. Immutable, any thread.
 *
 * @param runs the runs
 */
public record Medians(List<RunResult> runs) {

    /** Copies the list. */
    public Medians {
        runs = List.copyOf(runs);
    }

    /**
     * Those of a scenario's runs whose label begins alike.
     *
     * @param runs   of all kinds
     * @param prefix first part of the label
     * @return the runs of one kind
     */
    public static Medians of(final List<RunResult> runs, final String prefix) {
        return new Medians(
                runs.stream().filter(run -> run.label().startsWith(prefix)).toList());
    }

    /**
     * Whether there is no run of the kind.
     *
     * @return true when nothing was measured
     */
    public boolean isEmpty() {
        return runs.isEmpty();
    }

    /**
     * The middle of a figure.
     *
     * @param figure which
     * @return the median, null when no run has the figure
     */
    public Double of(final Figure figure) {
        final DoubleStream values = runs.stream()
                .map(figure::of)
                .filter(OptionalDouble::isPresent)
                .mapToDouble(OptionalDouble::getAsDouble);
        return median(values);
    }

    /**
     * The middle of some values.
     *
     * @param values in any order
     * @return the median, null when there is no value
     */
    public static Double median(final DoubleStream values) {
        final double[] all = values.toArray();
        return all.length == 0 ? null : Spread.of(all).median();
    }

    /**
     * Failures of all runs together.
     *
     * @return their number
     */
    public long failures() {
        return runs.stream().mapToLong(RunResult::failures).sum();
    }

    /**
     * Whether no run had a failure or an inexact ledger.
     *
     * @return false also when there is no run
     */
    public boolean flawless() {
        return !runs.isEmpty() && runs.stream().allMatch(RunResult::flawless);
    }
}
