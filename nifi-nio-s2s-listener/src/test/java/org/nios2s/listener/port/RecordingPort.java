// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.nifi.authorization.Authorizer;
import org.apache.nifi.connectable.Connectable;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.connectable.Connection;
import org.apache.nifi.controller.ProcessScheduler;
import org.apache.nifi.controller.ScheduledState;
import org.apache.nifi.controller.queue.FlowFileQueue;
import org.apache.nifi.controller.queue.QueueSize;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSessionFactory;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.PortAuthorizationResult;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.StandardPublicPort;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.exception.BadRequestException;
import org.apache.nifi.remote.exception.NotAuthorizedException;
import org.apache.nifi.remote.exception.RequestExpiredException;
import org.apache.nifi.remote.protocol.ServerProtocol;
import org.apache.nifi.reporting.BulletinRepository;

/**
 * NiFi's own public port, triggered as NiFi's scheduler would trigger it, which keeps what is committed through it. Its port
 * tasks are threads of its own; thread-safe.
 *
 * <p>The queue of requests, the yield on an empty queue, {@code isRunning()}, what a stop interrupts: all of that is
 * {@link StandardPublicPort}'s. The scheduler around it follows NiFi's {@code ConnectableTask} and
 * {@code StandardProcessScheduler}: a yielded port, a port that is not scheduled, and an input port under back pressure are not
 * triggered; a task counts as an active thread from before {@code onTrigger} until after it.
 */
public final class RecordingPort implements AutoCloseable {
    /** As {@code nifi.bored.yield.duration} is by default. */
    private static final String BORED_YIELD = "10 millis";

    /** How long a task waits before it looks again whether it may run. */
    private static final long LOOK_AGAIN_MILLIS = 1;

    private final RecordedPort port;
    private final FlowFileQueue destination =
            mock(FlowFileQueue.class, withSettings().stubOnly());
    private final ExecutorService portTasks;
    private final ThreadLocal<Boolean> inPortTask = ThreadLocal.withInitial(() -> false);
    /** Whether this port task looks into the queue; if not, it has taken a request. */
    private final ThreadLocal<Boolean> looking = ThreadLocal.withInitial(() -> false);

    private final AtomicInteger tasksLooking = new AtomicInteger();
    private final AtomicInteger inPort = new AtomicInteger();
    private final AtomicInteger mostInQueue = new AtomicInteger();
    private final AtomicInteger untaken = new AtomicInteger();
    private final AtomicInteger inTask = new AtomicInteger();
    private final AtomicInteger commits = new AtomicInteger();
    private final AtomicInteger queuedBehind = new AtomicInteger();
    private final List<ReceivedFlowFile> committed = new CopyOnWriteArrayList<>();
    private final List<ReceivedFlowFile> sent = new CopyOnWriteArrayList<>();
    private final Deque<ReceivedFlowFile> queue = new ConcurrentLinkedDeque<>();
    private final List<RecordingSession.Receipt> receipts = new CopyOnWriteArrayList<>();

    private volatile boolean scheduled = true;
    private volatile boolean valid = true;
    private volatile boolean full;
    private volatile long objectThreshold;
    private volatile Predicate<String> allowed = identity -> true;
    private volatile Consumer<List<ReceivedFlowFile>> beforeCommit = flowFiles -> {};
    private volatile Runnable beforeWrite = () -> {};
    private volatile Runnable beforeRead = () -> {};
    private volatile Runnable onTask = () -> {};
    private volatile Runnable afterAnswer = () -> {};
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();

    /** NiFi's port, with what the tests decide about it, and a count of the requests in it. */
    private final class RecordedPort extends StandardPublicPort {
        private RecordedPort(final ConnectableType type, final ProcessScheduler scheduler) {
            super(
                    type == ConnectableType.INPUT_PORT ? "input" : "output",
                    type == ConnectableType.INPUT_PORT ? "input" : "output",
                    type == ConnectableType.INPUT_PORT ? TransferDirection.RECEIVE : TransferDirection.SEND,
                    type,
                    mock(Authorizer.class, withSettings().stubOnly()),
                    mock(BulletinRepository.class, withSettings().stubOnly()),
                    scheduler,
                    false,
                    BORED_YIELD,
                    List.of());
        }

