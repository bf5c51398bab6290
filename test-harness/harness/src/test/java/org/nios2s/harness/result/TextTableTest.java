// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A table is readable text and Markdown. Runs on the test's thread. */
class TextTableTest {

    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        final String table = new TextTable("listener", "tx/s")
                .row(List.of("nio", "12,345"))
                .row(List.of("stock", "7"))
                .toString();

        assertEquals("""
                | listener |   tx/s |
                |----------|-------:|
                | nio      | 12,345 |
                | stock    |      7 |
                """, table.replace(System.lineSeparator(), "\n"));
    }

    @Test
    void aRowHasAsManyCellsAsThereAreColumns() {
        final TextTable table = new TextTable("one", "two");

        assertThrows(IllegalArgumentException.class, () -> table.row(List.of("alone")));
    }
}
