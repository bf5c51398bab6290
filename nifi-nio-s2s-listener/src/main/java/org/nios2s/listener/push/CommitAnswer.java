// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.listener.transaction.Outcome;

/** What a peer hears of its push. Stateless; on the connection's IO worker. */
final class CommitAnswer {
    private CommitAnswer() {}

    /**
     * Tells the peer what became of its push.
     *
     * @return the next step
     * @throws PeerFault if it was rolled back: the peer hears nothing, and sends it again
     */
    static Step send(final PeerConnection connection, final Outcome outcome) throws PeerFault {
        if (outcome.fault() != null) {
            throw outcome.fault();
        }
        connection.send(
                outcome.destinationFull()
                        ? ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL
                        : ResponseCode.TRANSACTION_FINISHED);
        return connection.awaitRequest();
    }
}
