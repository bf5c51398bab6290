// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes, times and shares as users write them, the same in options, presets and thresholds: {@code 64k}, {@code 100ms},
 * {@code 1%}. Stateless; any thread.
 */
public final class Units {

    private static final Pattern SIZE = Pattern.compile("(\\d{1,12})(b|k|m|g)?");
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h)");
    private static final Map<String, ChronoUnit> TIME_UNITS =
            Map.of("ms", ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS, "m", ChronoUnit.MINUTES, "h", ChronoUnit.HOURS);
    private static final String LARGER = "bkmg";
    private static final int UNIT_BITS = 10;

    private Units() {}

    /** Bytes of a size such as {@code 10b}, {@code 64k}, {@code 100m}, {@code 1g}; without a unit they are bytes. */
    public static long bytes(final String text) {
        final Matcher size = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a size: write a whole number and b, k, m or g, such as 64k");
        }
        final int unit = size.group(2) == null ? 0 : LARGER.indexOf(size.group(2));
        return Long.parseLong(size.group(1)) << UNIT_BITS * unit;
    }

    /** A time such as {@code 10ms}, {@code 30s}, {@code 5m}, {@code 2h}. */
    public static Duration time(final String text) {
        final Matcher time = TIME.matcher(text.strip());
        if (!time.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a time: write a whole number and ms, s, m or h, such as 10ms");
        }
        return Duration.of(Long.parseLong(time.group(1)), TIME_UNITS.get(time.group(2)));
    }

    /** A size in its largest whole unit. */
    public static String text(final long bytes) {
        int unit = 0;
        long number = bytes;
        while (number != 0 && unit < LARGER.length() - 1 && number % (1 << UNIT_BITS) == 0) {
            number >>= UNIT_BITS;
            unit++;
        }
        return number + String.valueOf(LARGER.charAt(unit));
    }
}
