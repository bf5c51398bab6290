// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;

/**
 * A streamed push waits until what has arrived is written, however long that takes: it is not the peer who is slow. Its socket is
 * not read meanwhile. Lives on the connection's IO worker.
 *
 * @param next where it goes on, which is where it was
 */
record AwaitWriterStep(Push transfer, Step next) implements WaitingStep {
    @Override
    public Step begin() {
        transfer.awaitCaughtUp(() -> proceed(() -> next));
        return this;
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.NONE;
    }
}
