// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A chart of the report: what is drawn, not how. Immutable, any thread.
 *
 * @param title  what it shows
 * @param kind   lines or bars
 * @param x      the horizontal axis
 * @param y      the vertical axis
 * @param series what is drawn; the same name has the same colour in all charts
 */
public record Chart(String title, Kind kind, Axis x, Axis y, List<Series> series) {

    public Chart {
        series = List.copyOf(series);
    }

    /** How a chart is drawn: points joined by lines, or bars side by side. */
    public enum Kind {
        LINE,
        BAR
    }

    /**
     * An axis.
     *
     * @param title what it counts
     * @param unit  in which unit; a plain count has what is counted, such as {@code connections}
     */
    public record Axis(String title, String unit) {}

    /**
     * What is drawn in one colour.
     *
     * @param name   name in the legend; several series of the same name share it
     * @param points in the order in which they are joined
     */
    public record Series(String name, List<Point> points) {

        public Series {
            points = List.copyOf(points);
        }
    }

    /** A point, or a bar's height. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Point(Object x, Double y) {}

    public boolean hasPoints() {
        return series.stream().flatMap(each -> each.points().stream()).anyMatch(point -> point.y() != null);
    }
}
