// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;

/**
 * Equal measurements in three numbers. Immutable; any thread.
 *
 * @param median the middle
 * @param min    the smallest
 * @param max    the largest
 * @param count  how many there were
 */
public record Range(double median, double min, double max, int count) {

    private static final double PERCENT = 100;

    /** The range of at least one value. */
    public static Range of(final Collection<Double> values) {
        final double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        final int middle = sorted.length / 2;
        final double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Range(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    /** The same; empty when there is none. */
    public static Optional<Range> ofAny(final Collection<Double> values) {
        return values.isEmpty() ? Optional.empty() : Optional.of(of(values));
    }

    /** From least to most in percent of the median; 0 when that is 0. */
    public double percent() {
        return median == 0 ? 0 : PERCENT * (max - min) / Math.abs(median);
    }
}
