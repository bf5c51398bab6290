// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.TransactionStep;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.wire.ResponseCode;
import org.nios2s.wire.ResponseMessage;

/** The peer has all packets and says which checksum it computed; we compare. Lives on the connection's IO worker. */
record AwaitChecksumStep(Pull pull) implements TransactionStep {
    /** First version in which the checksum counts. */
    private static final int CHECKSUM_VERSION = 4;

    @Override
    public Pull transaction() {
        return pull;
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        final ResponseMessage receipt = ResponseMessage.readIfComplete(in);
        if (receipt == null) {
            return this;
        }
        if (receipt.code() != ResponseCode.CONFIRM_TRANSACTION) {
            throw Step.unexpected(receipt, "confirm transaction");
        }
        final PeerConnection connection = pull.connection();
        final String checksum = pull.transaction().checksum();
        if (connection.protocolVersion() >= CHECKSUM_VERSION && !checksum.equals(receipt.message())) {
            connection.send(ResponseCode.BAD_CHECKSUM);
            throw Kind.BAD_CHECKSUM.fault("The peer computed the checksum " + receipt.message() + " and not " + checksum
                    + "; the transaction is rolled back");
        }
        connection.send(ResponseCode.CONFIRM_TRANSACTION, "");
        return new AwaitFinishedStep(pull, connection.clock().nanoTime());
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.WITHIN_REQUEST;
    }
}
