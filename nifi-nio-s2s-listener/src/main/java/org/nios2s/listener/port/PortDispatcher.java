// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
import org.nios2s.listener.doubt.DoubtRoom;
import org.nios2s.listener.doubt.Receipt;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.PeerKey;
import org.nios2s.listener.limits.PortLimits;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.BufferedPush;
import org.nios2s.listener.transaction.HeldSessions;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;
import org.nios2s.listener.transaction.Outcome;
import org.nios2s.listener.transaction.SessionWaiter;
import org.nios2s.listener.transaction.TransactionPeer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the transactions of one port together with its port tasks: keeps the transactions that wait for a task, has NiFi trigger
 * as many tasks as they need, and has each task serve all that is ready. Thread-safe: IO workers submit, port tasks serve.
 */
public final class PortDispatcher {
    private static final Logger logger = LoggerFactory.getLogger(PortDispatcher.class);

    /** Wait of a confirmed transaction for a port task after which no further one is told to confirm. */
    private static final long UNSERVED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time after its last transaction during which a port is still shown as transmitting: short transfers would flicker. */
    private static final long TRANSMITTING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PublicPort port;
    private final PortLimits limits;
    private final Shared shared;
    private final ListenerMetrics metrics;
    private final RequestQueue queue;
    /** Permits for sessions: a pull or a push that streams takes one when a port task brings its session. */
    private final SharedResource.Part sessions;
    /** The transactions that wait for a session, by the permits for which they wait. */
    private final Map<Grant, SessionWaiter> sessionWaiters = new HashMap<>();

    private final HeldSessions heldSessions;
    private final DestinationRoom destination;
    private final PollPacing.Pace pace;
    private final TransmittingMark transmitting;

    /** The triggers in the port's queue, or on their way there and back: at most one for each concurrent task. */
    private final Set<PortTrigger> triggers = ConcurrentHashMap.newKeySet();

    /** Whether the destination had room when it was last looked at: otherwise NiFi triggers no port task that could bring a session. */
    private volatile boolean isOpen = true;

    private volatile TransactionPeer lastLost;
    /** Guarded by the lock of {@link PortRegistry}. */
    private int connections;

    /** The parts that the dispatchers of all ports share. */
    record Shared(
            ListenerSettings settings,
            ExecutorService dispatcherThreads,
            Executor contentWorkers,
            PollPacing pacing,
            DoubtRoom doubts,
            ListenerMetrics metrics,
            NanoClock clock) {}

    PortDispatcher(final PublicPort port, final PortLimits limits, final Shared shared, final ListenerMetrics metrics) {
        this.port = port;
        this.limits = limits;
        this.shared = shared;
        this.metrics = metrics;
        this.queue = new RequestQueue(shared.settings.ports().requestQueueSize(), shared.clock);
        this.destination = new DestinationRoom(port::getConnections, this::isServed, shared.clock);
        this.pace = shared.pacing.of(port);
        this.transmitting = new TransmittingMark(port);
        final boolean pull = port.getConnectableType() == ConnectableType.OUTPUT_PORT;
        this.sessions = pull ? limits.sending() : limits.streaming();
        sessions.grantOnlyNext(this::triggerTasks, () -> isOpen);
        this.heldSessions = new HeldSessions(pull, shared.contentWorkers, this::triggerTasks, metrics, shared.clock);
    }

    /** @return the receipt of a push that begins */
    public Receipt openReceipt(final PeerKey peer) {
        return shared.doubts.open(port.getIdentifier(), peer, metrics);
    }

    /** Takes a transaction that both sides have confirmed. Called by IO workers. */
    public void submit(final BufferedPush transaction) {
        pace.arrived(shared.clock.nanoTime());
        queue.add(transaction);
        triggerTasks();
    }

    /** Forgets a transaction that its connection has abandoned. */
    public void withdraw(final BufferedPush transaction) {
        queue.remove(transaction);
    }

    /**
     * Asks for a session of its own. Called by IO workers.
     *
     * @return the permit to use it, which the port task that brings the session grants
     */
    public Grant awaitSession(final SessionWaiter waiter) {
        pace.arrived(shared.clock.nanoTime());
        final Grant permit;
        synchronized (sessionWaiters) {
            permit = sessions.request(waiter.peer(), () -> {});
            sessionWaiters.put(permit, waiter);
        }
        triggerTasks();
        return permit;
    }

