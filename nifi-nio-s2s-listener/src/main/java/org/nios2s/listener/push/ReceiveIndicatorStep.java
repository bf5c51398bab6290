// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.LogText;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.wire.ResponseMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Behind a packet the peer says whether another follows, the transaction is finished, or it is cancelled. Lives on the
 * connection's IO worker.
 */
record ReceiveIndicatorStep(Push transfer) implements Step {
    private static final Logger logger = LoggerFactory.getLogger(ReceiveIndicatorStep.class);

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        if (!transfer.finishPacket(in)) {
            return transfer.waitIfNeeded(this);
        }
        final ResponseMessage indicator = ResponseMessage.readIfComplete(in);
        if (indicator == null) {
            return this;
        }
        return switch (indicator.code()) {
            case CONTINUE_TRANSACTION -> transfer.nextPacket();
            case FINISH_TRANSACTION -> finish();
            case CANCEL_TRANSACTION -> cancel(indicator);
            default -> throw unexpected(indicator, "continue, finish or cancel transaction");
        };
    }

    private Step finish() {
        transfer.finishDecoding();
        return new AwaitRoomStep(transfer);
    }

    private Step cancel(final ResponseMessage indicator) {
        logger.debug("{} cancelled its transaction: {}", transfer.connection(), LogText.of(indicator.message()));
        transfer.connection().metrics().add(Counter.PUSHES_CANCELLED, 1);
        transfer.abandon();
        return transfer.connection().awaitRequest();
    }

    @Override
    public boolean isRateLimited() {
        return true;
    }
}
