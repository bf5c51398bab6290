// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

/**
 * A comparison: a combination of load and target, and the one that differs from it in the baseline alone.
 * Immutable; any thread.
 *
 * @param row           of which load
 * @param column        on which target
 * @param againstRow    the load of the baseline
 * @param againstColumn the target of the baseline
 */
public record Comparison(String row, String column, String againstRow, String againstColumn) {

    /** The name of the baseline beside the other: the setting that differs. */
    public String against() {
        return againstColumn.equals(column) ? againstRow : againstColumn;
    }

    /** Whether it is about this load and target. */
    public boolean isOf(final String otherRow, final String otherColumn) {
        return row.equals(otherRow) && column.equals(otherColumn);
    }
}
