// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

/** Text from elsewhere, as a terminal may show it. Stateless; any thread. */
final class PrintedText {
    /** Controls, ends of lines, and what turns the direction of a text round. */
    private static final String NOT_PRINTED = "[\\p{Cc}\\p{Zl}\\p{Zp}\\u202A-\\u202E\\u2066-\\u2069]";

    private PrintedText() {}

    static String of(final String text) {
        return text.replaceAll(NOT_PRINTED, "_");
    }
}
