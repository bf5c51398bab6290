// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.connection.Step;
import org.nios2s.wire.ResponseMessage;

/**
 * The peer says that it has made the FlowFiles its own. Lives on the connection's IO worker.
 *
 * <p>It may have done so already: so it is cut off for its silence alone, not because it is slow or its port stops.
 */
record AwaitFinishStep(Pull pull) implements Step {
    @Override
    public Step receive(final ByteBuf in) throws IOException {
        final ResponseMessage finish = ResponseMessage.readIfComplete(in);
        if (finish == null) {
            return this;
        }
        return switch (finish.code()) {
            case TRANSACTION_FINISHED, TRANSACTION_FINISHED_BUT_DESTINATION_FULL -> new CommitSentStep(pull).begin();
            default -> throw unexpected(finish, "transaction finished");
        };
    }

    @Override
    public void abandon() {
        pull.abandon();
    }
}
