// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.limits.Limit;

/**
 * A push is about to begin: it waits until its port has a place for it, and its peer's authorization is checked once more.
 * Lives on the connection's IO worker, with the check on a thread for what may block.
 *
 * <pre>
 * AdmitTransaction → { ReceivePacket → ReceiveIndicator }* → AwaitConfirmation → AwaitCommit → Request
 *                       └ AwaitMemory, AwaitSession, AwaitWriter, Yield and back
 * </pre>
 */
public final class AdmitTransactionStep implements WaitingStep {
    private final PeerConnection connection;
    private Limit.Permit place;

    public AdmitTransactionStep(final PeerConnection connection) {
        this.connection = connection;
    }

    @Override
    public PeerConnection connection() {
        return connection;
    }

    @Override
    public Step begin() {
        place = connection.dispatcher().limits().places().ask(() -> proceed(this::authorize));
        return place.isImmediate() ? authorize() : this;
    }

    private Step authorize() {
        return ifAuthorized(() -> new Push(connection, place).nextPacket());
    }

    @Override
    public void abandon() {
        if (place != null) {
            place.close();
        }
    }
}
