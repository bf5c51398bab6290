// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A table is readable text and Markdown. Runs on the test's thread. */
class DataTableTest {

    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        final List<List<Object>> rows = List.of(List.of("nio", 12_345), List.of("stock", 7));

        final String table =
                DataTable.of("all", List.of("listener", "tx/s"), rows).text();

        assertEquals("""
                | listener |   tx/s |
                |----------|-------:|
                | nio      | 12,345 |
                | stock    |      7 |
                """, table.replace(System.lineSeparator(), "\n"));
    }

    @Test
    void aRowHasAsManyCellsAsThereAreColumns() {
        final List<List<Object>> rows = List.of(List.of("alone"));

        assertThrows(IllegalArgumentException.class, () -> DataTable.of("all", List.of("one", "two"), rows));
    }
}
