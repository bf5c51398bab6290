// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import java.time.Duration;

/** Checks of what users set. Stateless; any thread. */
final class Checks {
    private Checks() {}

    static void requirePositive(final String name, final Duration value) {
        if (value == null || value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + " is " + value + "; accepted: more than 0");
        }
    }

    /** @param value null for no limit */
    static void requirePositiveOrNone(final String name, final Duration value) {
        if (value != null) {
            requirePositive(name, value);
        }
    }
}
