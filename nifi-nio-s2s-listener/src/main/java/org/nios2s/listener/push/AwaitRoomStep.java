// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import java.io.IOException;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingTransactionStep;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.port.DestinationRoom;
import org.nios2s.wire.ResponseCode;

/**
 * All packets of a push are here: the transaction waits until the destination has room for it, and only then is its peer told
 * to confirm. Lives on the connection's IO worker.
 *
 * <p>Up to here a peer that gives up may send again safely. Behind its confirmation it could not know the outcome: so a full
 * destination is waited for here, and not there.
 */
final class AwaitRoomStep implements WaitingTransactionStep {
    private final Push push;

    AwaitRoomStep(final Push push) {
        this.push = push;
    }

    @Override
    public Push transaction() {
        return push;
    }

    @Override
    public Step begin() throws IOException {
        if (!connection().isPortRunning()) {
            throw Kind.PORT_NOT_RUNNING.fault(connection().port() + " was stopped; the transaction is rolled back");
        }
        final DestinationRoom room = connection().dispatcher().destination();
        final Grant reservation =
                room.reserve(connection(), push.load(), connection().worker(), () -> proceed(this::confirm));
        push.reserved(reservation);
        if (reservation.isImmediate()) {
            return confirm();
        }
        return this;
    }

    private Step confirm() throws IOException {
        connection().send(ResponseCode.CONFIRM_TRANSACTION, push.checksum());
        return new AwaitConfirmationStep(push);
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.EXPIRATION;
    }
}
