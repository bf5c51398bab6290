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

    /** How a scenario can end. */
    public enum State {
        /** Everything was measured. */
        COMPLETE,
        /** The user ended it early: figures are those of a part. */
        INTERRUPTED,
        /** Something broke in mid-run: figures are those of a part. */
        FAILED
    }

    /** Something broke in mid-run: the completion. */
    public static Completion failed(final String reason) {
        return new Completion(State.FAILED, reason);
    }

    /** The end of a scenario in which nothing broke: interrupted or complete. */
    public static Completion of(final boolean interrupted) {
        return interrupted ? INTERRUPTED : COMPLETE;
    }
}
