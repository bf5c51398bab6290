// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.remote.PortAuthorizationResult;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.exception.NotAuthorizedException;
import org.nios2s.listener.ListenerSettings;
import org.nios2s.listener.PeerFault;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.transaction.InboundTransaction;
import org.nios2s.listener.transaction.Outcome;
import org.nios2s.listener.transaction.TransactionPeer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the transactions of one port together with its port tasks. IO workers submit; a dispatcher thread, blocked in
 * {@link PublicPort#receiveFlowFiles} or {@link PublicPort#transferFlowFiles}, stands for each request in the port's own
 * queue, at most as many as the port has concurrent tasks; the port task that takes such a request serves all that is
 * ready, in group commits.
 *
 * <p>In one visit a port task ends sessions that were handed out before, commits what is ready, and hands its own session
 * to a transaction that needs one for itself.
 *
 * <p>A port task never waits for the network here: whatever is in the queue has arrived and has been confirmed.
 */
public final class PortDispatcher {
    private static final Logger logger = LoggerFactory.getLogger(PortDispatcher.class);

    /** After this a port task returns to NiFi even if there is more, so that the pool's other tasks get their turn. */
    private static final long LONGEST_VISIT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final PublicPort port;
    private final ListenerSettings settings;
    private final Executor dispatcherThreads;
    private final Executor contentWorkers;
    private final Semaphore lingerPermits;
    private final ListenerMetrics metrics;
    private final RequestQueue queue;
    private final Queue<SessionTaker> takers = new ConcurrentLinkedQueue<>();
    private final Queue<HeldSession> ends = new ConcurrentLinkedQueue<>();
    private final Linger linger = new Linger(System.nanoTime());
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger visits = new AtomicInteger();

    PortDispatcher(
            final PublicPort port,
            final ListenerSettings settings,
            final Executor dispatcherThreads,
            final Executor contentWorkers,
            final Semaphore lingerPermits,
            final ListenerMetrics metrics) {
        this.port = port;
        this.settings = settings;
        this.dispatcherThreads = dispatcherThreads;
        this.contentWorkers = contentWorkers;
        this.lingerPermits = lingerPermits;
        this.metrics = metrics;
        this.queue = new RequestQueue(settings.requestQueueSize());
    }

    /** Takes a transaction that both sides have confirmed. Its peer hears of the outcome. Called by IO workers. */
    public void submit(final InboundTransaction transaction) {
        transaction.ready();
        linger.arrived(transaction.readyNanos());
        queue.add(transaction);
        requestPortTasks();
    }

    /** Forgets a transaction that its connection has abandoned. */
    public void withdraw(final InboundTransaction transaction) {
        queue.remove(transaction);
    }

    /**
     * Asks whether another transaction may begin.
     *
     * @param resume called once, on any thread, when it may, if it may not now; must not block
     * @return whether it may now
     */
    public boolean hasRoomOrAwait(final Runnable resume) {
        return queue.hasRoomOrAwait(resume);
    }

    /** Asks for a session of its own. Its taker hears of it on the port task. Called by IO workers. */
    public void requestSession(final SessionTaker taker) {
        linger.arrived(System.nanoTime());
        takers.add(taker);
        queue.wake();
        requestPortTasks();
    }

    /** Forgets who wanted a session. */
    public void withdraw(final SessionTaker taker) {
        takers.remove(taker);
    }

    /** Has a session ended in the next visit. */
    void end(final HeldSession session) {
        ends.add(session);
        if (port.isRunning()) {
            queue.wake();
            requestPortTasks();
        } else {
            endWithoutPort();
        }
    }

    /** The port has stopped: what waits for a visit to end is ended without one. */
    public void endWithoutPort() {
        for (HeldSession next = ends.poll(); next != null; next = ends.poll()) {
            final HeldSession session = next;
            try {
                contentWorkers.execute(() -> session.endNow(false));
            } catch (final RejectedExecutionException e) {
                logger.debug("The listener has stopped: a session is ended at once", e);
                session.endNow(false);
            }
        }
    }

    private boolean hasSessionWork() {
        return !takers.isEmpty() || !ends.isEmpty();
    }

    private void requestPortTasks() {
        final int waiting = queue.size();
        final int wanted = waiting == 0 && !hasSessionWork()
                ? 0
                : Math.min(port.getMaxConcurrentTasks(), 1 + waiting / settings.commitTransactions() + takers.size());
        int current = requests.get();
        while (current < wanted) {
            if (requests.compareAndSet(current, current + 1) && !startDispatcherThread()) {
                return;
            }
            current = requests.get();
        }
    }

    private boolean startDispatcherThread() {
        try {
            dispatcherThreads.execute(this::requestPortTask);
            return true;
        } catch (final RejectedExecutionException e) {
            // The listener has stopped, and with it every connection that has something in the queue.
            requests.decrementAndGet();
            endWithoutPort();
            logger.debug("{} gets no further request", port, e);
            return false;
        }
    }

    /** Dispatcher thread: stands for one request until the port has served it. */
    private void requestPortTask() {
        try {
            final InboundTransaction transaction = queue.poll();
            final SessionTaker taker = transaction == null ? takers.poll() : null;
            final HeldSession held = transaction == null && taker == null ? ends.peek() : null;
            if (transaction != null) {
                requestVisit(transaction.peer(), new Visit(transaction, null), fault -> fail(transaction, fault));
            } else if (taker != null) {
                requestVisit(taker.peer(), new Visit(null, taker), taker::refuse);
            } else if (held != null) {
                requestVisit(held.peer(), new Visit(null, null), fault -> endWithoutPort());
            }
        } finally {
            requests.decrementAndGet();
            requestPortTasks();
        }
    }

    /**
     * @param peer whom the port is to authorize
     * @param refusal hears if the port does not serve the request
     */
    private void requestVisit(final TransactionPeer peer, final Visit visit, final Consumer<PeerFault> refusal) {
        try {
            final PortRequest request = new PortRequest(port, visit);
            if (port.getConnectableType() == ConnectableType.INPUT_PORT) {
                port.receiveFlowFiles(peer.toPeer(), request);
            } else {
                port.transferFlowFiles(peer.toPeer(), request);
            }
        } catch (final NotAuthorizedException e) {
            refusal.accept(new PeerFault(PeerFault.Kind.NOT_AUTHORIZED, String.valueOf(e.getMessage())));
        } catch (final Exception e) {
            if (port.isRunning()) {
                logger.debug("{} did not serve a request", port, e);
                refusal.accept(new PeerFault(PeerFault.Kind.COMMIT_FAILED, "The port did not serve the request", e));
            } else {
                final PeerFault fault = new PeerFault(PeerFault.Kind.PORT_NOT_RUNNING, port + " is not running");
                refusal.accept(fault);
                failAll(fault);
            }
        }
    }

    private void failAll(final PeerFault fault) {
        for (InboundTransaction next = queue.poll(); next != null; next = queue.poll()) {
            fail(next, fault);
        }
        for (SessionTaker next = takers.poll(); next != null; next = takers.poll()) {
            next.refuse(fault);
        }
        endWithoutPort();
    }

    private static void fail(final InboundTransaction transaction, final PeerFault fault) {
        if (transaction.claim()) {
            transaction.end();
            transaction.peer().worker().execute(() -> transaction.peer().served(transaction, Outcome.failed(fault)));
        }
    }

    /**
     * One visit of a port task: what it does with NiFi's session. Lives on the port task.
     */
    private final class Visit implements PortRequest.Visit {
        private final InboundTransaction leadTransaction;
        private final SessionTaker leadTaker;

        /**
         * At most one of both leads: the port has authorized its peer.
         */
        Visit(final InboundTransaction leadTransaction, final SessionTaker leadTaker) {
            this.leadTransaction = leadTransaction;
            this.leadTaker = leadTaker;
        }

        @Override
        public int serve(final ProcessContext context, final ProcessSession session) {
            visits.incrementAndGet();
            try {
                final int flowFiles = endAndCommit(context, session);
                handOut(context, session);
                return flowFiles;
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                return 0;
            } finally {
                visits.decrementAndGet();
            }
        }

        private int endAndCommit(final ProcessContext context, final ProcessSession session)
                throws InterruptedException {
            final GroupCommit groupCommit = new GroupCommit(context, session, port::checkUserAuthorization, metrics);
            final List<InboundTransaction> batch = new ArrayList<>();
            if (leadTransaction != null && leadTransaction.claim()) {
                batch.add(leadTransaction);
            }
            final long leaveNanos = System.nanoTime() + LONGEST_VISIT_NANOS;
            int flowFiles = 0;
            boolean more = true;
            while (more) {
                endSessions();
                queue.claimInto(batch, settings.commitTransactions(), settings.commitBytes());
                if (!batch.isEmpty()) {
                    flowFiles += groupCommit.commit(batch);
                    batch.clear();
                }
                more = port.isRunning()
                        && leadTaker == null
                        && takers.isEmpty()
                        && !isDestinationFull(groupCommit)
                        && System.nanoTime() - leaveNanos < 0
                        && awaitMore();
            }
            return flowFiles;
        }

        private boolean isDestinationFull(final GroupCommit groupCommit) {
            return port.getConnectableType() == ConnectableType.INPUT_PORT && groupCommit.isDestinationFull();
        }

        private void endSessions() {
            for (HeldSession next = ends.poll(); next != null; next = ends.poll()) {
                next.endNow(true);
            }
        }

        private void handOut(final ProcessContext context, final ProcessSession session) {
            boolean kept = leadTaker != null && give(leadTaker, context, session);
            while (!kept) {
                final SessionTaker taker = takers.poll();
                if (taker == null) {
                    return;
                }
                final PortAuthorizationResult authorization =
                        port.checkUserAuthorization(taker.peer().identity());
                if (authorization.isAuthorized()) {
                    kept = give(taker, context, session);
                } else {
                    taker.refuse(new PeerFault(PeerFault.Kind.NOT_AUTHORIZED, authorization.getExplanation()));
                }
            }
        }

        private boolean give(final SessionTaker taker, final ProcessContext context, final ProcessSession session) {
            try {
                return taker.take(new HeldSession(session, context, PortDispatcher.this));
            } catch (final RuntimeException e) {
                session.rollback();
                taker.refuse(new PeerFault(
                        PeerFault.Kind.COMMIT_FAILED, "The transaction could not begin and was rolled back", e));
                return false;
            }
        }
    }

    private boolean awaitMore() throws InterruptedException {
        if (queue.await(0, this::hasSessionWork)) {
            return true;
        }
        final long nanos = linger.nanos();
        if (nanos == 0 || !lingerPermits.tryAcquire()) {
            return false;
        }
        try {
            return queue.await(nanos, this::hasSessionWork);
        } finally {
            lingerPermits.release();
        }
    }

    /** @return whether a port task is in one of our visits */
    boolean isServing() {
        return visits.get() > 0;
    }

    /** @return transactions that wait for a port task */
    int waiting() {
        return queue.size() + takers.size() + ends.size();
    }

    PublicPort port() {
        return port;
    }
}
