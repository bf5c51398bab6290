// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

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

    /** Copies the list. */
    public Chart {
        Objects.requireNonNull(title, "title");
        series = List.copyOf(series);
    }

    /** How a chart is drawn. */
    public enum Kind {
        /** Points joined by lines. */
        LINE,
        /** Bars side by side. */
        BAR
    }

    /**
     * An axis.
     *
     * @param title what it counts
     * @param unit  in which unit; a plain count has what is counted, such as {@code connections}
     */
    public record Axis(String title, String unit) {

        /** Every axis has a unit. */
        public Axis {
            Objects.requireNonNull(title, "title");
            Objects.requireNonNull(unit, "unit");
        }
    }

    /**
     * What is drawn in one colour.
     *
     * @param name   name in the legend; several series of the same name share it
     * @param points in the order in which they are joined
     */
    public record Series(String name, List<Point> points) {

        /** Copies the list. */
        public Series {
            Objects.requireNonNull(name, "name");
            points = List.copyOf(points);
        }

        /** A series of numbers: the series. */
        public static Series of(final String name, final double[] x, final double[] y) {
            if (x.length != y.length) {
                throw new IllegalArgumentException("%d values at %d places".formatted(y.length, x.length));
            }
            final List<Point> points = new ArrayList<>();
            for (int i = 0; i < x.length; i++) {
                points.add(new Point(x[i], y[i]));
            }
            return new Series(name, points);
        }
    }

    /** A point, or a bar's height. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Point(Object x, Double y) {}

    /** A chart of lines: the chart. */
    public static Chart line(final String title, final Axis x, final Axis y, final List<Series> series) {
        return new Chart(title, Kind.LINE, x, y, series);
    }

    /** A chart of bars: the chart. */
    public static Chart bar(final String title, final Axis x, final Axis y, final List<Series> series) {
        return new Chart(title, Kind.BAR, x, y, series);
    }
}
