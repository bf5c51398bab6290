// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.port.DestinationRoom.CommitClaim;
import org.nios2s.listener.port.RequestQueue.CommitLimits;
import org.nios2s.listener.transaction.BufferedPush;
import org.nios2s.listener.transaction.HeldSession;
import org.nios2s.listener.transaction.SessionWaiter;

/**
 * One visit of a port task: it commits sessions that were handed out before, commits what is ready in groups, and hands its
 * own session to a transaction that needs one for itself. Lives on the port task.
 *
 * <p>A visit never waits, neither for the network nor for more transactions, and leaves after {@value #MAX_MILLIS} ms even
 * if there is more: HTTP Site-to-Site stands in the same queue of the same port, and other components in the same pool.
 */
final class PortTaskRun {
    private static final long MAX_MILLIS = 30;

    private final PortDispatcher dispatcher;
    private final CommitLimits commitLimits;
    private final ProcessContext context;
    private final ProcessSession session;
    private final GroupCommit groupCommit;
    private long beganNanos;
    private int flowFiles;

    /**
     * @param session of the port task that visits
     * @param groupCommit into that session
     */
    PortTaskRun(
            final PortDispatcher dispatcher,
            final CommitLimits commitLimits,
            final ProcessContext context,
            final ProcessSession session,
            final GroupCommit groupCommit) {
        this.dispatcher = dispatcher;
        this.commitLimits = commitLimits;
        this.context = context;
        this.session = session;
        this.groupCommit = groupCommit;
    }

    /** @return FlowFiles committed */
    int run() {
        beganNanos = System.nanoTime();
        boolean claimedSome;
        do {
            dispatcher.ends().commitAll(() -> mayCommit() && !isOver());
            // However late the thread gets the processor, a visit commits once: otherwise it might never.
            claimedSome = commitBatch();
            // A session is handed out only behind this loop, so a transaction that waits for one ends the loop.
        } while (claimedSome
                && dispatcher.isReadyToCommit()
                && dispatcher.sessionWaiters().isEmpty()
                && !isOver());
        if (!groupCommit.hasGivenUp() && dispatcher.isPortRunning()) {
            handOver();
        }
        return flowFiles;
    }

    private boolean mayCommit() {
        return !groupCommit.hasGivenUp() && dispatcher.isPortRunning() && hasRoom();
    }

    private boolean isOver() {
        return System.nanoTime() - beganNanos >= TimeUnit.MILLISECONDS.toNanos(MAX_MILLIS);
    }

    /** @return whether back pressure allows another commit */
    private boolean hasRoom() {
        return dispatcher.port().getConnectableType() == ConnectableType.OUTPUT_PORT
                || !context.getAvailableRelationships().isEmpty();
    }

    /** @return whether there was something to commit, and room for it */
    private boolean commitBatch() {
        if (!mayCommit()) {
            return false;
        }
        final List<BufferedPush> batch = new ArrayList<>();
        try (CommitClaim claim = dispatcher.destination().claim()) {
            dispatcher.queue().claimInto(batch, commitLimits, claim);
            if (!batch.isEmpty()) {
                flowFiles += groupCommit.commit(batch);
            }
            return !batch.isEmpty();
        } catch (final Throwable e) {
            OutcomeNotifier.failed(batch, Kind.COMMIT_FAILED.fault("The transaction was rolled back: " + e, e));
            throw e;
        }
    }

    /** Gives the session to the first that takes it. */
    private void handOver() {
        SessionWaiter next = dispatcher.sessionWaiters().poll();
        while (next != null && !isTakenBy(next)) {
            next = dispatcher.sessionWaiters().poll();
        }
    }

    /** @return whether the session is the transaction's, or spoilt by it */
    private boolean isTakenBy(final SessionWaiter request) {
        HeldSession held = null;
        try {
            final ConnectionFault refusal = groupCommit.refusalOf(request.peer().identity());
            if (refusal != null) {
                request.refusal().accept(refusal);
                return false;
            }
            held = new HeldSession(session, context, request.peer(), dispatcher.ends());
            dispatcher.metrics().recordSince(Histogram.QUEUE_TIME_MS, request.madeNanos());
            if (request.take(held)) {
                return true;
            }
            held.returnUnused();
            return false;
        } catch (final Throwable e) {
            final ConnectionFault fault =
                    Kind.COMMIT_FAILED.fault("The transaction could not begin and was rolled back: " + e, e);
            Guarded.run("The refusal of a session", () -> request.refusal().accept(fault));
            if (held != null) {
                held.rollbackNow(fault);
            }
            return held != null;
        }
    }
}