        @Override
        public boolean isValid() {
            return valid;
        }

        @Override
        public PortAuthorizationResult checkUserAuthorization(final String identity) {
            return new StandardPortAuthorizationResult(
                    allowed.test(identity), "User " + identity + " is not authorized");
        }

        @Override
        public int receiveFlowFiles(final Peer peer, final ServerProtocol protocol)
                throws NotAuthorizedException, BadRequestException, RequestExpiredException {
            final WatchedProtocol watched = enter(protocol);
            try {
                return super.receiveFlowFiles(peer, watched.protocol());
            } finally {
                leave(watched);
                afterAnswer.run();
            }
        }

        @Override
        public int transferFlowFiles(final Peer peer, final ServerProtocol protocol)
                throws NotAuthorizedException, BadRequestException, RequestExpiredException {
            final WatchedProtocol watched = enter(protocol);
            try {
                return super.transferFlowFiles(peer, watched.protocol());
            } finally {
                leave(watched);
            }
        }

        private WatchedProtocol enter(final ServerProtocol protocol) throws RequestExpiredException {
            if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new RequestExpiredException();
            }
            inPort.incrementAndGet();
            mostInQueue.accumulateAndGet(untaken.incrementAndGet(), Math::max);
            return new WatchedProtocol(protocol);
        }

