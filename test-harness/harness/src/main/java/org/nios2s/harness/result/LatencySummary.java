// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The figures of a histogram that reports show, in milliseconds. Immutable, any thread.
 *
 * @param count   values
 * @param average their mean
 * @param p50     half are at most this
 * @param p99     99 % are at most this
 * @param max     all are at most this
 */
public record LatencySummary(long count, double average, double p50, double p99, double max) {

    private static final double MEDIAN = 50;
    private static final double TAIL = 99;
    private static final double MICROS_PER_MILLI = TimeUnit.MILLISECONDS.toMicros(1);

    /** Sums a histogram up: its figures, all 0 when it is empty. */
    public static LatencySummary of(final Histogram micros) {
        return new LatencySummary(
                micros.getTotalCount(),
                micros.getMean() / MICROS_PER_MILLI,
                micros.getValueAtPercentile(MEDIAN) / MICROS_PER_MILLI,
                micros.getValueAtPercentile(TAIL) / MICROS_PER_MILLI,
                micros.getMaxValue() / MICROS_PER_MILLI);
    }
}
