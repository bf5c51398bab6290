// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.listener.transaction.InboundTransaction;
import org.nios2s.listener.transaction.Outcome;

/**
 * A port task is to commit the transaction; the peer is answered when it has. Lives on the connection's IO worker.
 *
 * <p>A transaction whose peer leaves, or whose time is over, before a port task has it is rolled back: the peer will send
 * it again.
 */
final class AwaitCommitStep extends WaitingStep {
    private final Push push;
    private final InboundTransaction transaction;
    private boolean hasEnded;

    AwaitCommitStep(final Push push, final InboundTransaction transaction) {
        super(push.connection());
        this.push = push;
        this.transaction = transaction;
    }

    Step begin() {
        transaction.ready(this::served);
        connection().dispatcher().submit(transaction);
        return this;
    }

    /** The port task is done with it. */
    private void served(final Outcome outcome) {
        connection().handler().proceedHere(this, () -> push.answer(outcome));
    }

    /** Its outcome is posted before its end: by the next look it has come. */
    @Override
    public void checkDeadline(final long nowNanos) throws PeerFault {
        if (hasEnded) {
            throw new PeerFault(PeerFault.Kind.INTERNAL, "The outcome of the transaction was lost");
        }
        hasEnded = transaction.state() == InboundTransaction.State.ENDED;
    }

    @Override
    public Patience patience() {
        return needsRunningPort() ? Patience.EXPIRATION : Patience.UNLIMITED;
    }

    @Override
    public void abandon() {
        if (transaction.abandon()) {
            connection().dispatcher().withdraw(transaction);
        }
    }

    @Override
    public boolean needsRunningPort() {
        return transaction.state() == InboundTransaction.State.READY;
    }
}
