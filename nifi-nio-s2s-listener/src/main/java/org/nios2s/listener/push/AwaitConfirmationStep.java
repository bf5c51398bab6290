// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.TransactionStep;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.wire.ResponseCode;
import org.nios2s.wire.ResponseMessage;

/**
 * The peer compares checksums and confirms, or refuses. From its confirmation on, the transaction waits for a port task.
 * Lives on the connection's IO worker.
 *
 * <p>The transaction has room in the destination reserved, which a silent peer loses to others that wait for it.
 */
record AwaitConfirmationStep(Push push) implements TransactionStep {
    @Override
    public Push transaction() {
        return push;
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
