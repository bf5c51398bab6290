// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.Locale;

/**
 * Puts figures into words, the same way whatever the user's language is.
 * Stateless, for any thread.
 */
final class Words {

    private Words() {}

    /** A sentence, with its values as {@link String#format} writes them. */
    static String of(final String format, final Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** A name without what the name of a file should not have. */
    static String fileName(final String name) {
        return name.replaceAll("[^\\w.-]+", "_");
    }
}
