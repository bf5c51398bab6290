// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Expiration;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.fault.PeerFault;

/**
 * A push transaction waits for something of ours before it goes on where it was; its socket is not read. Lives on the
 * connection's IO worker.
 */
abstract class PushWait extends WaitingStep {
    private final Push push;
    private final Step next;
    private final long startNanos = System.nanoTime();

    /**
     * @param next where it goes on
     */
    PushWait(final Push push, final Step next) {
        super(push.connection());
        this.push = push;
        this.next = next;
    }

    final Push push() {
        return push;
    }

    /** What was awaited is there. From any thread. */
    final void goOn() {
        proceed(() -> next);
    }

    final Step next() {
        return next;
    }

    /** Waits no longer. */
    void withdraw() {}

    @Override
    public final void abandon() {
        withdraw();
        push.abandon();
    }

    @Override
    public final Object transaction() {
        return push;
    }

    @Override
    public final boolean needsRunningPort() {
        return true;
    }

    @Override
    public void checkDeadline(final long nowNanos) throws PeerFault {
        Expiration.check(connection(), startNanos, nowNanos);
    }
}
