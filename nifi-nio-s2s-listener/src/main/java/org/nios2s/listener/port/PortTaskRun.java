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
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.port.PortDispatcher.NextSession;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.BufferedPush;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;
import org.nios2s.listener.transaction.Outcome;
import org.nios2s.listener.transaction.SessionWaiter;

/**
 * The work of a port task here, between its trigger and its return to NiFi: it commits sessions that were handed over before,
 * commits what is ready in groups, and hands its own session over to a transaction that needs one for itself. Lives on the port
 * task.
 *
 * <p>A run never waits, neither for the network nor for more transactions, and returns after {@value #MAX_MILLIS} ms even if more
 * is ready: HTTP Site-to-Site uses the same queue of the same port, and other components the same pool of threads.
 */
final class PortTaskRun {
    private static final long MAX_MILLIS = 30;

    private final PortDispatcher dispatcher;
    private final ListenerSettings.Commits commitLimits;
    private final ProcessContext context;
    private final ProcessSession session;
    private final GroupCommit groupCommit;
    private final NanoClock clock;
    private long startNanos;
    private int flowFiles;

    /**
     * @param session of the port task
     * @param groupCommit into that session
     */
    PortTaskRun(
            final PortDispatcher dispatcher,
            final ListenerSettings.Commits commitLimits,
            final ProcessContext context,
            final ProcessSession session,
            final GroupCommit groupCommit,
            final NanoClock clock) {
        this.dispatcher = dispatcher;
        this.commitLimits = commitLimits;
        this.context = context;
        this.session = session;
        this.groupCommit = groupCommit;
        this.clock = clock;
    }

    /** @return FlowFiles committed */
    int run() {
        startNanos = clock.nanoTime();
        boolean claimedSome;
        do {
            dispatcher.heldSessions().commitAll(() -> mayCommit() && !isTimeUp());
            // However late the thread gets the processor, a run commits once: otherwise it might never.
            claimedSome = commitBatch();
        } while (claimedSome && hasMoreToCommit());
        if (!groupCommit.hasGivenUp() && dispatcher.isPortRunning()) {
            handOverSession();
        }
        return flowFiles;
    }

    /** A session is handed over only after the last batch, so a transaction that waits for one ends the loop. */
    private boolean hasMoreToCommit() {
        return dispatcher.isReadyToCommit() && !dispatcher.wantsSession() && !isTimeUp();
    }

    private boolean mayCommit() {
        return !groupCommit.hasGivenUp() && dispatcher.isPortRunning() && hasRoom();
    }

    private boolean isTimeUp() {
        return clock.nanoTime() - startNanos >= TimeUnit.MILLISECONDS.toNanos(MAX_MILLIS);
    }

    /** @return whether back pressure allows another commit */
    private boolean hasRoom() {
        return dispatcher.port().getConnectableType() == ConnectableType.OUTPUT_PORT
                || !context.getAvailableRelationships().isEmpty();
    }

    /** @return whether something was ready, and there was room for it */
    private boolean commitBatch() {
        if (!mayCommit()) {
            return false;
        }
        final List<BufferedPush> batch = new ArrayList<>();
        try {
            dispatcher.queue().claimInto(batch, commitLimits);
            if (!batch.isEmpty()) {
                flowFiles += groupCommit.commit(batch);
            }
            return !batch.isEmpty();
        } catch (final Throwable e) {
            // The batch is claimed, so no other thread answers its peers:
            // without an answer they would wait until they time out.
            final Outcome failed = Outcome.failed(Kind.COMMIT_FAILED.fault("The transaction was rolled back: " + e, e));
            batch.forEach(transaction -> transaction.complete(failed));
            throw e;
        }
    }

    /** Gives the session to the first waiter that takes it. */
    private void handOverSession() {
        NextSession next = dispatcher.nextSession();
        while (next != null && !usesSession(next.waiter(), next.permit())) {
            next = dispatcher.nextSession();
        }
    }

    /** @return whether the session now belongs to the transaction, or was spoilt by it: nobody else gets it then */
    private boolean usesSession(final SessionWaiter waiter, final Grant permit) {
        HeldSession held = null;
        try {
            final ConnectionFault refusal = groupCommit.refusalOf(waiter.peer().identity());
            if (refusal != null) {
                permit.close();
                waiter.refusal().accept(refusal);
                return false;
            }
            held = dispatcher.heldSessions().handOut(session, context, waiter.peer(), permit::close);
            dispatcher.metrics().recordSince(Histogram.QUEUE_TIME_MS, waiter.madeNanos());
            if (waiter.take(held)) {
                return true;
            }
            held.returnUnused();
            return false;
        } catch (final Throwable e) {
            final ConnectionFault fault =
                    Kind.COMMIT_FAILED.fault("The transaction could not begin and was rolled back: " + e, e);
            Guarded.run("Refusing a session to a transaction", () -> waiter.refusal()
                    .accept(fault));
            if (held == null) {
                permit.close();
                return false;
            }
            // How much of the session the transaction has used is unknown: the session goes back to NiFi rolled back.
            held.rollbackNow(fault);
            return true;
        }
    }
}
