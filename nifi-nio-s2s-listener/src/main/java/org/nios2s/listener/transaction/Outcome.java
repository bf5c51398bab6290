// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import org.nios2s.listener.fault.PeerFault;

/**
 * What became of a transaction at its port. Immutable; any thread.
 *
 * @param fault why it was not committed, or null if it was
 * @param destinationFull whether it was committed and the port has no room for more
 */
public record Outcome(PeerFault fault, boolean destinationFull) {
    /** Committed; more is welcome. */
    public static final Outcome COMMITTED = new Outcome(null, false);

    /** Committed; the peer should pause. */
    public static final Outcome COMMITTED_AND_FULL = new Outcome(null, true);

    /** @throws PeerFault if it was not committed */
    public Outcome orFault() throws PeerFault {
        if (fault != null) {
            throw fault;
        }
        return this;
    }

    /** Rolled back. */
    public static Outcome failed(final PeerFault fault) {
        return new Outcome(fault, false);
    }
}
