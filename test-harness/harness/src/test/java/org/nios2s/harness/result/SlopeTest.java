// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The line through some points, and mean and range of values. Runs on the test's thread. */
class SlopeTest {

    private static final double EXACT = 1e-9;

    @Test
    void aStraightLineHasNoError() {
        final Slope slope = Slope.of(new double[] {0, 1, 2, 3}, new double[] {5, 7, 9, 11});

        assertEquals(2, slope.value(), EXACT);
        assertEquals(0, slope.standardError(), EXACT);
        assertTrue(slope.grows());
    }

    @Test
    void theErrorIsThatOfTheTextbook() {
        // y = 1 2 2 4 at x = 1 2 3 4: slope 0.9, residual sum of squares 0.7, range of x 5.
        final Slope slope = Slope.of(new double[] {1, 2, 3, 4}, new double[] {1, 2, 2, 4});

        assertEquals(0.9, slope.value(), EXACT);
        assertEquals(Math.sqrt(0.7 / 2 / 5), slope.standardError(), EXACT);
    }

    @Test
    void whatGoesUpAndDownDoesNotGrow() {
        final Slope slope = Slope.of(new double[] {1, 2, 3, 4, 5, 6}, new double[] {10, 14, 9, 13, 10, 14});

        assertFalse(slope.grows());
    }

    @Test
    void twoPointsOrOnePlaceGiveNoSlope() {
        assertThrows(IllegalArgumentException.class, () -> Slope.of(new double[] {1, 2}, new double[] {1, 2}));
        assertThrows(IllegalArgumentException.class, () -> Slope.of(new double[] {1, 1, 1}, new double[] {1, 2, 3}));
    }

    @Test
    void theMedianIsTheMiddle() {
        assertEquals(3, Range.of(List.of(9.0, 1.0, 3.0)).median(), EXACT);
        assertEquals(2.5, Range.of(List.of(4.0, 1.0, 2.0, 3.0)).median(), EXACT);
        assertEquals(100 * 3 / 2.5, Range.of(List.of(4.0, 1.0, 2.0, 3.0)).percent(), EXACT);
    }
}
