// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.util.concurrent.atomic.AtomicBoolean;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.listener.port.HeldSession;
import org.nios2s.listener.port.SessionTaker;
import org.nios2s.listener.transaction.TransactionPeer;

/**
 * Takes a port task's session for a step that waits for it, unless the step has been left meanwhile: whoever claims
 * first, port task or IO worker, decides. Made on the IO worker; takes on the port task.
 */
public abstract class WaitingTaker implements SessionTaker {
    private final WaitingStep step;
    private final AtomicBoolean claimed = new AtomicBoolean();

    protected WaitingTaker(final WaitingStep step) {
        this.step = step;
    }

    /** @return whether the caller is the one who decides what becomes of the request */
    private boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    /**
     * The step is left: no session is wanted any more. On the IO worker.
     *
     * @return false if a session was taken already
     */
    public final boolean withdraw() {
        if (!claim()) {
            return false;
        }
        step.connection().dispatcher().withdraw(this);
        return true;
    }

    /**
     * Takes the session; the step will hear of it.
     *
     * @return whether it is kept
     */
    protected abstract boolean takeClaimed(HeldSession held);

    @Override
    public final boolean take(final HeldSession held) {
        return claim() && takeClaimed(held);
    }

    @Override
    public final TransactionPeer peer() {
        return step.connection();
    }

    @Override
    public final void refuse(final PeerFault fault) {
        step.fail(fault);
    }
}
