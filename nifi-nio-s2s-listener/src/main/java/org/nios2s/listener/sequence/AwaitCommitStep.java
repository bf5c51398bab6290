// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import org.nios2s.listener.PeerFault;
import org.nios2s.listener.transaction.InboundTransaction;
import org.nios2s.listener.transaction.Outcome;

/**
 * A port task is to commit the transaction; the peer is answered when it has. Lives on the connection's IO worker.
 *
 * <p>A transaction whose peer leaves, or whose time is over, before a port task has it is rolled back: the peer will send
 * it again.
 */
final class AwaitCommitStep extends WaitingStep {
    private final InboundTransaction transaction;

    AwaitCommitStep(final PeerConnection connection, final InboundTransaction transaction) {
        super(connection);
        this.transaction = transaction;
    }

    Step begin() {
        connection().dispatcher().submit(transaction);
        return this;
    }

    /** The port task is done with it. */
    void served(final InboundTransaction served, final Outcome outcome) {
        if (served == transaction) {
            connection().handler().proceedHere(this, () -> connection().answerCommit(outcome));
        }
    }

    @Override
    public void checkDeadline(final long nowNanos) throws PeerFault {
        if (transaction.state() == InboundTransaction.State.READY) {
            Expiration.check(connection(), transaction.readyNanos(), nowNanos);
        }
    }

    @Override
    public void abandon() {
        if (transaction.abandon()) {
            connection().dispatcher().withdraw(transaction);
        }
    }

    @Override
    public boolean isCommitting() {
        return transaction.state() == InboundTransaction.State.IN_SERVICE;
    }

    @Override
    public boolean needsRunningPort() {
        return transaction.state() == InboundTransaction.State.READY;
    }
}
