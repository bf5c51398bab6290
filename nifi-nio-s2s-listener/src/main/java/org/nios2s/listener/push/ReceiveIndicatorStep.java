// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.TransactionStep;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.wire.LogText;
import org.nios2s.wire.ResponseMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Behind a packet the peer says whether another follows, the transaction is finished, or it is cancelled. Lives on the
 * connection's IO worker.
 */
record ReceiveIndicatorStep(Push push) implements TransactionStep {
    private static final Logger logger = LoggerFactory.getLogger(ReceiveIndicatorStep.class);

    @Override
    public Push transaction() {
        return push;
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        if (!push.finishPacket(in)) {
            return push.waitIfNeeded(this);
        }
        final ResponseMessage indicator = ResponseMessage.readIfComplete(in);
        if (indicator == null) {
            return this;
        }
        return switch (indicator.code()) {
            case CONTINUE_TRANSACTION -> push.nextPacket();
            case FINISH_TRANSACTION -> finish();
            case CANCEL_TRANSACTION -> cancel(indicator);
            default -> throw Step.unexpected(indicator, "continue, finish or cancel transaction");
        };
    }

    private Step finish() {
        push.finishDecoding();
        return new AwaitRoomStep(push);
    }

    private Step cancel(final ResponseMessage indicator) {
        logger.debug("{} cancelled its transaction: {}", push.connection(), LogText.of(indicator.message()));
        push.connection().metrics().add(Counter.PUSHES_CANCELLED, 1);
        push.abandon();
        return push.connection().awaitRequest();
    }

    @Override
    public boolean isRateLimited() {
        return true;
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.WITHIN_REQUEST;
    }
}
