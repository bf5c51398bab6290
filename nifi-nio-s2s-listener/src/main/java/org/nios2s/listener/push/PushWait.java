// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.MessageSequenceHandler;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.fault.PeerFault.Kind;

/**
 * A push transaction waits for something of ours before it goes on where it was; its socket is not read. Lives on the
 * connection's IO worker.
 */
record PushWait(String name, Push transfer, Step next, Patience patience) implements WaitingStep {
    /** Waits for memory, behind those that asked before. */
    static Step forMemory(final Push push, final Step next) {
        final PushWait wait = new PushWait("AwaitMemoryStep", push, next, Patience.EXPIRATION);
        push.awaitMemory(() -> wait.proceed(() -> next), wait::giveUp);
        return wait;
    }

    private void giveUp() {
        fail(Kind.OUT_OF_MEMORY.fault(
                "The transaction holds the most of a full buffer memory in which nothing goes on; it is rolled back so that"
                        + " others go on. Raise nifi.remote.input.nio.buffer.memory if peers send such transactions"));
    }

    /** Waits until what has arrived is written, however long it takes: it is not the peer who is slow. */
    static Step forWriter(final Push push, final Step next) {
        final PushWait wait = new PushWait("AwaitWriterStep", push, next, Patience.UNLIMITED);
        push.awaitCaughtUp(() -> wait.proceed(() -> next));
        return wait;
    }

    /** Has kept its IO worker busy for a turn: goes on behind the other connections. */
    static Step forTurn(final Push push, final Step next) {
        final PushWait wait = new PushWait("YieldStep", push, next, Patience.UNLIMITED);
        final MessageSequenceHandler handler = push.connection().handler();
        handler.afterOthers(() -> handler.proceedHere(wait, () -> next));
        return wait;
    }
}
