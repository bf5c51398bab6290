// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** A table of metrics, as it stands in the terminal, in result.json and in the report. Immutable; any thread. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DataTable(String title, String note, List<Column> columns, List<List<Object>> rows) {

    private static final String NONE = "–";

    /** Checks that every row has a cell per column; a cell may be null. */
    public DataTable {
        columns = List.copyOf(columns);
        final List<List<Object>> copy = new ArrayList<>();
        for (final List<Object> row : rows) {
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException("a row of %d cells in the table '%s' of %d columns"
                        .formatted(row.size(), title, columns.size()));
            }
            copy.add(Collections.unmodifiableList(new ArrayList<>(row)));
        }
        rows = Collections.unmodifiableList(copy);
    }

    /** A column; numbers in it have so many decimals. */
    public record Column(String title, int decimals) {

        /** A column of text, or of numbers that are counts. */
        public static Column of(final String title) {
            return new Column(title, 0);
        }

        private String text(final Object cell) {
            if (cell == null) {
                return NONE;
            }
            return cell instanceof final Number number
                    ? String.format(Locale.ROOT, "%,." + decimals + "f", number.doubleValue())
                    : cell.toString();
        }
    }

    /** A table of texts, and of numbers that are counts. */
    public static DataTable of(final String title, final List<String> columns, final List<List<Object>> rows) {
        return new DataTable(title, null, columns.stream().map(Column::of).toList(), rows);
    }

    /** The cells as they are shown, row by row. */
    public List<List<String>> texts() {
        return rows.stream()
                .map(row -> IntStream.range(0, columns.size())
                        .mapToObj(column -> columns.get(column).text(row.get(column)))
                        .toList())
                .toList();
    }

    /** The table for the terminal, which is Markdown, too: the first column to the left, the others to the right. */
    public String text() {
        final List<List<String>> lines = new ArrayList<>(texts());
        lines.addFirst(columns.stream().map(Column::title).toList());
        final int[] widths = IntStream.range(0, columns.size())
                .map(column -> lines.stream()
                        .mapToInt(line -> line.get(column).length())
                        .max()
                        .orElseThrow())
                .toArray();
        final StringBuilder text = new StringBuilder();
        for (final List<String> line : lines) {
            for (int column = 0; column < widths.length; column++) {
                final String padding =
                        " ".repeat(widths[column] - line.get(column).length());
                text.append("| ")
                        .append(column == 0 ? line.get(column) + padding : padding + line.get(column))
                        .append(' ');
            }
            text.append('|').append(System.lineSeparator());
            if (line == lines.getFirst()) {
                for (int column = 0; column < widths.length; column++) {
                    text.append('|').append("-".repeat(widths[column] + 1)).append(column == 0 ? '-' : ':');
                }
                text.append('|').append(System.lineSeparator());
            }
        }
        return text.toString();
    }
}
