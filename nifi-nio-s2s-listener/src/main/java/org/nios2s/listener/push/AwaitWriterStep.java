// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingTransactionStep;

/**
 * A streamed push waits until its data is written, however long that takes, since the peer is not slow. Its socket is not read
 * meanwhile. Lives on the connection's IO worker.
 *
 * @param next where it goes on, which is where it was
 */
record AwaitWriterStep(Push push, Step next) implements WaitingTransactionStep {
    @Override
    public Push transaction() {
        return push;
    }

    @Override
    public Step begin() {
        push.awaitCaughtUp(() -> proceed(() -> next));
        return this;
    }

    /** A peer whose few bytes have us write very many is not waiting for us. */
    @Override
    public boolean isPeersTurn() {
        return push.inflatesAbnormally();
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.NONE;
    }
}
