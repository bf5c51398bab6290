// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import org.nios2s.listener.PeerFault;
import org.nios2s.listener.transaction.OutboundTransaction;
import org.nios2s.listener.transaction.Outcome;

/**
 * The FlowFiles are the peer's: the session that they came from is committed, whatever becomes of the connection. Lives on
 * the connection's IO worker.
 */
final class CommitSentStep extends WaitingStep {
    private final Sending sending;

    CommitSentStep(final Sending sending) {
        super(sending.connection());
        this.sending = sending;
    }

    Step begin() {
        final OutboundTransaction transaction = sending.transaction();
        transaction.close();
        sending.session().commit(outcome -> {
            if (outcome.fault() == null) {
                connection().listener().metrics().sent(transaction.flowFilesSent(), transaction.bytesSent());
            }
            connection().handler().proceed(this, () -> committed(outcome));
        });
        return this;
    }

    private Step committed(final Outcome outcome) throws PeerFault {
        if (outcome.fault() != null) {
            throw outcome.fault();
        }
        return new RequestStep(connection());
    }

    /** The peer has said all; the commit does not need it any more. */
    @Override
    public Step inputEnds() {
        return new ClosingStep(connection().channel());
    }

    @Override
    public boolean isCommitting() {
        return true;
    }
}
