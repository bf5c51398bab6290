// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingTransactionStep;
import org.nios2s.listener.limits.Limit;
import org.nios2s.listener.transaction.HeldSession;
import org.nios2s.listener.transaction.SessionWaiter;
import org.nios2s.listener.transaction.StreamedPush;

/**
 * A push transaction has outgrown memory: it waits for a permit to stream, then for a session of its own. Lives on the
 * connection's IO worker, but for {@link #take}.
 */
final class AwaitSessionStep implements WaitingTransactionStep {
    private final Push push;
    private final Step next;
    private final SessionWaiter request;
    private Limit.Permit permit;

    AwaitSessionStep(final Push push, final Step next) {
        this.push = push;
        this.next = next;
        this.request = new SessionWaiter(
                push.connection(),
                this::take,
                this::fail,
                push.connection().clock().nanoTime());
    }

    @Override
    public Push transaction() {
        return push;
    }

    @Override
    public Step begin() {
        permit = connection()
                .dispatcher()
                .limits()
                .streaming()
                .acquire(connection().key(), () -> proceed(() -> awaitSession(request)));
        if (permit.isImmediate()) {
            return awaitSession(request);
        }
        return this;
    }

    /** On the port task. */
    private boolean take(final HeldSession held) {
        held.whenEnded(permit::close);
        final StreamedPush streaming = push.newStreaming(held);
        proceed(() -> push.streamInto(streaming, permit, next), streaming::abandon);
        return true;
    }

    @Override
    public void abandon() {
        final boolean untaken = connection().dispatcher().withdraw(request);
        push.abandon(untaken);
        if (untaken && permit != null) {
            permit.close();
        }
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.EXPIRATION;
    }
}
