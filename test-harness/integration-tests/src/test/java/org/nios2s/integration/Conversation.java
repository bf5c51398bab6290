// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.util.List;
import java.util.Optional;

/**
 * One scripted conversation with a listener, as the corpus has it; its syntax is explained in the corpus's README.
 * Immutable, for any thread.
 *
 * @param name unique in the corpus
 * @param difference name of the documented difference between the listeners that this conversation shows, if any
 * @param lines what is said and heard
 */
record Conversation(String name, Optional<String> difference, List<ScriptLine> lines) {

    private static final List<String> QUEUES = List.of("loop-in", "loop-out", "narrow");

    /** Whether what is in a queue before and after matters, so that it must have the queues for itself. */
    boolean needsTheQueues() {
        return lines.stream()
                .anyMatch(line -> line.verb().equals("given")
                        || line.arguments().stream().anyMatch(argument -> QUEUES.stream()
                                .anyMatch(port -> argument.contains("${port:" + port + "}"))));
    }

    @Override
    public String toString() {
        return name;
    }
}
