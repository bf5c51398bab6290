// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Mean and spread of some values. Immutable, any thread.
 *
 * @param count    values
 * @param mean     their mean, 0 when there are none
 * @param variance their variance, that of a sample; 0 when there are fewer than two
 */
public record Moments(long count, double mean, double variance) {

    private static final double MICROS_PER_MILLI = TimeUnit.MILLISECONDS.toMicros(1);

    /**
     * Of single values.
     *
     * @param values in any order and unit
     * @return their moments, in that unit
     */
    public static Moments of(final double... values) {
        final double mean = Arrays.stream(values).average().orElse(0);
        final double squares = Arrays.stream(values)
                .map(value -> (value - mean) * (value - mean))
                .sum();
        return new Moments(values.length, mean, values.length < 2 ? 0 : squares / (values.length - 1));
    }

    /**
     * Of times.
     *
     * @param micros a histogram of microseconds
     * @return their moments in milliseconds
     */
    public static Moments ofMillis(final Histogram micros) {
        final double deviation = micros.getTotalCount() == 0 ? 0 : micros.getStdDeviation() / MICROS_PER_MILLI;
        return new Moments(micros.getTotalCount(), micros.getMean() / MICROS_PER_MILLI, deviation * deviation);
    }

    /**
     * Standard deviation of a value.
     *
     * @return in the values' unit
     */
    public double deviation() {
        return Math.sqrt(variance);
    }
}
