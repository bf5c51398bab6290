// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import org.nios2s.listener.limits.Contention;

/** A push or a pull, as its steps share it while packets are on their way. Lives on the connection's IO worker. */
public interface TransactionContext {
    PeerConnection connection();

    /** @return whether others wait for what it holds: then its peer makes progress or loses it */
    Contention scarcity();

    /** The transaction does not succeed: gives back what it holds, and rolls back. */
    void abandon();
}
