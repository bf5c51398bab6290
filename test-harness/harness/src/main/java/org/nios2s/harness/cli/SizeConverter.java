// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads sizes such as {@code 100m} or {@code 4g}, in powers of 1,024.
 * Stateless, for any thread.
 */
final class SizeConverter implements ITypeConverter<Long> {

    private static final Pattern SIZE = Pattern.compile("(\\d{1,9})([kmg]?)");
    private static final String UNITS = "kmg";
    private static final int UNIT_BITS = 10;

    @Override
    public Long convert(final String text) {
        final Matcher size = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            throw new TypeConversionException("'" + text + "' is no size: use a number of bytes, or 512k, 100m, 4g");
        }
        return Long.parseLong(size.group(1))
                << UNIT_BITS * (size.group(2).isEmpty() ? 0 : UNITS.indexOf(size.group(2)) + 1);
    }
}
