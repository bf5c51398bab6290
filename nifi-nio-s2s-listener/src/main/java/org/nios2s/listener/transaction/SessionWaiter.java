// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;

/**
 * A transaction that waits for a session of its own, and for the permit to use it: it takes the session of the port task that serves
 * it, and the port task returns to NiFi without waiting for anything. Made on the IO worker; the first to claim it, port task or IO worker,
 * decides its outcome.
 *
 * @param peer whose transaction it is
 * @param taker takes the session, on the port task, and says whether it keeps the session; then it ends the session
 * @param refusal called if there will be no session, on the port task or a dispatcher thread
 * @param madeNanos when it was made, as {@link System#nanoTime}
 */
public record SessionWaiter(
        TransactionPeer peer, Taker taker, Consumer<ConnectionFault> refusal, AtomicBoolean claimed, long madeNanos) {
    public SessionWaiter(
            final TransactionPeer peer,
            final Taker taker,
            final Consumer<ConnectionFault> refusal,
            final long nowNanos) {
        this(peer, taker, refusal, new AtomicBoolean(), nowNanos);
    }

    public boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    public boolean take(final HeldSession held) throws IOException {
        return claim() && taker.take(held);
    }

    /** Receives a session. */
    @FunctionalInterface
    public interface Taker {
        boolean take(HeldSession held) throws IOException;
    }
}
