// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import org.nios2s.listener.fault.PeerFault;
import org.nios2s.listener.transaction.TransactionPeer;

/**
 * A transaction that needs a session of its own: it takes the one of the port task that serves it, and the port task
 * returns to NiFi without waiting for anything.
 */
public interface SessionTaker {
    /** @return whose transaction it is */
    TransactionPeer peer();

    /**
     * Takes the session, on the port task.
     *
     * @param session to be ended by whoever keeps it
     * @return whether the session is kept
     */
    boolean take(HeldSession session);

    /** There will be no session. On the port task or a dispatcher thread. */
    void refuse(PeerFault fault);
}
