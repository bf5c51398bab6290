// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.PeerFault;

/**
 * A push transaction waits for memory, behind those that asked before. Lives on the connection's IO worker.
 */
final class AwaitMemoryStep extends PushWait {
    AwaitMemoryStep(final Push push, final Step next) {
        super(push, next);
    }

    Step begin() {
        transfer().charge().await(this::goOn, this::giveUp, transfer().attributeBytes());
        return this;
    }

    private void giveUp() {
        fail(new PeerFault(
                PeerFault.Kind.OUT_OF_MEMORY,
                "The transaction holds the most of a full buffer memory in which nothing goes on; it is rolled back so that"
                        + " others go on. Raise nifi.remote.input.nio.buffer.memory if peers send such transactions"));
    }
}
