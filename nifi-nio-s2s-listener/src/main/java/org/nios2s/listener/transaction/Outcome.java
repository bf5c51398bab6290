// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import org.apache.nifi.processor.ProcessContext;
import org.nios2s.listener.fault.ConnectionFault;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The result of a transaction at its port. Immutable; any thread.
 *
 * @param fault why it was not committed, or null if it was
 * @param destinationFull whether it was committed and the port has no room for more
 */
public record Outcome(ConnectionFault fault, boolean destinationFull) {
    private static final Logger logger = LoggerFactory.getLogger(Outcome.class);

    // Made before any commit: behind one, memory may run out, and the peer has to hear of the commit all the same.
    private static final Outcome COMMITTED = new Outcome(null, false);
    private static final Outcome COMMITTED_AND_FULL = new Outcome(null, true);

    /** @return of a commit that returned, whatever room it has left */
    public static Outcome committed() {
        return COMMITTED;
    }

    /** @return of a commit that returned, with what NiFi says of the room it has left. Never fails */
    public static Outcome committed(final ProcessContext context) {
        if (isDestinationFull(context)) {
            return COMMITTED_AND_FULL;
        }
        return COMMITTED;
    }

    /** @return whether NiFi says that the port's destination is full; where NiFi does not say, it is not */
    private static boolean isDestinationFull(final ProcessContext context) {
        try {
            return context.getAvailableRelationships().isEmpty();
        } catch (final Throwable e) {
            // An error, too: the caller has committed, and has to say so.
            logger.debug("NiFi does not say whether the destination is full; taken for not full", e);
            return false;
        }
    }

    /** @throws ConnectionFault if it was not committed */
    public Outcome orThrow() throws ConnectionFault {
        if (fault != null) {
            throw fault;
        }
        return this;
    }

    /** Rolled back. */
    public static Outcome failed(final ConnectionFault fault) {
        return new Outcome(fault, false);
    }
}
