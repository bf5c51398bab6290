// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

/** How scarce the things are that a transaction holds, from its peer's point of view. Immutable; any thread. */
public enum Contention {
    /** Nobody waits for them: its peer may be as slow as it likes. */
    NONE,
    /** Somebody waits for them. */
    CONTENDED,
    /** Another peer waits for them, and this transaction's peer holds more than its share. */
    BEYOND_SHARE
}
