// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import java.util.ArrayList;
import java.util.List;
import org.nios2s.harness.plan.Experiment.Cell;

/**
 * The order of measurements: A B, then B A, from row to row and from round to round, so that neither is always first and
 * what drifts meets both alike. Stateless, any thread.
 */
public final class Order {

    private Order() {}

    /**
     * One measurement.
     *
     * @param round from 1
     * @param cell  what is measured
     */
    public record Turn(int round, Cell cell) {}

    /** All measurements of an experiment: every second round goes backwards. */
    public static List<Turn> of(final Experiment experiment, final int rounds) {
        final List<Turn> turns = new ArrayList<>();
        final List<List<Cell>> rows = new ArrayList<>(experiment.rows().values());
        for (int round = 1; round <= rounds; round++) {
            for (int index = 0; index < rows.size(); index++) {
                // Row by row in turn, too: with a single round the columns still take turns at being first.
                final List<Cell> row = rows.get(index);
                final boolean forwards = (round + index) % 2 == 1;
                for (final Cell cell : forwards ? row : row.reversed()) {
                    turns.add(new Turn(round, cell));
                }
            }
        }
        return turns;
    }

    /** Whether every column was first as often as any other in every row. */
    public static boolean isBalanced(final int rounds) {
        return rounds % 2 == 0;
    }
}
