// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

/** The parts of a push transaction that are timed apart. A constant, used on every thread. */
public enum Phase {
    /** From the start to a connection that is ready for the transaction; includes connecting when there is none. */
    CREATE,
    /** From there until the packets have been handed to the socket. */
    SEND,
    /** From there until the server has confirmed the checksum. */
    CONFIRM,
    /** From there until the server has answered that the transaction is finished, and so committed. */
    COMPLETE,
    /** From the start to the end. */
    TOTAL,
    /**
     * From the start that the pace intended, flat out the start, to the end, also of what failed or was never begun: what
     * callers waited.
     */
    RESPONSE
}
