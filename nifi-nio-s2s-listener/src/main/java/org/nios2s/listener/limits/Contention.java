// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

/** The contention for the resources that a transaction holds. Immutable; any thread. */
public enum Contention {
    /** No other transaction waits for them: the peer may be as slow as it likes. */
    NONE,
    /** Another transaction waits for them. */
    CONTENDED,
    /** Another peer waits for them, and the transaction's peer holds more than its share. */
    BEYOND_SHARE
}
