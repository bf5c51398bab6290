// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;

/** How a scenario ended: whether its figures are those of all of it. Immutable, any thread. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Completion(State state, String reason) {

    /** Everything was measured. */
    public static final Completion COMPLETE = new Completion(State.COMPLETE, null);

    /** The user ended it. */
    public static final Completion INTERRUPTED =
            new Completion(State.INTERRUPTED, "It was interrupted (Ctrl-C): these are the figures of a part.");

    /** How a scenario can end; unless it is complete, figures are those of a part. */
    public enum State {
        COMPLETE,
        INTERRUPTED,
        FAILED
    }

    /** Whether everything was measured. */
    public boolean complete() {
        return state == State.COMPLETE;
    }
}
