// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.function.BooleanSupplier;
import org.nios2s.listener.fault.ConnectionFault;

/** A connection, as the holder of what peers share. All methods may be called from any thread. */
public interface Holder {
    /** @return the peer for which it counts */
    PeerKey key();

    /** @return how long the peer has taken */
    PeerTurn turn();

    /**
     * Ends what is under way, unless the peer's turn is over by then.
     *
     * @param reason for the log
     * @param isStillDue asked on the connection's IO worker, after a look at the socket
     * @param otherwise runs in its place, on the IO worker too, if nothing ends
     */
    void revoke(ConnectionFault reason, BooleanSupplier isStillDue, Runnable otherwise);
}
