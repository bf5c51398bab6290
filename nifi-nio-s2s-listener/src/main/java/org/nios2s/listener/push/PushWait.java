// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;

/**
 * A push transaction waits for something of ours before it goes on where it was; its socket is not read. Lives on the
 * connection's IO worker.
 */
abstract class PushWait extends WaitingStep {
    private final Push push;
    private final Step next;

    /**
     * @param next where it goes on
     */
    PushWait(final Push push, final Step next) {
        super(push.connection());
        this.push = push;
        this.next = next;
    }

    @Override
    public final Push transfer() {
        return push;
    }

    final Step next() {
        return next;
    }

    /** What was awaited is there. From any thread. */
    final void goOn() {
        proceed(() -> next);
    }
}
