// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.TransactionStep;

/** A packet of a push transaction arrives. Lives on the connection's IO worker. */
record ReceivePacketStep(Push push) implements TransactionStep {
    @Override
    public Push transaction() {
        return push;
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        if (push.receivePacket(in)) {
            return push.waitAfterPacketIfNeeded(new ReceiveIndicatorStep(push));
        }
        return push.waitIfNeeded(this);
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
