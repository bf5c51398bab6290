// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.MessageSequenceHandler;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingTransactionStep;

/**
 * A push has kept its IO worker busy for a turn: it goes on behind the other connections. Lives on the connection's IO worker.
 *
 * @param next where it goes on, which is where it was
 */
record YieldStep(Push push, Step next) implements WaitingTransactionStep {
    @Override
    public Push transaction() {
        return push;
    }

    @Override
    public Step begin() {
        final MessageSequenceHandler handler = connection().handler();
        handler.afterLoopIteration(() -> handler.proceedOnWorker(this, () -> next));
        return this;
    }

    @Override
    public boolean isPeersTurn() {
        return push.inflatesAbnormally();
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.NONE;
    }
}
