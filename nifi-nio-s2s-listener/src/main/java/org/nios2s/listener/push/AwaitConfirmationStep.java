// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.PeerFault.Kind;
import org.nios2s.wire.ResponseMessage;

/**
 * The peer compares checksums and confirms, or refuses. From its confirmation on, the transaction waits for a port task.
 * Lives on the connection's IO worker.
 */
record AwaitConfirmationStep(Push transfer) implements Step {
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
            throw unexpected(confirmation, "confirm transaction");
        }
        return new AwaitCommitStep(transfer);
    }
}
