// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.nios2s.listener.PeerFault;
import org.nios2s.listener.transaction.Outcome;
import org.nios2s.listener.transaction.TransactionPeer;
import org.nios2s.listener.transaction.TransactionSession;

/**
 * A session that a port task has handed out. Whoever holds it uses it on one thread at a time, and ends it once: it is
 * then committed or rolled back inside a later visit to the same port.
 *
 * <p>A port that has stopped is visited no more. Then a session is rolled back where it is, on a content worker; and
 * committed there only if its peer has the FlowFiles already, so that they are not sent twice. That touches no
 * connection that the port's active threads would have to protect: NiFi does not let go of a connection while it has
 * unacknowledged FlowFiles.
 */
public final class HeldSession implements TransactionSession {
    /** How a session ends. */
    enum End {
        COMMIT,
        /** Commits even if the port has stopped. */
        COMMIT_ANYWAY,
        ROLLBACK
    }

    private final ProcessSession session;
    private final ProcessContext context;
    private final PortDispatcher dispatcher;
    private final AtomicBoolean ending = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();

    private TransactionPeer peer;
    private volatile End end;
    private Consumer<Outcome> report;
    private Runnable afterEnd = () -> {};

    HeldSession(final ProcessSession session, final ProcessContext context, final PortDispatcher dispatcher) {
        this.session = session;
        this.context = context;
        this.dispatcher = dispatcher;
    }

    @Override
    public ProcessSession session() {
        return session;
    }

    @Override
    public void commit(final TransactionPeer owner, final Consumer<Outcome> report) {
        end(owner, End.COMMIT, report);
    }

    @Override
    public void commitAnyway(final TransactionPeer owner, final Consumer<Outcome> report) {
        end(owner, End.COMMIT_ANYWAY, report);
    }

    @Override
    public void rollback(final TransactionPeer owner) {
        if (!end(owner, End.ROLLBACK, outcome -> {})) {
            end = End.ROLLBACK;
        }
    }

    private boolean end(final TransactionPeer owner, final End how, final Consumer<Outcome> listener) {
        if (!ending.compareAndSet(false, true)) {
            return false;
        }
        peer = owner;
        end = how;
        report = listener;
        dispatcher.end(this);
        return true;
    }

    /** @param task run once, on any thread, when the session has ended; to be set by whoever takes the session */
    public void whenEnded(final Runnable task) {
        afterEnd = task;
    }

    TransactionPeer peer() {
        return peer;
    }

    /** Ends it: on a port task, or, if the port has stopped, on a content worker. */
    void endNow(final boolean portRuns) {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        final Outcome outcome = endSession(portRuns);
        afterEnd.run();
        report.accept(outcome);
    }

    private Outcome endSession(final boolean portRuns) {
        try {
            if (end == End.COMMIT_ANYWAY || end == End.COMMIT && portRuns) {
                session.commit();
                return context.getAvailableRelationships().isEmpty() ? Outcome.COMMITTED_AND_FULL : Outcome.COMMITTED;
            }
            session.rollback();
            return Outcome.failed(new PeerFault(
                    PeerFault.Kind.PORT_NOT_RUNNING, "The transaction was rolled back, since its port has stopped"));
        } catch (final RuntimeException e) {
            rollbackAfter(e);
            return Outcome.failed(new PeerFault(PeerFault.Kind.COMMIT_FAILED, "The transaction was rolled back", e));
        }
    }

    private void rollbackAfter(final RuntimeException failure) {
        try {
            session.rollback();
        } catch (final RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
