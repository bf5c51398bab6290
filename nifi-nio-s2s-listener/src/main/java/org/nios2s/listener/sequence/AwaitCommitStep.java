/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
