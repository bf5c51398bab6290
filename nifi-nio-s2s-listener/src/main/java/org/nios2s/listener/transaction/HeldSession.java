// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.fault.Guarded;

/**
 * A session that a port task has handed out to one transaction. It ends once, on a port task or a content worker: a later caller
 * finds that it has ended. Its holder uses it on one thread at a time.
 */
public final class HeldSession {
    /** Where the session stands; only forwards. */
    private enum State {
        /** Its holder uses it. */
        HELD,
        /** Its holder is done with it, and waits for the commit. */
        COMMIT_REQUESTED,
        /** It is being committed or rolled back, or has been. */
        ENDED
    }

    private final ProcessSession session;
    private final ProcessContext context;
    private final TransactionPeer peer;
    private final SessionCloser closer;
    private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

    private volatile Runnable afterEnd = () -> {};

    // Written before COMMIT_REQUESTED is set, and read only by a thread that has seen COMMIT_REQUESTED.
    private OutcomeListener listener;
    private CommitDeadline deadline = CommitDeadline.NONE;
    private long requestedNanos;

    public HeldSession(
            final ProcessSession session,
            final ProcessContext context,
            final TransactionPeer peer,
            final SessionCloser closer) {
        this.session = session;
        this.context = context;
        this.peer = peer;
        this.closer = closer;
        closer.begins();
    }

    /** @return NiFi's session; only until it is asked to end */
    public ProcessSession session() {
        return session;
    }

    public TransactionPeer peer() {
        return peer;
    }

    /** @param task run once, on any thread, when the session has ended; to be set before a transaction takes the session */
    public void whenEnded(final Runnable task) {
        final Runnable earlier = afterEnd;
        afterEnd = () -> {
            earlier.run();
            task.run();
        };
    }

    /** As {@link #commit(CommitDeadline, OutcomeListener)}, without a deadline. */
    public void commit(final OutcomeListener outcomeListener) {
        commit(CommitDeadline.NONE, outcomeListener);
    }

    /**
     * Requests the commit. A push is committed in a later run of a port task, or rolled back if the port stops before. A pull,
     * whose peer has the FlowFiles, is committed at once.
     *
     * @param commitDeadline after which it is rolled back instead
     * @param outcomeListener called on any thread
     */
    public void commit(final CommitDeadline commitDeadline, final OutcomeListener outcomeListener) {
        if (state.get() == State.HELD) {
            deadline = commitDeadline;
            listener = outcomeListener;
            requestedNanos = closer.nowNanos();
        }
        if (state.compareAndSet(State.HELD, State.COMMIT_REQUESTED)) {
            closer.commit(this);
        } else {
            outcomeListener.completed(Outcome.failed(takenBack()));
        }
    }

    /** Rolls back now, on a content worker, also in place of a commit that has been requested and has not begun. */
    public void rollback() {
        end(closer::now, () -> rolledBack(takenBack()));
    }

    /** @return since when its commit is wanted, as {@link System#nanoTime} */
    public long requestedNanos() {
        return requestedNanos;
    }

    /** @return whether its commit or rollback has begun */
    public boolean isEnding() {
        return state.get() == State.ENDED;
    }

    private static ConnectionFault takenBack() {
        return Kind.COMMIT_FAILED.fault("The connection ended before the commit, and the transaction is rolled back");
    }

    /** Commits on this thread, unless it has ended; rolls back where the peer has stopped waiting. */
    void commitNow() {
        end(Runnable::run, () -> {
            final long startNanos = closer.nowNanos();
            if (deadline.hasPassed(startNanos)) {
                return rolledBack(CommitDeadline.expired());
            }
            session.commit();
            // From here on the transaction is committed, also if memory runs out: the peer may not be told otherwise.
            Guarded.run("Counting what was committed", () -> closer.hasCommitted(startNanos));
            return Outcome.committed(context);
        });
    }

    /** Rolls back on this thread, unless it has ended. */
    public void rollbackNow(final ConnectionFault fault) {
        end(Runnable::run, () -> rolledBack(fault));
    }

    /** No transaction took the session: the port task continues with it. */
    public void returnUnused() {
        if (state.getAndSet(State.ENDED) != State.ENDED) {
            closer.hasEnded(this);
        }
    }

    private void end(final Executor where, final Supplier<Outcome> end) {
        final State before = state.getAndSet(State.ENDED);
        // Commit, rollback and the sweep of a stopped port may meet here: the first one ends the session.
        if (before != State.ENDED) {
            where.execute(() -> finish(before, end));
        }
    }

    private void finish(final State before, final Supplier<Outcome> end) {
        final Outcome outcome = outcomeOf(end);
        closer.hasEnded(this);
        if (outcome.fault() != null) {
            Guarded.run("Counting what was rolled back", closer::hasRolledBack);
        }
        Guarded.run("Releasing the permit of a session that has ended", afterEnd::run);
        if (before == State.COMMIT_REQUESTED) {
            Guarded.run("Reporting the outcome of a session", () -> listener.completed(outcome));
        }
    }

    private Outcome outcomeOf(final Supplier<Outcome> end) {
        try {
            return end.get();
        } catch (final Throwable e) {
            final ConnectionFault fault =
                    Kind.COMMIT_FAILED.fault("The commit or the rollback of the transaction failed: " + e, e);
            try {
                return rolledBack(fault);
            } catch (final Throwable e2) {
                e.addSuppressed(e2);
                return Outcome.failed(fault);
            }
        }
    }

    private Outcome rolledBack(final ConnectionFault fault) {
        session.rollback();
        return Outcome.failed(fault);
    }
}
