// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.controller.ScheduledState;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.remote.PortAuthorizationResult;
import org.apache.nifi.remote.PublicPort;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.PortLimits;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.port.RequestQueue.CommitLimits;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.BufferedPush;
import org.nios2s.listener.transaction.HeldSession;
import org.nios2s.listener.transaction.SessionCloser;
import org.nios2s.listener.transaction.SessionWaiter;
import org.nios2s.listener.transaction.TransactionPeer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the transactions of one port together with its port tasks: keeps what waits for one, asks the port for as many as
 * that takes, and has whichever comes serve all that is ready. Thread-safe: IO workers submit, port tasks serve.
 */
public final class PortDispatcher {
    private static final Logger logger = LoggerFactory.getLogger(PortDispatcher.class);

    /** For so long what was confirmed may wait for a port task before nothing more is confirmed. */
    private static final long UNSERVED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** For so long after its last transaction a port is shown as transmitting: short transfers would flicker. */
    private static final long TRANSMITTING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PublicPort port;
    private final PortLimits limits;
    private final Shared shared;
    private final ListenerMetrics metrics;
    private final RequestQueue queue = new RequestQueue();
    private final Queue<SessionWaiter> sessionWaiters = new ConcurrentLinkedQueue<>();
    private final SessionCloser ends;
    private final DestinationRoom destination;
    private final PollPacing.Pace pace;
    private final TransmittingMark transmitting;

    /** Those that are in the port's queue, or on their way there and back: at most one for each concurrent task. */
    private final Set<PortTrigger> triggers = ConcurrentHashMap.newKeySet();

    private volatile TransactionPeer lastLost;
    /** Guarded by the lock of {@link PortRegistry}. */
    private int connections;

    /** What all ports have in common. */
    record Shared(
            ListenerSettings settings,
            ExecutorService dispatcherThreads,
            Executor contentWorkers,
            PollPacing pacing,
            ListenerMetrics metrics) {}

    PortDispatcher(final PublicPort port, final PortLimits limits, final Shared shared, final ListenerMetrics metrics) {
        this.port = port;
        this.limits = limits;
        this.shared = shared;
        this.metrics = metrics;
        this.destination = new DestinationRoom(port::getConnections, this::isServed);
        this.pace = shared.pacing.of(port);
        this.transmitting = new TransmittingMark(port);
        final boolean pull = port.getConnectableType() == ConnectableType.OUTPUT_PORT;
        this.ends = new SessionCloser(pull, shared.contentWorkers, this::triggerTasks, metrics, NanoClock.SYSTEM);
    }

    /** Takes a transaction that is ready. Called by IO workers. */
    public void submit(final BufferedPush transaction) {
        pace.arrived(System.nanoTime());
        queue.add(transaction);
        triggerTasks();
    }

    /** Forgets a transaction that its connection has abandoned. */
    public void withdraw(final BufferedPush transaction) {
        queue.remove(transaction);
    }

    /** Asks for a session of its own. Called by IO workers. */
    public void awaitSession(final SessionWaiter request) {
        pace.arrived(System.nanoTime());
        sessionWaiters.add(request);
        triggerTasks();
    }

    /** No session is wanted any more; false if one was taken already. */
    public boolean withdraw(final SessionWaiter request) {
        final boolean untaken = request.claim();
        sessionWaiters.remove(request);
        return untaken;
    }

    public PortLimits limits() {
        return limits;
    }

    public ListenerMetrics metrics() {
        return metrics;
    }

    public PublicPort port() {
        return port;
    }

    /** @return why the port does not let a peer use it, or null if it does. May block */
    public ConnectionFault refusalOf(final String identity) {
        try {
            final PortAuthorizationResult result = port.checkUserAuthorization(identity);
            return result.isAuthorized() ? null : Kind.NOT_AUTHORIZED.fault(result.getExplanation());
        } catch (final RuntimeException e) {
            return Kind.INTERNAL.fault("The authorization of the peer could not be checked", e);
        }
    }

    private boolean hasSessionWork() {
        return !sessionWaiters.isEmpty() || ends.waiting() > 0;
    }

    /** @return the room in the connections behind an input port */
    public DestinationRoom destination() {
        return destination;
    }

    /**
     * @return whether the port is started. NiFi's {@code isRunning()} does not tell: NiFi also counts a port as running while a
     *     task is active there, and the task may be ours
     */
    public boolean isPortRunning() {
        return port.getScheduledState() == ScheduledState.RUNNING;
    }

    /** @return whether port tasks come for what was confirmed; otherwise nothing more is to be confirmed */
    private boolean isServed() {
        final BufferedPush oldest = queue.first();
        return oldest == null || System.nanoTime() - oldest.readyNanos() < UNSERVED_NANOS;
    }

    /** @return whether a commit is to be made */
    boolean isReadyToCommit() {
        return queue.first() != null || ends.waiting() > 0;
    }

    /** @return whether a request still makes sense */
    boolean wantsTasks() {
        return isPortRunning() && tasksWanted() > 0;
    }

    /** Makes as many requests as are wanted, each with a dispatcher thread; what failed is repeated by the sweep. */
    private void triggerTasks() {
        PortTrigger next = nextTrigger();
        while (next != null && start(next)) {
            next = nextTrigger();
        }
    }

    private PortTrigger nextTrigger() {
        synchronized (triggers) {
            if (triggers.size() >= port.getMaxConcurrentTasks() || triggers.size() >= tasksWanted()) {
                return null;
            }
            final PortTrigger trigger = new PortTrigger(this);
            triggers.add(trigger);
            return trigger;
        }
    }

