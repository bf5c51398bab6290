// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import org.nios2s.listener.PeerFault;
import org.nios2s.listener.transaction.StreamingTransaction;

/**
 * A streamed transaction is confirmed by both sides: its session is committed in a later visit of a port task; the peer is
 * answered when it has been. Lives on the connection's IO worker.
 */
final class CommitStreamedStep extends WaitingStep {
    private final StreamingTransaction transaction;
    private final long startNanos = System.nanoTime();

    CommitStreamedStep(final PeerConnection connection, final StreamingTransaction transaction) {
        super(connection);
        this.transaction = transaction;
    }

    Step begin() {
        transaction.commit(outcome -> {
            if (outcome.fault() == null) {
                connection().listener().metrics().committed(1, transaction.flowFiles(), transaction.bytes());
            }
            connection().handler().proceed(this, () -> connection().answerCommit(outcome));
        });
        return this;
    }

    @Override
    public boolean isCommitting() {
        return true;
    }

    @Override
    public void checkDeadline(final long nowNanos) throws PeerFault {
        Expiration.check(connection(), startNanos, nowNanos);
    }

    @Override
    public void abandon() {
        transaction.abandon();
    }
}
