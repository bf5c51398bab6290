// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.transaction.StreamingTransaction;

/**
 * A streamed transaction is confirmed by both sides: its session is committed in a later visit of a port task; the peer is
 * answered when it has been. Lives on the connection's IO worker.
 */
final class CommitStreamedStep extends WaitingStep {
    private final Push push;
    private final StreamingTransaction transaction;

    CommitStreamedStep(final Push push, final StreamingTransaction transaction) {
        super(push.connection());
        this.push = push;
        this.transaction = transaction;
    }

    @Override
    public Push transfer() {
        return push;
    }

    Step begin() {
        transaction.commit(outcome -> {
            if (outcome.fault() == null) {
                connection().listener().metrics().committed(1, transaction.flowFiles(), transaction.bytes());
            }
            proceed(() -> push.answer(outcome));
        });
        return this;
    }

    /** If it stops before the commit, the session is rolled back, and we hear of it. */
    @Override
    public boolean needsRunningPort() {
        return false;
    }
}
