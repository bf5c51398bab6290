// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import org.nios2s.listener.PeerFault;
import org.nios2s.listener.port.HeldSession;
import org.nios2s.listener.transaction.StreamingTransaction;

/**
 * A push transaction has outgrown memory: it waits for a permit to stream, then for a session of its own, while its
 * socket is not read. Lives on the connection's IO worker; {@link Taker} on the port task.
 */
final class AwaitSessionStep extends WaitingStep {
    private final Reception reception;
    private final Step next;
    private final Taker taker = new Taker();
    private final Runnable permitGranted = this::permitGranted;
    private final long startNanos = System.nanoTime();
    private boolean permitted;

    /**
     * @param next where the reception goes on
     */
    AwaitSessionStep(final Reception reception, final Step next) {
        super(reception.connection());
        this.reception = reception;
        this.next = next;
    }

    Step begin() {
        if (listener().streamingPermits().acquireOrAwait(permitGranted)) {
            requestSession();
        }
        return this;
    }

    private void permitGranted() {
        connection()
                .handler()
                .proceedOrElse(
                        this,
                        () -> {
                            requestSession();
                            return this;
                        },
                        listener().streamingPermits()::release);
    }

    private void requestSession() {
        permitted = true;
        connection().dispatcher().requestSession(taker);
    }

    private ListenerContext listener() {
        return connection().listener();
    }

    @Override
    public void checkDeadline(final long nowNanos) throws PeerFault {
        Expiration.check(connection(), startNanos, nowNanos);
    }

    @Override
    public void abandon() {
        if (!permitted) {
            // If it is granted at this moment, the grant finds that we have left.
            listener().streamingPermits().withdraw(permitGranted);
        } else if (taker.claim()) {
            connection().dispatcher().withdraw(taker);
            listener().streamingPermits().release();
        }
        next.abandon();
    }

    @Override
    public boolean needsRunningPort() {
        return true;
    }

    /** Takes the session; lives on the port task. */
    private final class Taker extends WaitingTaker {
        Taker() {
            super(AwaitSessionStep.this);
        }

        @Override
        boolean takeClaimed(final HeldSession held) {
            held.whenEnded(listener().streamingPermits()::release);
            final StreamingTransaction streaming = new StreamingTransaction(
                    connection(), held, listener().budget(), listener().contentWorkers(), fault -> connection()
                            .handler()
                            .failFromOutside(fault));
            connection()
                    .handler()
                    .proceedOrElse(
                            AwaitSessionStep.this,
                            () -> {
                                reception.streamInto(streaming);
                                return next;
                            },
                            streaming::abandon);
            return true;
        }
    }
}
