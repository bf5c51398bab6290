// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import java.util.List;
import org.nios2s.harness.load.Units;

/** The unit of a metric, and how a threshold may write a limit in it. A constant, used on every thread. */
public enum Unit {
    COUNT(List.of()),
    MILLIS(List.of("ms", "s", "m", "h")),
    SECONDS(List.of("ms", "s", "m", "h")),
    PERCENT(List.of("%")),
    MEBIBYTES(List.of("b", "k", "m", "g")),
    KIBIBYTES(List.of("b", "k", "m", "g"));

    private static final double MILLIS_PER_SECOND = 1_000;
    private static final double KIBIBYTE = 1_024;

    private final List<String> written;

    Unit(final List<String> written) {
        this.written = written;
    }

    /** A number as a user wrote it, in this unit; the message of an exception is fit for a user. */
    double of(final String metric, final double number, final String unit) {
        if (unit.isEmpty()) {
            return number;
        }
        if (!written.contains(unit)) {
            throw new IllegalArgumentException("'%s' has no limit in '%s': write a number%s"
                    .formatted(
                            metric,
                            unit,
                            written.isEmpty() ? " alone" : " alone, or with one of " + String.join(", ", written)));
        }
        return switch (this) {
            case MILLIS -> number * Units.time("1" + unit).toMillis();
            case SECONDS -> number * Units.time("1" + unit).toMillis() / MILLIS_PER_SECOND;
            case MEBIBYTES -> number * Units.bytes("1" + unit) / KIBIBYTE / KIBIBYTE;
            case KIBIBYTES -> number * Units.bytes("1" + unit) / KIBIBYTE;
            case COUNT, PERCENT -> number;
        };
    }
}