    private boolean start(final PortTrigger trigger) {
        try {
            shared.dispatcherThreads.execute(() -> Guarded.run("A request to " + port, () -> awaitTask(trigger)));
            return true;
        } catch (final RejectedExecutionException e) {
            logger.debug("The listener has stopped: {} gets no further request", port, e);
        } catch (final Throwable e) {
            logger.error("No thread for a request to {}; the next sweep tries again", port, e);
        }
        triggers.remove(trigger);
        return false;
    }

    private void awaitTask(final PortTrigger trigger) {
        final boolean answered;
        try {
            answered = trigger.awaitTask();
        } finally {
            triggers.remove(trigger);
        }
        if (answered) {
            triggerTasks();
        }
    }

    /**
     * A visit is over: its request is out of the port's queue, and the next one goes there. The thread that stood for the
     * request may follow up to a tenth of a second later. NiFi's port looks whether the request is in service before it waits
     * for that, without a lock; so a task that takes the request in between notifies a thread that does not wait yet.
     */
    void taskReturned(final PortTrigger trigger) {
        triggers.remove(trigger);
        triggerTasks();
    }

    private int tasksWanted() {
        final int ready = queue.size();
        final int maxInCommit = shared.settings.commitTransactions();
        return ready == 0 && !hasSessionWork() ? 0 : 1 + ready / maxInCommit + sessionWaiters.size();
    }

    /** @return what waits longest and leads a request, or null; it stays where it is */
    PortTrigger.QueueHead head() {
        final BufferedPush transaction = queue.first();
        if (transaction != null) {
            return new PortTrigger.QueueHead(transaction.peer(), fault -> fail(transaction, fault));
        }
        final SessionWaiter request = sessionWaiters.peek();
        if (request != null) {
            return new PortTrigger.QueueHead(request.peer(), fault -> refuse(request, fault));
        }
        final HeldSession session = ends.first();
        return session == null ? null : new PortTrigger.QueueHead(session.peer(), fault -> ends.end(session, fault));
    }

    /** @return whether no request led by the same peer was lost just before */
    boolean isFirstLoss(final TransactionPeer peer) {
        final boolean first = lastLost != peer;
        lastLost = peer;
        return first;
    }

    private void fail(final BufferedPush transaction, final ConnectionFault fault) {
        queue.remove(transaction);
        if (transaction.claim()) {
            OutcomeNotifier.failed(List.of(transaction), fault);
        }
    }

    private void refuse(final SessionWaiter request, final ConnectionFault fault) {
        if (sessionWaiters.remove(request)) {
            Guarded.run("The refusal of a session", () -> request.refusal().accept(fault));
        }
    }

    int serve(final ProcessContext context, final ProcessSession session) {
        final GroupCommit groupCommit = new GroupCommit(context, session, this::refusalOf, destination, metrics);
        final CommitLimits limits =
                new CommitLimits(shared.settings.commitTransactions(), shared.settings.commitBytes());
        return new PortTaskRun(this, limits, context, session, groupCommit).run();
    }

    RequestQueue queue() {
        return queue;
    }

    Queue<SessionWaiter> sessionWaiters() {
        return sessionWaiters;
    }

    SessionCloser ends() {
        return ends;
    }

    /** Looks after what nobody else would notice; called a few times a second. */
    void sweep() {
        if (!isPortRunning()) {
            portStopped();
        }
        triggers.forEach(PortTrigger::giveUpIfLost);
        triggerTasks();
        destination.grantWaiting();
        showWhetherTransmitting();
    }

    private void showWhetherTransmitting() {
        final boolean underWay = isTransactionUnderWay();
        if (isPortRunning() && (underWay || pace.arrivedWithin(TRANSMITTING_NANOS, System.nanoTime()))) {
            transmitting.show(new SocketlessCommunicationsSession(null, this::interrupted));
        } else {
            transmitting.hide();
        }
    }

    /** NiFi stops the port, and holds its lock: what waits for the port is told on a thread of ours. */
    void interrupted() {
        try {
            shared.dispatcherThreads.execute(() -> {
                if (!isPortRunning()) {
                    Guarded.run("The stop of " + port, this::portStopped);
                }
            });
        } catch (final RejectedExecutionException e) {
            logger.debug("The listener has stopped before {}", port, e);
        }
    }

    /** The port has stopped: waiting transactions fail, and sessions end without it. */
    void portStopped() {
        final ConnectionFault fault = Kind.PORT_NOT_RUNNING.fault(port + " is not running");
        for (PortTrigger.QueueHead next = head(); next != null; next = head()) {
            next.refusal().accept(fault);
        }
    }

    /** Nobody uses the port any more. */
    void forget() {
        transmitting.hide();
    }

    /** @return how many connections use it, with those added */
    int countConnection(final int added) {
        connections += added;
        return connections;
    }

    /** @return whether a transaction is under way; its peer may have left, and its commit goes on */
    private boolean isTransactionUnderWay() {
        return limits.places().held() + limits.sending().held() > 0;
    }

    /** @return whether nothing is under way, so that nobody would miss it */
    boolean isIdle() {
        return waiting() == 0 && triggers.isEmpty() && ends.held() == 0 && !isTransactionUnderWay();
    }

    int waiting() {
        return queue.size() + sessionWaiters.size() + ends.waiting() + destination.waiting();
    }
}
