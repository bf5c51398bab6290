// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.listener.PeerFault;
import org.nios2s.wire.ResponseMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Behind a packet the peer says whether another follows, the transaction is finished, or it is cancelled. Lives on the
 * connection's IO worker.
 */
final class ReceiveIndicatorStep implements Step {
    private static final Logger logger = LoggerFactory.getLogger(ReceiveIndicatorStep.class);

    private final Reception reception;
    private boolean chunkFinished;

    ReceiveIndicatorStep(final Reception reception) {
        this.reception = reception;
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        if (!chunkFinished) {
            chunkFinished = reception.finishChunk(in);
            if (!chunkFinished) {
                return this;
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
        reception.nextPacket();
        return new ReceivePacketStep(reception);
    }

    private Step confirm() throws IOException {
        reception.end();
        reception.connection().send(ResponseCode.CONFIRM_TRANSACTION, reception.checksum());
        return new AwaitConfirmationStep(reception);
    }

    private Step cancel(final ResponseMessage indicator) {
        logger.debug("{} cancelled its transaction: {}", reception.connection(), indicator.message());
        reception.abandon();
        return new RequestStep(reception.connection());
    }

    @Override
    public void abandon() {
        reception.abandon();
    }

    @Override
    public boolean needsRunningPort() {
        return true;
    }

    @Override
    public Patience patience() {
        return Patience.WITHIN_REQUEST;
    }
}
