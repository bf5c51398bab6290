// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import java.util.regex.Pattern;

/** Makes text from the wire fit for a log: one line, printable, of limited length. Stateless; any thread. */
public final class LogText {
    private static final int MAX_CHARACTERS = 500;
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

    private LogText() {}

    /** @return the text, its control and separator characters escaped, cut if it is too long */
    public static String of(final String text) {
        return of(text, MAX_CHARACTERS);
    }

    /**
     * The same with another limit.
     *
     * @param maxCharacters of the text, before its characters are escaped
     */
    public static String of(final String text, final int maxCharacters) {
        final int length = Math.min(text.length(), maxCharacters);
        final String line = UNPRINTABLE.matcher(text.substring(0, length)).replaceAll(found -> "\\\\u%04x"
                .formatted(found.group().codePointAt(0)));
        if (length == text.length()) {
            return line;
        }
        return line + "… (" + text.length() + " characters)";
    }
}
