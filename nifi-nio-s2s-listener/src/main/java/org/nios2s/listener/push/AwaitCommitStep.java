// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingTransactionStep;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.transaction.CommitDeadline;
import org.nios2s.listener.transaction.Outcome;
import org.nios2s.listener.transaction.OutcomeListener;
import org.nios2s.wire.ResponseCode;

/**
 * Both sides have confirmed: a port task is to commit the transaction; the peer is answered when it has. Lives on the
 * connection's IO worker.
 *
 * <p>A transaction whose peer leaves, or has stopped waiting, before a port task has claimed it is rolled back: the peer will send
 * it again.
 */
final class AwaitCommitStep implements WaitingTransactionStep, OutcomeListener {
    private final Push push;
    private final CommitDeadline deadline;
    /** Null until the transaction has ended. */
    private Outcome outcome;

    AwaitCommitStep(final Push push) {
        this.push = push;
        this.deadline = CommitDeadline.of(
                push.connection().requestExpirationMillis(),
                push.connection().clock().nanoTime());
    }

    @Override
    public Push transaction() {
        return push;
    }

    @Override
    public Step begin() {
        push.commit(deadline, this);
        return this;
    }

    /** The transaction has ended, whether its connection still exists or not. */
    @Override
    public void completed(final Outcome ofCommit) {
        outcome = ofCommit;
        push.report(ofCommit);
        connection().handler().proceedOnWorker(this, this::answer);
    }

    /** Answers a push that was committed. One that was rolled back gets no answer, so that the peer sends it again. */
    private Step answer() throws ConnectionFault {
        if (outcome.orThrow().destinationFull()) {
            push.answer(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL);
        } else {
            push.answer(ResponseCode.TRANSACTION_FINISHED);
        }
        return connection().awaitRequest();
    }

    @Override
    public void checkDeadline(final long nowNanos) throws ConnectionFault {
        if (push.mayBeTakenBack() && deadline.hasPassed(nowNanos)) {
            throw Kind.REQUEST_EXPIRED.fault(
                    "No port task took the transaction before its peer stopped waiting; the transaction is"
                            + " rolled back, and the peer will send it again");
        }
    }

    /** The deadline is looked after above. */
    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.NONE;
    }

    @Override
    public boolean needsRunningPort() {
        return push.mayBeTakenBack();
    }
}
