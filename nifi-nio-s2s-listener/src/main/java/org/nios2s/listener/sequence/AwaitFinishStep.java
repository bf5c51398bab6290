// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.PeerFault;
import org.nios2s.wire.ResponseMessage;

/** The peer says that it has made the FlowFiles its own. Lives on the connection's IO worker. */
final class AwaitFinishStep implements Step {
    private final Sending sending;

    AwaitFinishStep(final Sending sending) {
        this.sending = sending;
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        final ResponseMessage finish = ResponseMessage.readIfComplete(in);
        if (finish == null) {
            return this;
        }
        return switch (finish.code()) {
            case TRANSACTION_FINISHED, TRANSACTION_FINISHED_BUT_DESTINATION_FULL -> new CommitSentStep(sending).begin();
            default ->
                throw new PeerFault(
                        PeerFault.Kind.UNEXPECTED_RESPONSE,
                        "The peer says " + finish + " in place of transaction finished");
        };
    }

    @Override
    public void abandon() {
        sending.abandon();
    }

    @Override
    public Patience patience() {
        return Patience.WITHIN_REQUEST;
    }
}
