// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import java.util.function.Function;

/**
 * One key of {@code nifi.properties}: name, default, unit and explanation, and how its text becomes a value. Immutable;
 * any thread.
 *
 * @param key name in {@code nifi.properties}
 * @param defaultText value where the key is absent or blank
 * @param accepted what is accepted, in words, with the unit
 * @param explanation what it is for
 * @param parser makes the value; throws {@link IllegalArgumentException} for a text that is not accepted
 */
record Setting<T>(String key, String defaultText, String accepted, String explanation, Function<String, T> parser) {
    /**
     * Reads the setting.
     *
     * @param lookup value of a key, or null
     * @throws IllegalArgumentException that names key, value and what is accepted
     */
    T read(final Function<String, String> lookup) {
        final String configured = lookup.apply(key);
        final String text = configured == null || configured.isBlank() ? defaultText : configured.trim();
        try {
            return parser.apply(text);
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException(key + "=" + text + " is not accepted; use " + accepted, e);
        }
    }
}
