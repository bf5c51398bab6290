// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.connection.Step;

/** A packet of a push transaction arrives. Lives on the connection's IO worker. */
final class ReceivePacketStep extends PushStep {
    ReceivePacketStep(final Push push) {
        super(push);
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        return push().receivePacket(in)
                ? push().pacedBehindPacket(new ReceiveIndicatorStep(push()))
                : push().paced(this);
    }
}
