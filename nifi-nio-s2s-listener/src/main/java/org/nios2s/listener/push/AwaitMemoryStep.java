// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingTransactionStep;

/**
 * The attributes of a packet under way take more than the push has reserved, and there is no room: it waits for another unit,
 * behind the pushes that have waited longer. Its socket is not read meanwhile. Lives on the connection's IO worker.
 *
 * @param next where it goes on, which is where it was
 */
record AwaitMemoryStep(Push push, Step next) implements WaitingTransactionStep {
    @Override
    public Push transaction() {
        return push;
    }

    @Override
    public Step begin() {
        final Runnable granted = () -> proceed(() -> next);
        if (push.extendMemory(granted)) {
            // By a task, not by returning next: the walk would see the step from which it came, and take it for one
            // that needs bytes.
            granted.run();
        }
        return this;
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.EXPIRATION;
    }
}
