// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A table of plain text that is Markdown at the same time: the first column to the left, the others to the right.
 * Built and printed on one thread.
 */
public final class TextTable {

    private final List<String> header;
    private final List<List<String>> rows = new ArrayList<>();

    /** A table without rows. */
    public TextTable(final String... header) {
        this.header = List.of(header);
    }

    /** Adds a row: this table. */
    public TextTable row(final List<String> cells) {
        if (cells.size() != header.size()) {
            throw new IllegalArgumentException(
                    "a row of %d cells in a table of %d columns".formatted(cells.size(), header.size()));
        }
        cells.forEach(Objects::requireNonNull);
        rows.add(List.copyOf(cells));
        return this;
    }

    /** The table: its lines, each with its end. */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder();
        append(text, header);
        text.append('|');
        for (int column = 0; column < header.size(); column++) {
            final String dashes = "-".repeat(width(column) + 1);
            text.append(column == 0 ? dashes + "-" : dashes + ":").append('|');
        }
        text.append(System.lineSeparator());
        rows.forEach(row -> append(text, row));
        return text.toString();
    }

    private void append(final StringBuilder text, final List<String> cells) {
        text.append('|');
        for (int column = 0; column < cells.size(); column++) {
            final String cell = cells.get(column);
            final String padding = " ".repeat(width(column) - cell.length());
            text.append(' ')
                    .append(column == 0 ? cell + padding : padding + cell)
                    .append(" |");
        }
        text.append(System.lineSeparator());
    }

    private int width(final int column) {
        int width = header.get(column).length();
        for (final List<String> row : rows) {
            width = Math.max(width, row.get(column).length());
        }
        return width;
    }
}
