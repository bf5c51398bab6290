// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import org.nios2s.listener.fault.ConnectionFault;

/** A connection, as the holder of what peers share. All methods may be called from any thread. */
public interface Holder {
    /** @return the peer for which it counts */
    PeerKey key();

    /** @return how long the peer has taken */
    PeerTurn turn();

    /**
     * Ends what is under way, unless the peer's turn is over by then, or the peer has been heard of since.
     *
     * @param reason for the log
     * @param silentNanos how long the peer has to be silent still; 0 for not at all
     */
    void revoke(ConnectionFault reason, long silentNanos);
}