    /**
     * Forgets a transaction that wants no session any more; false if it has taken one already.
     *
     * @param permit for which it waits, or null if it has not asked yet
     */
    public boolean withdraw(final SessionWaiter waiter, final Grant permit) {
        final boolean untaken = waiter.claim();
        if (permit != null) {
            forget(permit);
        }
        return untaken;
    }

    /** @return whether a transaction waited for the permit, and does not wait any more */
    private boolean forget(final Grant permit) {
        // First this: a permit that waits is in the map.
        final boolean waited = permit.stopWaiting();
        synchronized (sessionWaiters) {
            sessionWaiters.remove(permit);
        }
        return waited;
    }

    /**
     * A transaction whose turn it is to have a session.
     *
     * @param permit is its own from now on
     */
    record NextSession(SessionWaiter waiter, Grant permit) {}

    /** @return the next one, or null if none waits, or no permit is free. Called by port tasks */
    NextSession nextSession() {
        synchronized (sessionWaiters) {
            final Grant permit = sessions.next();
            return permit == null ? null : new NextSession(sessionWaiters.remove(permit), permit);
        }
    }

    /** @return whether a transaction waits for a session, and may have one */
    boolean wantsSession() {
        return sessions.grantable() > 0;
    }

    /** @return the pushes of this port, where a new one acquires its place */
    public RequestQueue queue() {
        return queue;
    }

    public PortLimits limits() {
        return limits;
    }

