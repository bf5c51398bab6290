// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingTransactionStep;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;
import org.nios2s.listener.transaction.SessionWaiter;
import org.nios2s.listener.transaction.StreamedPush;

/**
 * A push transaction has outgrown memory: it waits for a port task that brings a session, and with it the permit to stream. So it
 * holds no permit that other ports could use while its own port stands still. Lives on the connection's IO worker, but for
 * {@link #take}.
 */
final class AwaitSessionStep implements WaitingTransactionStep {
    private final Push push;
    private final Step next;
    private final SessionWaiter request;
    private Grant permit;

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
        push.releaseReservation();
        permit = connection().dispatcher().awaitSession(request);
        return this;
    }

    /** On the port task. */
    private boolean take(final HeldSession held) {
        final StreamedPush streaming = push.newStreaming(held);
        proceed(() -> push.streamInto(streaming, next), streaming::abandon);
        return true;
    }

    @Override
    public void abandon() {
        push.abandon(connection().dispatcher().withdraw(request, permit));
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.EXPIRATION;
    }
}
