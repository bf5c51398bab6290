// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.util.ArrayList;
import java.util.List;

/**
 * Everything that one conversation with one listener brought about, in comparable words.
 * Immutable, for any thread.
 *
 * @param seen answers, then what is in queues, ledger and provenance
 * @param surprises answers that are not what the script says they are
 */
record Observation(List<String> seen, List<String> surprises) {

    /** This, with more that was seen. */
    Observation and(final List<String> more) {
        final List<String> all = new ArrayList<>(seen);
        all.addAll(more);
        return new Observation(List.copyOf(all), surprises);
    }

    /** What was seen, one line each. */
    String text() {
        return String.join(System.lineSeparator(), seen);
    }
}
