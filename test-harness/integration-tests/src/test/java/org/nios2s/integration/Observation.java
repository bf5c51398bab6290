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
