// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.nios2s.harness.result.DataTable.Column;

/** A table is readable text and Markdown. Runs on the test's thread. */
class DataTableTest {

    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        final String table = DataTable.of("all", Column.of("listener"), Column.of("tx/s"))
                .row("nio", 12_345)
                .row("stock", 7)
                .text();

        assertEquals("""
                | listener |   tx/s |
                |----------|-------:|
                | nio      | 12,345 |
                | stock    |      7 |
                """, table.replace(System.lineSeparator(), "\n"));
    }

    @Test
    void aRowHasAsManyCellsAsThereAreColumns() {
        final DataTable table = DataTable.of("all", Column.of("one"), Column.of("two"));

        assertThrows(IllegalArgumentException.class, () -> table.row("alone"));
    }
}
