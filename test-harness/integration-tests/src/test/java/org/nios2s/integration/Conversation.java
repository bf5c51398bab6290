/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
