// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.nios2s.harness.nifi.Listener;

/**
 * One scripted conversation with a listener, as the corpus has it; its syntax is explained in the corpus's README.
 * Immutable, for any thread.
 *
 * @param name unique in the corpus
 * @param difference name of the documented difference between the listeners that this conversation shows, if any
 * @param events how many provenance events it leaves behind in a NiFi with the stock listener
 * @param alone what only one of the two listeners brings about, word for word
 * @param differenceOverTls the same, if it is another one over TLS
 * @param aloneOverTls the same
 * @param lines what is said and heard
 */
record Conversation(
        String name,
        Optional<String> difference,
        int events,
        Map<Listener, List<String>> alone,
        Optional<String> differenceOverTls,
        Map<Listener, List<String>> aloneOverTls,
        List<ScriptLine> lines) {

    private static final List<String> QUEUES = List.of("loop-in", "loop-out", "narrow");

    /** The same conversation, with what is to come of it over TLS. */
    Conversation overTls() {
        return differenceOverTls.isEmpty()
                ? this
                : new Conversation(
                        name, differenceOverTls, events, aloneOverTls, differenceOverTls, aloneOverTls, lines);
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
