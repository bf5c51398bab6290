// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits and rolls back the sessions that one port's tasks have handed out. Thread-safe.
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
public final class SessionCloser {
    private static final Logger logger = LoggerFactory.getLogger(SessionCloser.class);

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
    public SessionCloser(
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

    void hasCommitted(final long startNanos) {
        metrics.recordSince(Histogram.COMMIT_TIME_MS, startNanos);
    }

    void hasRolledBack() {
        if (pull) {
            metrics.add(Counter.PULLS_ROLLED_BACK, 1);
        } else {
            metrics.add(Counter.PUSHES_ROLLED_BACK, 1);
        }
    }

    long nowNanos() {
        return clock.nanoTime();
    }

    void begins() {
        held.incrementAndGet();
    }

    void hasEnded(final HeldSession session) {
        commits.remove(session);
        held.decrementAndGet();
    }

    void commit(final HeldSession session) {
        if (pull) {
            now(session::commitNow);
        } else {
            commits.add(session);
            triggerTasks.run();
        }
    }

    /** Runs the end of a session now, on a content worker, or here if there is none any more. */
    void now(final Runnable end) {
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
            now(() -> session.rollbackNow(fault));
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
}
