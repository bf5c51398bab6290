// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.transaction.BufferedPush.State;
import org.nios2s.listener.transaction.CommitDeadline;

/**
 * Both sides have confirmed: a port task is to commit the transaction; the peer is answered when it has. Lives on the
 * connection's IO worker.
 *
 * <p>A transaction whose peer leaves, or has stopped waiting, before a port task has it is rolled back: the peer will send
 * it again.
 */
final class AwaitCommitStep implements WaitingStep {
    private final Push push;
    private final CommitDeadline deadline;
    private boolean hasEnded;

    AwaitCommitStep(final Push push) {
        this.push = push;
        this.deadline = CommitDeadline.of(push.connection().requestExpirationMillis(), System.nanoTime());
    }

    @Override
    public Step begin() {
        push.commit(deadline, outcome -> connection().handler().proceedOnWorker(this, () -> push.answer(outcome)));
        return this;
    }

    /** Its outcome is posted before its end: by the next look it has come. */
    @Override
    public void checkDeadline(final long nowNanos) throws ConnectionFault {
        if (hasEnded) {
            throw Kind.INTERNAL.fault("The outcome of the transaction was lost");
        }
        hasEnded = push.state() == State.ENDED;
        if (push.state() == State.READY && deadline.hasPassed(nowNanos)) {
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
    public Push transfer() {
        return push;
    }

    @Override
    public boolean needsRunningPort() {
        return push.state() == State.READY;
    }
}
