// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

/** A push or a pull, as its steps share it while packets are on their way. Lives on the connection's IO worker. */
public interface TransactionContext {
    PeerConnection connection();

    /** @return whether what its peer sends costs the peer next to nothing, and us very much: its bytes are no sign of life then */
    default boolean inflatesAbnormally() {
        return false;
    }

    /** The transaction does not succeed: gives back what it holds, and rolls back. */
    void abandon();
}
