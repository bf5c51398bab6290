// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.wire.ResponseMessage;

/** The peer says that it has made the FlowFiles its own. Lives on the connection's IO worker. */
final class AwaitFinishStep implements Step {
    private final Pull pull;

    AwaitFinishStep(final Pull pull) {
        this.pull = pull;
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        final ResponseMessage finish = ResponseMessage.readIfComplete(in);
        if (finish == null) {
            return this;
        }
        return switch (finish.code()) {
            case TRANSACTION_FINISHED, TRANSACTION_FINISHED_BUT_DESTINATION_FULL -> new CommitSentStep(pull).begin();
            default ->
                throw new PeerFault(
                        PeerFault.Kind.UNEXPECTED_RESPONSE,
                        "The peer says " + finish + " in place of transaction finished");
        };
    }

    @Override
    public void abandon() {
        pull.abandon();
    }

    @Override
    public Object transaction() {
        return pull;
    }

    @Override
    public Patience patience() {
        return Patience.WITHIN_REQUEST;
    }
}
