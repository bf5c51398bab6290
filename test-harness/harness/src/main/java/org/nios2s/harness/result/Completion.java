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
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * How a scenario ended: whether its figures are those of all of it. Immutable, any thread.
 *
 * @param state  how
 * @param reason why it is not complete, null when it is
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Completion(State state, String reason) {

    /** Everything was measured. */
    public static final Completion COMPLETE = new Completion(State.COMPLETE, null);

    /** The user ended it. */
    public static final Completion INTERRUPTED =
            new Completion(State.INTERRUPTED, "It was interrupted (Ctrl-C): these are the figures of a part.");

    /** How a scenario can end. */
    public enum State {
        /** Everything was measured. */
        COMPLETE,
        /** The user ended it early: figures are those of a part. */
        INTERRUPTED,
        /** Something broke in mid-run: figures are those of a part. */
        FAILED
    }

    /**
     * Something broke in mid-run.
     *
     * @param reason what, in words for the user
     * @return the completion
     */
    public static Completion failed(final String reason) {
        return new Completion(State.FAILED, reason);
    }

    /**
     * The end of a scenario in which nothing broke.
     *
     * @param interrupted whether the user ended it
     * @return interrupted or complete
     */
    public static Completion of(final boolean interrupted) {
        return interrupted ? INTERRUPTED : COMPLETE;
    }
}
