// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A chart of the report: what is drawn, not how. Immutable; any thread.
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
     * The bars of one colour.
     *
     * @param name   name in the legend; several series of the same name share it
     * @param points in the order in which they are joined
     */
    public record Series(String name, List<Point> points) {

        public Series {
            points = List.copyOf(points);
        }
    }

    /**
     * A point, or a bar.
     *
     * @param x   a number, or the name of a category
     * @param y   its height; null for a gap
     * @param min least of the values whose median the height is; null for a single value
     * @param max most of them, or null
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Point(
            Object x,
            Double y,
            @JsonInclude(JsonInclude.Include.NON_NULL) Double min,
            @JsonInclude(JsonInclude.Include.NON_NULL) Double max) {

        private boolean hasSpread() {
            return min != null && min < max;
        }

        /** A single value. */
        public Point(final Object x, final Double y) {
            this(x, y, null, null);
        }

        /** The median of several values; a gap where there are none. */
        public static Point of(final Object x, final Optional<Range> values) {
            return values.filter(range -> range.count() > 1)
                    .map(range -> new Point(x, range.median(), range.min(), range.max()))
                    .orElseGet(() -> new Point(x, values.map(Range::median).orElse(null)));
        }
    }

    public boolean hasPoints() {
        return points().anyMatch(point -> point.y() != null);
    }

    /** Whether the values of any of its points differ. */
    public boolean hasSpread() {
        return points().anyMatch(Point::hasSpread);
    }

    private Stream<Point> points() {
        return series.stream().flatMap(each -> each.points().stream());
    }
}
