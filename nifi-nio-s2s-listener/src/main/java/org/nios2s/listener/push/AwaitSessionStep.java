// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingTaker;
import org.nios2s.listener.limits.Limit;
import org.nios2s.listener.port.HeldSession;
import org.nios2s.listener.transaction.StreamingTransaction;

/**
 * A push transaction has outgrown memory: it waits for a permit to stream, then for a session of its own. Lives on the
 * connection's IO worker; {@link Taker} on the port task.
 */
final class AwaitSessionStep extends PushWait {
    private final Limit permits;
    private final Taker taker = new Taker();
    private Limit.Waiter permitWaiter;

    AwaitSessionStep(final Push push, final Step next) {
        super(push, next);
        this.permits = push.limits().streaming();
    }

    Step begin() {
        permitWaiter = permits.acquireOrAwait(() -> proceed(() -> {
            permitWaiter = null;
            requestSession();
            return this;
        }));
        if (permitWaiter == null) {
            requestSession();
        }
        return this;
    }

    private void requestSession() {
        connection().dispatcher().requestSession(taker);
    }

    @Override
    void withdraw() {
        if (permitWaiter != null) {
            permitWaiter.withdraw();
        } else if (taker.withdraw()) {
            permits.release();
        }
    }

    /** Takes the session; lives on the port task. */
    private final class Taker extends WaitingTaker {
        Taker() {
            super(AwaitSessionStep.this);
        }

        @Override
        protected boolean takeClaimed(final HeldSession held) {
            held.whenEnded(permits::release);
            final StreamingTransaction streaming = push().newStreaming(held);
            connection()
                    .handler()
                    .proceedOrElse(
                            AwaitSessionStep.this,
                            () -> {
                                push().streamInto(streaming);
                                return next();
                            },
                            streaming::abandon);
            return true;
        }
    }
}