    /** @return what only the peers of this port share */
    List<SharedResource> resources() {
        return List.of(queue.places(), destination.resource());
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
            if (result.isAuthorized()) {
                return null;
            }
            return Kind.NOT_AUTHORIZED.fault(result.getExplanation());
        } catch (final RuntimeException e) {
            return Kind.INTERNAL.fault("NiFi's authorizer failed, so the peer is refused", e);
        }
    }

    private boolean hasSessionWork() {
        return wantsSession() || heldSessions.waiting() > 0;
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

    /** @return whether port tasks come for confirmed transactions; otherwise no further one is to be told to confirm */
    private boolean isServed() {
        final long nowNanos = shared.clock.nanoTime();
        final BufferedPush buffered = queue.first();
        final HeldSession streamed = heldSessions.first();
        return (buffered == null || nowNanos - buffered.readyNanos() < UNSERVED_NANOS)
                && (streamed == null || nowNanos - streamed.requestedNanos() < UNSERVED_NANOS);
    }

    /** @return whether a commit is to be made */
    boolean isReadyToCommit() {
        return queue.first() != null || heldSessions.waiting() > 0;
    }

    /** @return whether a trigger still makes sense */
    boolean wantsTasks() {
        return isPortRunning() && tasksWanted() > 0;
    }

    /** Makes as many triggers as are wanted, each with a dispatcher thread; the sweep makes up for those that failed. */
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
            shared.dispatcherThreads.execute(() -> Guarded.run("Triggering " + port, () -> awaitTask(trigger)));
            return true;
        } catch (final RejectedExecutionException e) {
            logger.debug("The listener has stopped: {} gets no further trigger", port, e);
        } catch (final Throwable e) {
            logger.error(
                    "No thread can be started to trigger {}; its transactions wait until the listener tries again, in a quarter of"
                            + " a second. Look at NiFi's memory and its limit of processes (ulimit -u)",
                    port,
                    e);
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
     * Replaces a trigger whose port task is about to return to NiFi. The trigger is out of the port's queue by now, while its
     * dispatcher thread may follow up to a tenth of a second later: that thread checked whether the trigger was in service, the
     * port task took the trigger and notified, and only then the thread began to wait. NiFi's port holds no lock between the two.
     */
    void taskReturned(final PortTrigger trigger) {
        triggers.remove(trigger);
        triggerTasks();
    }

    private int tasksWanted() {
        final int ready = queue.size();
        final int maxInCommit = shared.settings.commits().transactions();
        if (ready == 0 && !hasSessionWork()) {
            return 0;
        }
        return 1 + ready / maxInCommit + (int) sessions.grantable();
    }

    /** @return what has waited longest for a port task, or null; it stays where it is */
    PortTrigger.QueueHead head() {
        final BufferedPush transaction = queue.first();
        if (transaction != null) {
            return new PortTrigger.QueueHead(transaction.peer(), fault -> fail(transaction, fault));
        }
        final PortTrigger.QueueHead waiter = headOfSessionWaiters();
        if (waiter != null) {
            return waiter;
        }
        final HeldSession session = heldSessions.first();
        if (session != null) {
            return new PortTrigger.QueueHead(session.peer(), fault -> heldSessions.end(session, fault));
        }
        return null;
    }

    private PortTrigger.QueueHead headOfSessionWaiters() {
        synchronized (sessionWaiters) {
            final Grant permit = sessions.peek();
            if (permit == null) {
                return null;
            }
            final SessionWaiter waiter = sessionWaiters.get(permit);
            return new PortTrigger.QueueHead(waiter.peer(), fault -> refuse(permit, waiter, fault));
        }
    }

    /** @return whether the trigger that was lost just before had another head */
    boolean isFirstLoss(final TransactionPeer peer) {
        final boolean first = lastLost != peer;
        lastLost = peer;
        return first;
    }

    private void fail(final BufferedPush transaction, final ConnectionFault fault) {
        queue.remove(transaction);
        if (transaction.claim()) {
            transaction.complete(Outcome.failed(fault));
        }
    }

    private void refuse(final Grant permit, final SessionWaiter waiter, final ConnectionFault fault) {
        if (forget(permit)) {
            Guarded.run("Refusing a session to a transaction", () -> waiter.refusal()
                    .accept(fault));
        }
    }

    /** Runs on the port task. */
    int run(final ProcessContext context, final ProcessSession session) {
        final GroupCommit groupCommit = new GroupCommit(context, session, this::refusalOf, metrics, shared.clock);
        return new PortTaskRun(this, shared.settings.commits(), context, session, groupCommit, shared.clock).run();
    }

    HeldSessions heldSessions() {
        return heldSessions;
    }

    /** Finds what no event tells of: stopped ports, lost triggers, drained queues. Called a few times a second. */
    void sweep() {
        if (!isPortRunning()) {
            portStopped();
        }
        triggers.forEach(PortTrigger::giveUpIfLost);
        triggerTasks();
        isOpen = destination.isOpen();
        destination.grantWaiting();
        showWhetherTransmitting();
    }

    private void showWhetherTransmitting() {
        final boolean underWay = inProgress() > 0;
        if (isPortRunning() && (underWay || pace.arrivedWithin(TRANSMITTING_NANOS, shared.clock.nanoTime()))) {
            transmitting.show(new SocketlessCommunicationsSession(null, this::interrupted));
        } else {
            transmitting.hide();
        }
    }

    /** Called by NiFi as it stops the port, under a lock of the port: what waits for the port is told on a thread of ours. */
    void interrupted() {
        try {
            shared.dispatcherThreads.execute(() -> {
                if (!isPortRunning()) {
                    Guarded.run("Ending what waits for " + port, this::portStopped);
                }
            });
        } catch (final RejectedExecutionException e) {
            logger.debug("The listener has stopped before {}", port, e);
        }
    }

    /** Fails the transactions that wait for the port, which has stopped, and ends sessions without a port task. */
    void portStopped() {
        final ConnectionFault fault =
                Kind.PORT_NOT_RUNNING.fault(port + " is not running; the transaction is rolled back");
        for (PortTrigger.QueueHead next = head(); next != null; next = head()) {
            next.refusal().accept(fault);
        }
    }

    /** No connection uses the port any more: gives back what is the port's own, and ends what is shown on NiFi's canvas. */
    void close() {
        transmitting.close();
        limits.close();
    }

    void connectionOpened() {
        connections++;
    }

    void connectionClosed() {
        connections--;
    }

    /** @return connections that use the port */
    int connections() {
        return connections;
    }

    /** @return transactions between their admission and their end; the peer may have left while its commit goes on */
    int inProgress() {
        return queue.inProgress() + (int) limits.sending().held();
    }

    /** @return whether nothing is under way, so that no transaction would miss the dispatcher */
    boolean isIdle() {
        return waiting() == 0 && triggers.isEmpty() && heldSessions.held() == 0 && inProgress() == 0;
    }

    int waiting() {
        return queue.size() + sessions.waiting() + heldSessions.waiting() + destination.waiting();
    }
}
