// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions that one port's tasks have handed out, and their commits and rollbacks. Thread-safe.
 *
 * <p>A rollback is done at once, on a content worker: it puts nothing into a connection that is full, and NiFi triggers
 * no port under back pressure. The commit of a pull is done at once, too: it only removes FlowFiles that the peer has. That
 * touches no connection that the port's active threads would have to protect, since NiFi does not let go of a connection
 * while it has unacknowledged FlowFiles. And between the peer's last word and the commit a crash would bring the FlowFiles
 * back, so that the commit must not wait for a port task.
 *
 * <p>The commit of a push waits for a run of a port task. If there will be none, since the port has stopped or refuses the
 * peer, the push is rolled back.
 */
public final class HeldSessions {
    private static final Logger logger = LoggerFactory.getLogger(HeldSessions.class);

    private final boolean pull;
    private final Executor contentWorkers;
    private final Runnable triggerTasks;
    private final ListenerMetrics metrics;
    private final NanoClock clock;
    private final Queue<HeldSession> commits = new ConcurrentLinkedQueue<>();
    private final AtomicInteger held = new AtomicInteger();

    /**
     * @param pull whether the port sends
     * @param triggerTasks asks for a port task; must not block
     */
    public HeldSessions(
            final boolean pull,
            final Executor contentWorkers,
            final Runnable triggerTasks,
            final ListenerMetrics metrics,
            final NanoClock clock) {
        this.pull = pull;
        this.contentWorkers = contentWorkers;
        this.triggerTasks = triggerTasks;
        this.metrics = metrics;
        this.clock = clock;
    }

    /**
     * @param ended run once, on any thread, when the session has ended
     * @return the session, handed out
     */
    public HeldSession handOut(
            final ProcessSession session,
            final ProcessContext context,
            final TransactionPeer peer,
            final Runnable ended) {
        held.incrementAndGet();
        return new HeldSession(session, context, peer, ended);
    }

    /** Runs the end of a session now, on a content worker, or here if there is none any more. */
    private void onContentWorker(final Runnable end) {
        try {
            contentWorkers.execute(end);
        } catch (final Throwable e) {
            logger.debug("No content worker takes the end of a session; this thread ends it", e);
            end.run();
        }
    }

    /** Commits what waits for it; on the port task. */
    public void commitAll(final BooleanSupplier goOn) {
        while (!commits.isEmpty() && goOn.getAsBoolean()) {
            final HeldSession next = commits.poll();
            if (next != null) {
                next.commitNow();
            }
        }
    }

    /** No port task will come for this push, if it still waits. */
    public void end(final HeldSession session, final ConnectionFault fault) {
        if (commits.remove(session)) {
            onContentWorker(() -> session.rollbackNow(fault));
        }
    }

    /** @return the one whose commit has waited longest, or null */
    public HeldSession first() {
        return commits.peek();
    }

    public int waiting() {
        return commits.size();
    }

    public int held() {
        return held.get();
    }

    /** Where a session stands; only forwards. */
    private enum State {
        /** Its holder uses it. */
        HELD,
        /** Its holder is done with it, and waits for the commit. */
        COMMIT_REQUESTED,
        /** It is being committed or rolled back, or has been. */
        ENDED
    }

    /**
     * A session that a port task has handed out to one transaction. It ends once, on a port task or a content worker: a later caller
     * finds that it has ended. Its holder uses it on one thread at a time.
     */
    public final class HeldSession {
        private final ProcessSession session;
        private final ProcessContext context;
        private final TransactionPeer peer;
        private final Runnable ended;
        private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

        // Written before COMMIT_REQUESTED is set, and read only by a thread that has seen COMMIT_REQUESTED.
        private OutcomeListener listener;
        private CommitDeadline deadline = CommitDeadline.NONE;
        private long requestedNanos;

        private HeldSession(
                final ProcessSession session,
                final ProcessContext context,
                final TransactionPeer peer,
                final Runnable ended) {
            this.session = session;
            this.context = context;
            this.peer = peer;
            this.ended = ended;
        }

        /** @return NiFi's session; only until it is asked to end */
        public ProcessSession session() {
            return session;
        }

        public TransactionPeer peer() {
            return peer;
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
                requestedNanos = clock.nanoTime();
            }
            if (!state.compareAndSet(State.HELD, State.COMMIT_REQUESTED)) {
                outcomeListener.completed(Outcome.failed(takenBack()));
            } else if (pull) {
                onContentWorker(this::commitNow);
            } else {
                commits.add(this);
                triggerTasks.run();
            }
        }

        /** Rolls back now, on a content worker, also in place of a commit that has been requested and has not begun. */
        public void rollback() {
            end(HeldSessions.this::onContentWorker, () -> rolledBack(takenBack()));
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
            return Kind.COMMIT_FAILED.fault(
                    "The connection ended before the commit, and the transaction is rolled back");
        }

        /** Commits on this thread, unless it has ended; rolls back where the peer has stopped waiting. */
        private void commitNow() {
            end(Runnable::run, () -> {
                final long startNanos = clock.nanoTime();
                if (deadline.hasPassed(startNanos)) {
                    return rolledBack(CommitDeadline.expired());
                }
                session.commit();
                // From here on the transaction is committed, also if memory runs out: the peer may not be told
                // otherwise.
                Guarded.run(
                        "Counting what was committed", () -> metrics.recordSince(Histogram.COMMIT_TIME_MS, startNanos));
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
                hasEnded();
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
            if (outcome.fault() != null) {
                Guarded.run(
                        "Counting what was rolled back",
                        () -> metrics.add(pull ? Counter.PULLS_ROLLED_BACK : Counter.PUSHES_ROLLED_BACK, 1));
            }
            hasEnded();
            if (before == State.COMMIT_REQUESTED) {
                Guarded.run("Reporting the outcome of a session", () -> listener.completed(outcome));
            }
        }

        private void hasEnded() {
            commits.remove(this);
            held.decrementAndGet();
            Guarded.run("Releasing the permit of a session that has ended", ended::run);
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
}
