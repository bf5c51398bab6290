// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import org.nios2s.listener.access.AccessLog;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.transaction.CommitDeadline;
import org.nios2s.listener.transaction.PullEncoder;

/**
 * The peer has committed the FlowFiles: the session from which they came is committed, too, even if the connection ends. Lives on
 * the connection's IO worker.
 */
record CommitPullStep(Pull pull) implements WaitingStep {
    @Override
    public PeerConnection connection() {
        return pull.connection();
    }

    Step commit() {
        final PullEncoder transaction = pull.transaction();
        final ListenerMetrics metrics = connection().metrics();
        metrics.recordSince(Histogram.SEND_TIME_MS, transaction.startNanos());
        pull.close();
        pull.session().commit(CommitDeadline.NONE, outcome -> {
            if (outcome.fault() == null) {
                metrics.sent(transaction.flowFilesSent(), transaction.bytesSent());
                AccessLog.committed(pull::transferred);
                metrics.peers().transferred(connection().key().name(), transaction.bytesSent());
            } else {
                AccessLog.rolledBack(pull::transferred);
                connection()
                        .reportPossibleDuplicates(
                                transaction.flowFilesSent(),
                                "The peer finished a transaction that could not be committed; it is rolled back");
            }
            proceed(() -> {
                outcome.orThrow();
                return connection().awaitRequest();
            });
        });
        return this;
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.NONE;
    }

    /** The peer has said all; the commit does not need it any more. */
    @Override
    public EndOfInput endOfInput() {
        return EndOfInput.CLOSE;
    }

    @Override
    public boolean isEvictable() {
        return false;
    }
}
