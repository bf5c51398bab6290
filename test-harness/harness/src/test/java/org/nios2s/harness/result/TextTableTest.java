/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
