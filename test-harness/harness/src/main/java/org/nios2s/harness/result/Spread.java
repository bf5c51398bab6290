// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;

/**
 * Equal measurements in three numbers. Immutable, any thread.
 *
 * @param median the middle
 * @param least  the smallest
 * @param most   the largest
 * @param count  how many there were
 */
public record Spread(double median, double least, double most, int count) {

    private static final double PERCENT = 100;

    /** The spread of at least one value. */
    public static Spread of(final Collection<Double> values) {
        final double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        final int middle = sorted.length / 2;
        final double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    /** The same; empty when there is none. */
    public static Optional<Spread> ofAny(final Collection<Double> values) {
        return values.isEmpty() ? Optional.empty() : Optional.of(of(values));
    }

    /** From least to most in percent of the median; 0 when that is 0. */
    public double percent() {
        return median == 0 ? 0 : PERCENT * (most - least) / Math.abs(median);
    }
}
