// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a time as people write it: a whole number and its unit.
 * Stateless, for any thread.
 */
final class DurationConverter implements ITypeConverter<Duration> {

    private static final Pattern TIME = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h)");

    @Override
    public Duration convert(final String text) {
        final Matcher time = TIME.matcher(text.strip());
        if (!time.matches()) {
            throw new TypeConversionException(
                    "'" + text + "' is no time: write a whole number and ms, s, m or h, as 10ms");
        }
        final long number = Long.parseLong(time.group(1));
        return switch (time.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }
}
