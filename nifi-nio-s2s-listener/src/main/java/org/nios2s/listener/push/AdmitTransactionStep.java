// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.limits.PortLimits;
import org.nios2s.listener.limits.PortLimits.TransactionLease;
import org.nios2s.listener.limits.SharedResource.Grant;

/**
 * A push is about to begin. Its peer's authorization is checked once more; then it waits for a place at its port, and for the
 * memory without which it could not finish. Lives on the connection's IO worker, with the check on a thread for what may
 * block.
 *
 * <pre>
 * AdmitTransaction → { ReceivePacket → ReceiveIndicator }* → AwaitRoom → AwaitConfirmation → AwaitCommit → Request
 *                       └ AwaitMemory, AwaitSession, AwaitWriter and back
 * </pre>
 */
public final class AdmitTransactionStep implements WaitingStep {
    private final PeerConnection connection;
    private Grant place;
    private Grant memory;

    public AdmitTransactionStep(final PeerConnection connection) {
        this.connection = connection;
    }

    @Override
    public PeerConnection connection() {
        return connection;
    }

    private PortLimits limits() {
        return connection.dispatcher().limits();
    }

    @Override
    public Step begin() {
        // First of all: a peer that may not use the port takes nothing from those that may.
        return ifAuthorized(this::acquirePlace);
    }

    private Step acquirePlace() {
        // Place first, then memory: a push that holds memory can go on, and never waits for a place.
        place = connection.dispatcher().queue().acquirePlace(connection, () -> proceed(this::reserveMemory));
        if (place.isImmediate()) {
            return reserveMemory();
        }
        return this;
    }

    private Step reserveMemory() {
        memory = limits().memory()
                .request(connection, Push.reservedBytes(connection), 0, () -> proceed(this::beginPush));
        if (memory.isImmediate()) {
            return beginPush();
        }
        return this;
    }

    private Step beginPush() {
        return new Push(connection, new TransactionLease(memory, place)).nextPacket();
    }

    @Override
    public void abandon() {
        if (memory != null) {
            memory.close();
        }
        if (place != null) {
            place.close();
        }
    }

    @Override
    public boolean needsRunningPort() {
        return true;
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.EXPIRATION;
    }
}
