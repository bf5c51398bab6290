// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.LogText;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.wire.ResponseMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Behind a packet the peer says whether another follows, the transaction is finished, or it is cancelled. Lives on the
 * connection's IO worker.
 */
final class ReceiveIndicatorStep extends PushStep {
    private static final Logger logger = LoggerFactory.getLogger(ReceiveIndicatorStep.class);

    private boolean chunkFinished;

    ReceiveIndicatorStep(final Push push) {
        super(push);
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        if (!chunkFinished) {
            chunkFinished = push().finishChunk(in);
            if (!chunkFinished) {
                return push().paced(this);
            }
        }
        final ResponseMessage indicator = ResponseMessage.readIfComplete(in);
        if (indicator == null) {
            return this;
        }
        return switch (indicator.code()) {
            case CONTINUE_TRANSACTION -> awaitNextPacket();
            case FINISH_TRANSACTION -> confirm();
            case CANCEL_TRANSACTION -> cancel(indicator);
            default ->
                throw new PeerFault(
                        PeerFault.Kind.UNEXPECTED_RESPONSE,
                        "Behind a packet the peer says " + indicator
                                + " in place of continue, finish or cancel transaction");
        };
    }

    private Step awaitNextPacket() {
        push().nextPacket();
        return push().paced(new ReceivePacketStep(push()));
    }

    private Step confirm() throws IOException {
        push().end();
        push().connection().send(ResponseCode.CONFIRM_TRANSACTION, push().checksum());
        return new AwaitConfirmationStep(push());
    }

    private Step cancel(final ResponseMessage indicator) {
        logger.debug("{} cancelled its transaction: {}", push().connection(), LogText.of(indicator.message()));
        push().abandon();
        return push().connection().awaitRequest();
    }
}
