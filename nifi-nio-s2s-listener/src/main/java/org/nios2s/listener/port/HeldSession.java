// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.nios2s.listener.PeerFault;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.transaction.Outcome;
import org.nios2s.listener.transaction.TransactionPeer;
import org.nios2s.listener.transaction.TransactionSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session that a port task has handed out. It is held, then perhaps waits for its commit, and ends once, on a port task or
 * a content worker: whoever comes later finds that it has ended. Its holder uses it on one thread at a time.
 */
public final class HeldSession implements TransactionSession {
    private static final Logger logger = LoggerFactory.getLogger(HeldSession.class);

    /** Where a session stands, and who hears of its commit. */
    private record Stage(Consumer<Outcome> report) {}

    private static final Stage HELD = new Stage(outcome -> {});
    private static final Stage ENDED = new Stage(outcome -> {});

    /** What ends NiFi's session. */
    @FunctionalInterface
    private interface End {
        Outcome end();
    }

    private final ProcessSession session;
    private final ProcessContext context;
    private final TransactionPeer peer;
    private final SessionEnds ends;
    private final AtomicReference<Stage> stage = new AtomicReference<>(HELD);
    private volatile Runnable afterEnd = () -> {};

    HeldSession(
            final ProcessSession session,
            final ProcessContext context,
            final TransactionPeer peer,
            final SessionEnds ends) {
        this.session = session;
        this.context = context;
        this.peer = peer;
        this.ends = ends;
        ends.begins();
    }

    @Override
    public ProcessSession session() {
        return session;
    }

    /** @return whose transaction it is */
    TransactionPeer peer() {
        return peer;
    }

    /** @param task run once, on any thread, when the session has ended; to be set by whoever takes the session, first of all */
    public void whenEnded(final Runnable task) {
        afterEnd = task;
    }

    @Override
    public void commit(final Consumer<Outcome> report) {
        if (stage.compareAndSet(HELD, new Stage(report))) {
            ends.commitAtVisit(this);
        } else {
            report.accept(Outcome.failed(takenBack()));
        }
    }

    @Override
    public void rollback() {
        final Stage before = stage.getAndSet(ENDED);
        if (before != ENDED) {
            ends.now(() -> finish(before, () -> rolledBack(takenBack())));
        }
    }

    private static PeerFault takenBack() {
        return new PeerFault(PeerFault.Kind.COMMIT_FAILED, "The transaction was given up and is rolled back");
    }

    /** Commits on this thread, unless it has ended. */
    void commitNow() {
        end(() -> {
            session.commit();
            return isDestinationFull() ? Outcome.COMMITTED_AND_FULL : Outcome.COMMITTED;
        });
    }

    /** Rolls back on this thread, unless it has ended. */
    void rollbackNow(final PeerFault fault) {
        end(() -> rolledBack(fault));
    }

    /** It was offered and not taken: the port task goes on with it. */
    void forgo() {
        if (stage.getAndSet(ENDED) != ENDED) {
            ends.hasEnded(this);
        }
    }

    private void end(final End end) {
        final Stage before = stage.getAndSet(ENDED);
        if (before != ENDED) {
            finish(before, end);
        }
    }

    private void finish(final Stage before, final End end) {
        final Outcome outcome = outcomeOf(end);
        ends.hasEnded(this);
        Guarded.run(logger, "What follows the end of a session", afterEnd::run);
        Guarded.run(logger, "The answer to a peer whose session has ended", () -> before.report.accept(outcome));
    }

    private Outcome outcomeOf(final End end) {
        try {
            return end.end();
        } catch (final Throwable e) {
            final PeerFault fault =
                    new PeerFault(PeerFault.Kind.COMMIT_FAILED, "The end of the transaction failed: " + e, e);
            try {
                return rolledBack(fault);
            } catch (final Throwable e2) {
                e.addSuppressed(e2);
                return Outcome.failed(fault);
            }
        }
    }

    private Outcome rolledBack(final PeerFault fault) {
        session.rollback();
        return Outcome.failed(fault);
    }

    /** It is committed, whatever this throws. */
    private boolean isDestinationFull() {
        try {
            return context.getAvailableRelationships().isEmpty();
        } catch (final RuntimeException e) {
            logger.debug("Whether the destination is full is not known", e);
            return false;
        }
    }
}
