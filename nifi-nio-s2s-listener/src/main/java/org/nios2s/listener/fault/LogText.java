// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.fault;

/** Makes text from the wire fit for a log: one line, printable, of limited length. Stateless; any thread. */
public final class LogText {
    private static final int MOST_CHARACTERS = 500;

    private LogText() {}

    /** @return the text, its control and separator characters escaped, cut where it is too long */
    public static String of(final String text) {
        final StringBuilder line = new StringBuilder(Math.min(text.length(), MOST_CHARACTERS) + 16);
        for (int i = 0; i < text.length() && i < MOST_CHARACTERS; i++) {
            final char character = text.charAt(i);
            if (isPrintable(character)) {
                line.append(character);
            } else {
                line.append(String.format("\\u%04x", (int) character));
            }
        }
        if (text.length() > MOST_CHARACTERS) {
            line.append("… (").append(text.length()).append(" characters)");
        }
        return line.toString();
    }

    private static boolean isPrintable(final char character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
