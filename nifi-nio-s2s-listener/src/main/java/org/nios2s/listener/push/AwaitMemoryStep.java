// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingTransactionStep;

/**
 * The attributes of a packet under way take more than the push has reserved, and there is no room: it waits for the memory that is kept
 * for such packets, one at a time. Its socket is not read meanwhile. Lives on the connection's IO worker.
 *
 * <p>The push streams by now, so that it gives that memory back with its packet, whatever its port does.
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
        if (push.requestAttributeMemory(granted)) {
            // By a task, not by returning next: the walk would see the step from which it came, and take it for one
            // that needs bytes.
            granted.run();
        }
        return this;
    }

    /** It waits for other peers, and for no port or disk: another one need not wait for what a heavier peer holds meanwhile. */
    @Override
    public boolean isPeersTurn() {
        return true;
    }

    /** The peer is not read: it can't show that it is there. */
    @Override
    public boolean isDelayed() {
        return true;
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.EXPIRATION;
    }
}
