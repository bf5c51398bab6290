// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/** A packet of a push transaction arrives. Lives on the connection's IO worker. */
final class ReceivePacketStep implements Step {
    private final Reception reception;
    private boolean waiting;

    ReceivePacketStep(final Reception reception) {
        this.reception = reception;
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        final boolean complete = reception.receivePacket(in);
        final Step next = complete ? new ReceiveIndicatorStep(reception) : this;
        if (reception.hasOutgrownMemory()) {
            return new AwaitSessionStep(reception, next).begin();
        }
        if (!complete && reception.isBehind()) {
            waiting = true;
            reception.awaitCaughtUp(this::resume);
        }
        return next;
    }

    private void resume() {
        reception.connection().handler().proceed(this, () -> {
            waiting = false;
            return this;
        });
    }

    @Override
    public boolean isWaiting() {
        return waiting;
    }

    @Override
    public void abandon() {
        reception.abandon();
    }

    @Override
    public boolean needsRunningPort() {
        return true;
    }

    /** While we are behind it is not the peer that is silent. */
    @Override
    public Patience patience() {
        return waiting ? Patience.UNLIMITED : Patience.WITHIN_REQUEST;
    }
}
