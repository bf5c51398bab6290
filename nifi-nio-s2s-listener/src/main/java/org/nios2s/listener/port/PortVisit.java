// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.listener.fault.PeerFault.Kind;
import org.nios2s.listener.metrics.ListenerMetrics.Measure;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.transaction.HeldSession;
import org.nios2s.listener.transaction.InboundTransaction;
import org.nios2s.listener.transaction.SessionRequest;

/**
 * One visit of a port task: it commits sessions that were handed out before, commits what is ready in groups, and hands its
 * own session to a transaction that needs one for itself. It never waits for the network. Lives on the port task.
 */
record PortVisit(
        PortDispatcher dispatcher,
        ListenerSettings settings,
        ProcessContext context,
        ProcessSession session,
        GroupCommit groupCommit) {
    /** After so much work a port task returns to NiFi even if there is more, so that the pool's other tasks get their turn. */
    private static final long MOST_WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The same however little it worked: a pool of few threads must not wait longer for one of them. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** @return FlowFiles committed */
    int serve() throws InterruptedException {
        final long leaveNanos = System.nanoTime() + LONGEST_NANOS;
        int flowFiles = 0;
        long workNanos = 0;
        do {
            final long startNanos = System.nanoTime();
            dispatcher.ends().commitAll(this::hasRoom);
            flowFiles += commitBatch();
            workNanos += System.nanoTime() - startNanos;
        } while (!groupCommit.isHopeless()
                && dispatcher.sessionRequests().isEmpty()
                && hasRoom()
                && workNanos < MOST_WORK_NANOS
                && System.nanoTime() - leaveNanos < 0
                && dispatcher.port().isRunning()
                && dispatcher.awaitMore());
        if (!groupCommit.isHopeless()) {
            handOut();
        }
        return flowFiles;
    }

    /** @return whether back pressure allows another commit */
    private boolean hasRoom() {
        return dispatcher.port().getConnectableType() == ConnectableType.OUTPUT_PORT
                || !context.getAvailableRelationships().isEmpty();
    }

    private int commitBatch() {
        final List<InboundTransaction> batch = new ArrayList<>();
        try {
            dispatcher.queue().claimInto(batch, settings.commitTransactions(), settings.commitBytes());
            return batch.isEmpty() ? 0 : groupCommit.commit(batch);
        } catch (final Throwable e) {
            Answers.failed(batch, Kind.COMMIT_FAILED.fault("The transaction was rolled back: " + e, e));
            throw e;
        }
    }

    /** Gives the session to the first that takes it. */
    private void handOut() {
        SessionRequest next = dispatcher.sessionRequests().poll();
        while (next != null && !isSpentFor(next)) {
            next = dispatcher.sessionRequests().poll();
        }
    }

    /** @return whether the session is the transaction's, or spoilt by it */
    private boolean isSpentFor(final SessionRequest request) {
        HeldSession held = null;
        try {
            final PeerFault refusal = groupCommit.refusalOf(request.peer().identity());
            if (refusal != null) {
                request.refusal().accept(refusal);
                return false;
            }
            held = new HeldSession(session, context, request.peer(), dispatcher.ends());
            dispatcher.metrics().recordSince(Measure.QUEUE_TIME_MS, request.madeNanos());
            if (request.take(held)) {
                return true;
            }
            held.forgo();
            return false;
        } catch (final Throwable e) {
            final PeerFault fault =
                    Kind.COMMIT_FAILED.fault("The transaction could not begin and was rolled back: " + e, e);
            Guarded.run("The refusal of a session", () -> request.refusal().accept(fault));
            if (held != null) {
                held.rollbackNow(fault);
            }
            return held != null;
        }
    }
}
