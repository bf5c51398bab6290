// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.wire.ResponseMessage;

/** The peer has all packets and says which checksum it computed; we compare. Lives on the connection's IO worker. */
record AwaitReceiptStep(Pull transfer) implements Step {
    /** First version in which the checksum counts. */
    private static final int CHECKSUM_VERSION = 4;

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        final ResponseMessage receipt = ResponseMessage.readIfComplete(in);
        if (receipt == null) {
            return this;
        }
        if (receipt.code() != ResponseCode.CONFIRM_TRANSACTION) {
            throw new PeerFault(
                    PeerFault.Kind.UNEXPECTED_RESPONSE,
                    "The peer says " + receipt + " in place of confirm transaction");
        }
        final PeerConnection connection = transfer.connection();
        final String checksum = transfer.transaction().checksum();
        if (connection.protocolVersion() >= CHECKSUM_VERSION && !checksum.equals(receipt.message())) {
            connection.send(ResponseCode.BAD_CHECKSUM);
            throw new PeerFault(
                    PeerFault.Kind.BAD_CHECKSUM,
                    "The peer computed the checksum " + receipt.message() + " and not " + checksum
                            + "; the transaction is rolled back");
        }
        connection.send(ResponseCode.CONFIRM_TRANSACTION, "");
        return new AwaitFinishStep(transfer);
    }
}
