// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.connection.Step;

/** A packet of a push transaction arrives. Lives on the connection's IO worker. */
record ReceivePacketStep(Push transfer) implements Step {
    @Override
    public Step receive(final ByteBuf in) throws IOException {
        return transfer.receivePacket(in)
                ? transfer.waitAfterPacketIfNeeded(new ReceiveIndicatorStep(transfer))
                : transfer.waitIfNeeded(this);
    }

    @Override
    public boolean isRateLimited() {
        return true;
    }
}
