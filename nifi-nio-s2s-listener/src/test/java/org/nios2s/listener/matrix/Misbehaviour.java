// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

/** What a peer can do in place of the message that is due. Immutable; any thread. */
enum Misbehaviour {
    /** Closes its socket. */
    LEAVE,
    /** Vanishes, as a process that was killed. */
    RESET,
    /** Sends nothing more, but still listens. */
    HALF_CLOSE,
    /** Neither sends nor leaves. */
    STALL,
    /** Sends bytes that mean nothing. */
    GARBAGE,
    /** Sends half of the message, then nothing more. */
    TRUNCATED,
    /** Sends a message that is, or claims to be, larger than any. */
    OVER_LONG,
    /** Sends the message twice. */
    REPEATED,
    /** Sends a message that is due elsewhere. */
    OUT_OF_ORDER,
    /** Sends the message again and again, and reads no answer. */
    ANSWERS_NOT_READ;

    /** Whether the peer is not there any more to see what the listener does. */
    boolean isGone() {
        return this == LEAVE || this == RESET;
    }
}
