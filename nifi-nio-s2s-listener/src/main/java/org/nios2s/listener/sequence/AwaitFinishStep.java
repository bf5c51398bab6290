/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
