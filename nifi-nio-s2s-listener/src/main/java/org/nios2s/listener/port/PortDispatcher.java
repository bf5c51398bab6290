/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.listener.port;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.exception.NotAuthorizedException;
import org.nios2s.listener.ListenerSettings;
import org.nios2s.listener.PeerFault;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.transaction.InboundTransaction;
import org.nios2s.listener.transaction.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the transactions of one input port together with its port tasks. IO workers submit; a dispatcher thread,
 * blocked in {@link PublicPort#receiveFlowFiles}, stands for each request in the port's own queue, at most
 * as many as the port has concurrent tasks; the port task that takes such a request serves all that is ready, in group
 * commits.
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
    private final Semaphore lingerPermits;
    private final ListenerMetrics metrics;
    private final RequestQueue queue;
    private final Linger linger = new Linger(System.nanoTime());
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger visits = new AtomicInteger();

    PortDispatcher(
            final PublicPort port,
            final ListenerSettings settings,
            final Executor dispatcherThreads,
            final Semaphore lingerPermits,
            final ListenerMetrics metrics) {
        this.port = port;
        this.settings = settings;
        this.dispatcherThreads = dispatcherThreads;
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

    private void requestPortTasks() {
        final int waiting = queue.size();
        final int wanted =
                waiting == 0 ? 0 : Math.min(port.getMaxConcurrentTasks(), 1 + waiting / settings.commitTransactions());
        int current = requests.get();
        while (current < wanted) {
            if (requests.compareAndSet(current, current + 1)) {
                startDispatcherThread();
            }
            current = requests.get();
        }
    }

    private void startDispatcherThread() {
        try {
            dispatcherThreads.execute(this::requestPortTask);
        } catch (final RejectedExecutionException e) {
            // The listener has stopped, and with it every connection that has something in the queue.
            logger.debug("{} gets no further request", port, e);
        }
    }

    /** Dispatcher thread: stands for one request until the port has served it. */
    private void requestPortTask() {
        try {
            final InboundTransaction lead = queue.poll();
            if (lead != null) {
                requestPortTask(lead);
            }
        } finally {
            requests.decrementAndGet();
            requestPortTasks();
        }
    }

    private void requestPortTask(final InboundTransaction lead) {
        try {
            final PortRequest request = new PortRequest(port, (context, session) -> serve(lead, context, session));
            port.receiveFlowFiles(lead.peer().toPeer(), request);
        } catch (final NotAuthorizedException e) {
            fail(lead, new PeerFault(PeerFault.Kind.NOT_AUTHORIZED, String.valueOf(e.getMessage())));
        } catch (final Exception e) {
            if (port.isRunning()) {
                logger.debug("{} did not serve a request", port, e);
                fail(lead, new PeerFault(PeerFault.Kind.COMMIT_FAILED, "The port did not serve the request", e));
            } else {
                failAllForStoppedPort(lead);
            }
        }
    }

    private void failAllForStoppedPort(final InboundTransaction lead) {
        final PeerFault fault = new PeerFault(PeerFault.Kind.PORT_NOT_RUNNING, port + " is not running");
        for (InboundTransaction next = lead; next != null; next = queue.poll()) {
            fail(next, fault);
        }
    }

    private static void fail(final InboundTransaction transaction, final PeerFault fault) {
        if (transaction.claim()) {
            transaction.end();
            transaction.peer().worker().execute(() -> transaction.peer().served(transaction, Outcome.failed(fault)));
        }
    }

    /** Port task: one visit. */
    private int serve(final InboundTransaction lead, final ProcessContext context, final ProcessSession session) {
        visits.incrementAndGet();
        try {
            return serveAll(lead, context, session);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        } finally {
            visits.decrementAndGet();
        }
    }

    private int serveAll(final InboundTransaction lead, final ProcessContext context, final ProcessSession session)
            throws InterruptedException {
        final long leaveNanos = System.nanoTime() + LONGEST_VISIT_NANOS;
        final GroupCommit groupCommit = new GroupCommit(context, session, port::checkUserAuthorization, metrics);
        final List<InboundTransaction> batch = new ArrayList<>();
        if (lead.claim()) {
            batch.add(lead);
        }
        int flowFiles = 0;
        boolean more = true;
        while (more) {
            queue.claimInto(batch, settings.commitTransactions(), settings.commitBytes());
            if (!batch.isEmpty()) {
                flowFiles += groupCommit.commit(batch);
                batch.clear();
            }
            more = port.isRunning()
                    && !groupCommit.isDestinationFull()
                    && System.nanoTime() - leaveNanos < 0
                    && awaitMore();
        }
        return flowFiles;
    }

    private boolean awaitMore() throws InterruptedException {
        if (queue.await(0)) {
            return true;
        }
        final long nanos = linger.nanos();
        if (nanos == 0 || !lingerPermits.tryAcquire()) {
            return false;
        }
        try {
            return queue.await(nanos);
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
        return queue.size();
    }

    PublicPort port() {
        return port;
    }
}
