// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.TransactionStep;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.wire.ResponseCode;
import org.nios2s.wire.ResponseMessage;

/**
 * The peer compares checksums and confirms, or refuses. From its confirmation on, the transaction waits for a port task.
 * Lives on the connection's IO worker.
 *
 * <p>The transaction has room in the destination reserved. A peer may keep others waiting for that room for as long as a line
 * may take there and back, and not for its whole expiration.
 *
 * @param beganNanos when the peer was told to confirm
 */
record AwaitConfirmationStep(Push push, long beganNanos) implements TransactionStep {
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(3);

    @Override
    public Push transaction() {
        return push;
    }

    @Override
    public void checkDeadline(final long nowNanos) throws ConnectionFault {
        if (nowNanos - beganNanos > GRACE_NANOS
                && push.connection().dispatcher().destination().isContended()) {
            throw Kind.SLOW_PEER.fault(
                    "The peer has not confirmed its transaction for " + TimeUnit.NANOSECONDS.toSeconds(GRACE_NANOS)
                            + " s, and other peers wait for the room in the destination that is reserved for it");
        }
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        final ResponseMessage confirmation = ResponseMessage.readIfComplete(in);
        if (confirmation == null) {
            return this;
        }
        if (confirmation.code() == ResponseCode.BAD_CHECKSUM) {
            throw Kind.BAD_CHECKSUM.fault("The peer computed another checksum; the transaction is rolled back");
        }
        if (confirmation.code() != ResponseCode.CONFIRM_TRANSACTION) {
            throw Step.unexpected(confirmation, "confirm transaction");
        }
        return new AwaitCommitStep(push);
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.WITHIN_REQUEST;
    }
}
