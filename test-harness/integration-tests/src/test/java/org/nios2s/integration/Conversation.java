// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nios2s.harness.nifi.Listener;

/**
 * One scripted conversation with a listener, as the corpus has it; its syntax is explained in the corpus's README.
 * Immutable, for any thread.
 *
 * @param name unique in the corpus
 * @param events how many provenance events it leaves behind in a NiFi with the stock listener
 * @param difference between the listeners
 * @param differenceOverTls the same over TLS, if it is another one there
 * @param lines what is said and heard
 */
record Conversation(
        String name, int events, Difference difference, Difference differenceOverTls, List<ScriptLine> lines) {

    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

    /**
     * What only one of the listeners does.
     * Immutable, for any thread.
     *
     * @param name of the documented difference that it shows, if any
     * @param since the oldest NiFi whose stock listener differs like that, or nothing if all of them do
     * @param alone what only one of the two brings about, word for word
     */
    record Difference(Optional<String> name, Optional<String> since, Map<Listener, List<String>> alone) {

        private boolean isIn(final String nifiVersion) {
            return name.isPresent()
                    && since.map(first -> ordinal(nifiVersion) >= ordinal(first))
                            .orElse(true);
        }

        private static int ordinal(final String version) {
            final Matcher parts = VERSION.matcher(version);
            if (!parts.matches()) {
                throw new IllegalArgumentException("'" + version + "' is no version of NiFi");
            }
            return Integer.parseInt(parts.group(1)) * 1_000 + Integer.parseInt(parts.group(2));
        }
    }

    private static final List<String> QUEUES = List.of("loop-in", "loop-out", "narrow");

    /** The same conversation, with what is to come of it over TLS in a version of NiFi. */
    Conversation overTls(final String nifiVersion) {
        return differenceOverTls.isIn(nifiVersion)
                ? new Conversation(name, events, differenceOverTls, differenceOverTls, lines)
                : this;
    }

    /** Whether what is in a shared queue before and after matters, so that it must have the queues for itself. */
    boolean needsTheQueues() {
        return !hasPortsOfItsOwn()
                && lines.stream()
                        .anyMatch(line -> line.verb().equals("given")
                                || line.arguments().stream().anyMatch(argument -> QUEUES.stream()
                                        .anyMatch(port -> argument.contains("${port:" + port + "}"))));
    }

    /** Whether it is held at ports that nobody else uses. */
    boolean hasPortsOfItsOwn() {
        return lines.stream().anyMatch(line -> line.verb().equals("own"));
    }

    @Override
    public String toString() {
        return name;
    }
}
