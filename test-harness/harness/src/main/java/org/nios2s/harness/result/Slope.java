// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.util.Arrays;

/**
 * A straight line through some points, by least squares, and how sure its slope is. Immutable; any thread.
 *
 * @param value         by how much y grows when x grows by 1
 * @param standardError of the slope: what the points' distance from the line leaves open
 */
public record Slope(double value, double standardError) {

    private static final int MIN_POINTS = 3;
    private static final double SURE = 2;

    public static Slope of(final double[] x, final double[] y) {
        final int count = x.length;
        if (count < MIN_POINTS || y.length != count) {
            throw new IllegalArgumentException("a slope with its error needs three points or more, not " + count);
        }
        final double meanX = Arrays.stream(x).average().orElseThrow();
        final double meanY = Arrays.stream(y).average().orElseThrow();
        double squares = 0;
        double products = 0;
        for (int i = 0; i < count; i++) {
            squares += (x[i] - meanX) * (x[i] - meanX);
            products += (x[i] - meanX) * (y[i] - meanY);
        }
        if (squares == 0) {
            throw new IllegalArgumentException("all points are at " + meanX);
        }
        final double slope = products / squares;
        double residuals = 0;
        for (int i = 0; i < count; i++) {
            final double distance = y[i] - meanY - slope * (x[i] - meanX);
            residuals += distance * distance;
        }
        return new Slope(slope, Math.sqrt(residuals / (count - 2) / squares));
    }

    /** Whether y grows beyond what chance explains: true when the slope is more than two standard errors above 0. */
    public boolean grows() {
        return value > SURE * standardError;
    }

    /** The least slope that would have been told from chance. */
    public double detectable() {
        return Math.max(0, value) + SURE * standardError;
    }
}