        private void leave(final WatchedProtocol watched) {
            inPort.decrementAndGet();
            watched.isTaken();
        }
    }

    /** Passes all calls on, and notices when a port task takes the request: the task then asks whether it has expired. */
    private final class WatchedProtocol implements InvocationHandler {
        private final ServerProtocol delegate;
        private final AtomicBoolean taken = new AtomicBoolean();

        private WatchedProtocol(final ServerProtocol delegate) {
            this.delegate = delegate;
        }

        private ServerProtocol protocol() {
            return (ServerProtocol) Proxy.newProxyInstance(
                    RecordingPort.class.getClassLoader(), new Class<?>[] {ServerProtocol.class}, this);
        }

        private boolean isTaken() {
            final boolean first = taken.compareAndSet(false, true);
            if (first) {
                untaken.decrementAndGet();
            }
            return first;
        }

        @Override
        public Object invoke(final Object proxy, final Method method, final Object[] arguments) throws Throwable {
            if (inPortTask.get() && "getRequestExpiration".equals(method.getName()) && isTaken()) {
                looked();
                onTask.run();
            }
            try {
                return method.invoke(delegate, arguments);
            } catch (final InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    /** Makes an input port. */
    public RecordingPort(final int concurrentTasks) {
        this(ConnectableType.INPUT_PORT, concurrentTasks);
    }

    /**
     * @param type input or output port
     */
    public RecordingPort(final ConnectableType type, final int concurrentTasks) {
        portTasks = Executors.newFixedThreadPool(concurrentTasks);
        final ProcessScheduler scheduler =
                mock(ProcessScheduler.class, withSettings().stubOnly());
        when(scheduler.getActiveThreadCount(any())).thenAnswer(invocation -> inTask.get());
        port = new RecordedPort(type, scheduler);
        port.setMaxConcurrentTasks(concurrentTasks);
        port.setProcessGroup(mock(ProcessGroup.class, withSettings().stubOnly()));
        port.addConnection(connection(type));
        when(destination.isFull()).thenAnswer(invocation -> isFull());
        when(destination.size()).thenAnswer(invocation -> new QueueSize(queuedBehind.get(), 0));
        when(destination.getBackPressureObjectThreshold()).thenAnswer(invocation -> objectThreshold);
        when(destination.getBackPressureDataSizeThreshold()).thenReturn("0 B");
        when(destination.isActiveQueueEmpty()).thenAnswer(invocation -> queue.isEmpty());
        port.onSchedulingStart();
        for (int i = 0; i < concurrentTasks; i++) {
            portTasks.execute(this::runPortTasks);
        }
    }

    private Connection connection(final ConnectableType type) {
        final Connection connection = mock(Connection.class, withSettings().stubOnly());
        final Connectable neighbour = mock(Connectable.class, withSettings().stubOnly());
        final boolean input = type == ConnectableType.INPUT_PORT;
        when(connection.getSource()).thenReturn(input ? port : neighbour);
        when(connection.getDestination()).thenReturn(input ? neighbour : port);
        when(connection.getRelationships()).thenReturn(Set.of());
        when(connection.getFlowFileQueue()).thenReturn(destination);
        return connection;
    }

    /** @return the port itself */
    public PublicPort port() {
        return port;
    }

    private boolean isFull() {
        return full || objectThreshold > 0 && queuedBehind.get() >= objectThreshold;
    }

    private void runPortTasks() {
        try {
            while (!portTasks.isShutdown()) {
                if (beginTask()) {
                    trigger();
                } else {
                    lookAgainLater();
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void lookAgainLater() throws InterruptedException {
        wait(LOOK_AGAIN_MILLIS);
    }

    /** As {@code ConnectableTask.invoke()} up to {@code onTrigger}. */
    private synchronized boolean beginTask() {
        final boolean underBackPressure = port.getConnectableType() == ConnectableType.INPUT_PORT && isFull();
        if (!scheduled
                || port.getScheduledState() != ScheduledState.RUNNING
                || port.getYieldExpiration() > System.currentTimeMillis()
                || underBackPressure) {
            return false;
        }
        inTask.incrementAndGet();
        tasksLooking.incrementAndGet();
        looking.set(true);
        return true;
    }

    private void looked() {
        if (looking.get()) {
            looking.set(false);
            tasksLooking.decrementAndGet();
        }
    }

    private void trigger() {
        inPortTask.set(true);
        try {
            port.onTrigger(context(), sessionFactory());
        } catch (final Throwable e) {
            // The request has no answer; NiFi would rest the port for its administrative yield, half a minute.
            unanswered.incrementAndGet();
        } finally {
            inPortTask.set(false);
            looked();
            inTask.decrementAndGet();
        }
    }

    private ProcessSessionFactory sessionFactory() {
        return () ->
                new RecordingSession(queue, this::commit, () -> beforeWrite.run(), () -> beforeRead.run()).session();
    }

    private ProcessContext context() {
        final ProcessContext context = mock(ProcessContext.class, withSettings().stubOnly());
        when(context.getAvailableRelationships())
                .thenAnswer(invocation -> isFull() ? Set.of() : Set.of(Relationship.ANONYMOUS));
        doAnswer(invocation -> {
                    port.yield();
                    return null;
                })
                .when(context)
                .yield();
        return context;
    }

    /** NiFi protects a port's connections only while one of its tasks runs; a pull puts nothing into one. */
    private void commit(
            final List<ReceivedFlowFile> flowFiles,
            final List<RecordingSession.Receipt> provenance,
            final List<ReceivedFlowFile> removed) {
        if (!inPortTask.get() && port.getConnectableType() == ConnectableType.INPUT_PORT) {
            throw new IllegalStateException("A session was committed outside of a port task");
        }
        beforeCommit.accept(flowFiles);
        commits.incrementAndGet();
        queuedBehind.addAndGet(flowFiles.size());
        committed.addAll(flowFiles);
        receipts.addAll(provenance);
        sent.addAll(removed);
    }

    /**
     * Stops the port as NiFi's {@code stopPort} does, or starts it again as {@code startPort}, which NiFi refuses while one of
     * its tasks is active: so this waits until none is. Requests in the port stay there.
     */
    public void running(final boolean isRunning) {
        if (isRunning == (port.getScheduledState() == ScheduledState.RUNNING)) {
            return;
        }
        if (isRunning) {
            await().until(() -> inTask.get() == 0);
            port.onSchedulingStart();
        } else {
            port.shutdown();
            awaitNoTaskLooking();
        }
    }

    /** Whether port tasks are triggered: not where threads lack. From then on no request is taken; those in service go on. */
    public void scheduled(final boolean isScheduled) {
        synchronized (this) {
            scheduled = isScheduled;
            notifyAll();
        }
        if (!isScheduled) {
            awaitNoTaskLooking();
        }
    }

    /** A task that looks into the queue may still take a request, and NiFi counts the port as running as long. */
    private void awaitNoTaskLooking() {
        await().until(() -> tasksLooking.get() == 0);
    }

    /** Whether the port is configured well. */
    public void valid(final boolean isValid) {
        valid = isValid;
    }

    /** Whether the port's connections have room for no more. */
    public void full(final boolean isFull) {
        full = isFull;
    }

    /** Decides which identities may use the port. */
    public void allow(final Predicate<String> identities) {
        allowed = identities;
    }

    /** @param listener runs before content is written to a stream of a session's */
    public void beforeWrite(final Runnable listener) {
        beforeWrite = listener;
    }

    /** @param listener runs before content of a FlowFile is read */
    public void beforeRead(final Runnable listener) {
        beforeRead = listener;
    }

    /** As if others filled the port's queue: so many of the next requests find no place in it. */
    public void refuseRequests(final int count) {
        refusals.set(count);
    }

    /** Runs when a port task has taken a request, before it is served. */
    public void onTask(final Runnable action) {
        onTask = action;
    }

    /** Runs on the thread that stands for a request, when the port has answered it. */
    public void afterAnswer(final Runnable action) {
        afterAnswer = action;
    }

    /** @return requests that a port task took and did not answer */
    public int unanswered() {
        return unanswered.get();
    }

    /** @return requests that wait for a port task */
    public int requests() {
        return untaken.get();
    }

    /** @return threads of NiFi's that are in the port */
    public int activeThreads() {
        return inTask.get();
    }

    /** Back pressure of the connection behind the port, in FlowFiles, as NiFi counts it; 0 for none. */
    public void backPressure(final long flowFiles) {
        objectThreshold = flowFiles;
    }

    /** @return FlowFiles in the connection behind the port */
    public int queuedBehind() {
        return queuedBehind.get();
    }

    /** The connection's destination takes so many FlowFiles out of it. */
    public void drain(final int flowFiles) {
        queuedBehind.addAndGet(-flowFiles);
    }

    /** Runs before every commit, on the port task. */
    public void beforeCommit(final Consumer<List<ReceivedFlowFile>> action) {
        beforeCommit = action;
    }

    /** Every commit with such a FlowFile fails. */
    public void failCommitsWith(final Predicate<ReceivedFlowFile> bad) {
        beforeCommit = flowFiles -> {
            if (flowFiles.stream().anyMatch(bad)) {
                throw new ProcessException(
                        "FlowFile Repository failed to update", new IOException("No space left on device"));
            }
        };
    }

    /** @return FlowFiles of commits that succeeded */
    public List<ReceivedFlowFile> committed() {
        return committed;
    }

    /** Puts a FlowFile into an output port's queue. */
    public void queue(final Map<String, String> attributes, final byte[] content) {
        queue.addLast(new ReceivedFlowFile(queue.size(), attributes, content));
    }

    /** Takes all FlowFiles out of an output port's queue. */
    public void clearQueue() {
        queue.clear();
    }

    /** @return FlowFiles in an output port's queue */
    public int queued() {
        return queue.size();
    }

    /** @return FlowFiles that have left an output port's queue in a commit */
    public List<ReceivedFlowFile> sent() {
        return sent;
    }

    /** @return how many commits succeeded */
    public int commits() {
        return commits.get();
    }

    /** @return transit URI, source identifier and details of provenance events that were committed */
    public List<List<String>> receipts() {
        return receipts.stream()
                .map(receipt -> Arrays.asList(receipt.transitUri(), receipt.sourceIdentifier(), receipt.details()))
                .toList();
    }

    /** @return the most requests that were in the port's queue at the same time */
    public int mostInQueue() {
        return mostInQueue.get();
    }

    /** @return requests in the port now */
    public int inPort() {
        return inPort.get();
    }

    /** @return whether no request is in the port */
    public boolean isIdle() {
        return inPort.get() == 0;
    }

    @Override
    public void close() {
        portTasks.shutdownNow();
    }
}
