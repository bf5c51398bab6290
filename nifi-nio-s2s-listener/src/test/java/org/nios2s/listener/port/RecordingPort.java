// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.nullable;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.connectable.Connection;
import org.apache.nifi.controller.queue.FlowFileQueue;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.PortAuthorizationResult;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.codec.FlowFileCodec;
import org.apache.nifi.remote.exception.NotAuthorizedException;
import org.apache.nifi.remote.exception.RequestExpiredException;
import org.apache.nifi.remote.protocol.ServerProtocol;

/**
 * A public port that behaves as NiFi's {@code StandardPublicPort}: a request waits in its queue until one of its port
 * tasks, threads of its own, calls the request's protocol with a session. Thread-safe.
 */
public final class RecordingPort implements AutoCloseable {
    private final PublicPort port =
            mock(PublicPort.class, withSettings().stubOnly().name("input port"));
    private final FlowFileQueue destination =
            mock(FlowFileQueue.class, withSettings().stubOnly());
    private final Deque<Request> requests = new ArrayDeque<>();
    private final ExecutorService portTasks;
    private final ThreadLocal<Boolean> inPortTask = ThreadLocal.withInitial(() -> false);
    private final AtomicInteger inPort = new AtomicInteger();
    private final AtomicInteger mostInPort = new AtomicInteger();
    private final AtomicInteger inTask = new AtomicInteger();
    private final AtomicInteger commits = new AtomicInteger();
    private final List<ReceivedFlowFile> committed = new CopyOnWriteArrayList<>();
    private final List<ReceivedFlowFile> sent = new CopyOnWriteArrayList<>();
    private final Deque<ReceivedFlowFile> queue = new ConcurrentLinkedDeque<>();
    private final List<RecordingSession.Receipt> receipts = new CopyOnWriteArrayList<>();

    private volatile boolean running = true;
    private volatile boolean scheduled = true;
    private volatile boolean valid = true;
    private volatile boolean full;
    private volatile Predicate<String> allowed = identity -> true;
    private volatile Consumer<List<ReceivedFlowFile>> beforeCommit = flowFiles -> {};
    private volatile Runnable beforeWrite = () -> {};
    private volatile Runnable beforeRead = () -> {};
    private volatile Runnable onTask = () -> {};
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();

    /** What waits in the port. */
    private record Request(
            Peer peer,
            ServerProtocol protocol,
            Service service,
            CompletableFuture<Void> taken,
            CompletableFuture<Integer> answer) {}

    /** What a port task calls of a protocol. */
    @FunctionalInterface
    private interface Service {
        int serve(
                ServerProtocol protocol, Peer peer, ProcessContext context, ProcessSession session, FlowFileCodec codec)
                throws IOException;
    }

    /** Makes an input port. */
    public RecordingPort(final int concurrentTasks) throws Exception {
        this(ConnectableType.INPUT_PORT, concurrentTasks);
    }

    /**
     * @param type input or output port
     */
    public RecordingPort(final ConnectableType type, final int concurrentTasks) throws Exception {
        portTasks = Executors.newFixedThreadPool(concurrentTasks);
        final Connection connection = mock(Connection.class, withSettings().stubOnly());
        when(connection.getFlowFileQueue()).thenReturn(destination);
        when(destination.isFull()).thenAnswer(invocation -> full);
        final String name = type == ConnectableType.INPUT_PORT ? "input" : "output";
        when(port.getIdentifier()).thenReturn(name);
        when(port.getName()).thenReturn(name);
        when(port.getConnectableType()).thenReturn(type);
        when(port.getMaxConcurrentTasks()).thenReturn(concurrentTasks);
        when(port.isRunning()).thenAnswer(invocation -> running);
        when(port.isValid()).thenAnswer(invocation -> valid);
        when(port.getConnections()).thenReturn(Set.of(connection));
        when(port.checkUserAuthorization(nullable(String.class)))
                .thenAnswer(invocation -> authorization(invocation.getArgument(0)));
        when(port.getIncomingConnections()).thenReturn(List.of(connection));
        when(destination.isActiveQueueEmpty()).thenAnswer(invocation -> queue.isEmpty());
        when(port.receiveFlowFiles(any(), any()))
                .thenAnswer(invocation -> request(
                        invocation.getArgument(0), invocation.getArgument(1), ServerProtocol::receiveFlowFiles));
        when(port.transferFlowFiles(any(), any()))
                .thenAnswer(invocation -> request(
                        invocation.getArgument(0), invocation.getArgument(1), ServerProtocol::transferFlowFiles));
        for (int i = 0; i < concurrentTasks; i++) {
            portTasks.execute(this::runPortTasks);
        }
    }

    /** @return the port itself */
    public PublicPort port() {
        return port;
    }

    private PortAuthorizationResult authorization(final String identity) {
        final boolean authorized = allowed.test(identity);
        final PortAuthorizationResult result =
                mock(PortAuthorizationResult.class, withSettings().stubOnly());
        when(result.isAuthorized()).thenReturn(authorized);
        when(result.getExplanation()).thenReturn("User " + identity + " is not authorized");
        return result;
    }

    private int request(final Peer peer, final ServerProtocol protocol, final Service service) throws Exception {
        if (!running) {
            throw new IllegalStateException("Port not running");
        }
        if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new RequestExpiredException();
        }
        mostInPort.accumulateAndGet(inPort.incrementAndGet(), Math::max);
        try {
            final Request request =
                    enter(new Request(peer, protocol, service, new CompletableFuture<>(), new CompletableFuture<>()));
            awaitTaken(request);
            return request.answer.get();
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            inPort.decrementAndGet();
        }
    }

    /** As NiFi's port, which asks again and again whether the request has expired, but sooner. */
    private void awaitTaken(final Request request) throws Exception {
        while (!request.taken.isDone()) {
            if (request.protocol.getRequestExpiration() > 0) {
                synchronized (this) {
                    requests.remove(request);
                }
                throw new ProcessException(new SocketTimeoutException("Read timed out"));
            }
            try {
                request.taken.get(5, TimeUnit.MILLISECONDS);
            } catch (final TimeoutException e) {
                // Asks again.
            }
        }
    }

    private void runPortTasks() {
        try {
            while (true) {
                final Request request = take();
                request.taken.complete(null);
                try {
                    onTask.run();
                    serve(request);
                } catch (final Error e) {
                    // NiFi's port does not answer either, and its scheduler goes on.
                    unanswered.incrementAndGet();
                } finally {
                    inTask.decrementAndGet();
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized Request take() throws InterruptedException {
        while (requests.isEmpty() || !running || !scheduled) {
            wait();
        }
        inTask.incrementAndGet();
        return requests.removeFirst();
    }

    private synchronized Request enter(final Request request) {
        requests.addLast(request);
        notifyAll();
        return request;
    }

    private void serve(final Request request) {
        inPortTask.set(true);
        final RecordingSession session =
                new RecordingSession(queue, this::commit, () -> beforeWrite.run(), () -> beforeRead.run());
        try {
            if (request.protocol.getRequestExpiration() > 0) {
                throw new RequestExpiredException();
            }
            final String identity = request.peer.getCommunicationsSession().getUserDn();
            if (!allowed.test(identity)) {
                throw new NotAuthorizedException("User " + identity + " is not authorized");
            }
            request.answer.complete(request.service.serve(
                    request.protocol,
                    request.peer,
                    context(),
                    session.session(),
                    request.protocol.getPreNegotiatedCodec()));
        } catch (final Exception e) {
            request.answer.completeExceptionally(e);
        }
    }

    private ProcessContext context() {
        final ProcessContext context = mock(ProcessContext.class, withSettings().stubOnly());
        when(context.getAvailableRelationships())
                .thenAnswer(invocation -> full ? Set.of() : Set.of(Relationship.ANONYMOUS));
        return context;
    }

    /** NiFi protects a port's connections only while one of its tasks runs; a pull may be committed where none will. */
    private void commit(
            final List<ReceivedFlowFile> flowFiles,
            final List<RecordingSession.Receipt> provenance,
            final List<ReceivedFlowFile> removed) {
        if (!inPortTask.get() && (running || port.getConnectableType() == ConnectableType.INPUT_PORT)) {
            throw new IllegalStateException("A session was committed outside of a port task");
        }
        beforeCommit.accept(flowFiles);
        commits.incrementAndGet();
        committed.addAll(flowFiles);
        receipts.addAll(provenance);
        sent.addAll(removed);
    }

    /** Stops the port, or starts it again; what waits in it stays. */
    public synchronized void running(final boolean isRunning) {
        running = isRunning;
        notifyAll();
    }

    /** Whether port tasks are triggered: not where back pressure forbids it or threads lack. */
    public synchronized void scheduled(final boolean isScheduled) {
        scheduled = isScheduled;
        notifyAll();
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

    /** @return requests that a port task took and did not answer */
    public int unanswered() {
        return unanswered.get();
    }

    /** @return requests that wait for a port task */
    public synchronized int requests() {
        return requests.size();
    }

    /** Runs before every commit, on the port task. */
    public void beforeCommit(final Consumer<List<ReceivedFlowFile>> action) {
        beforeCommit = action;
    }

    /** Every commit with such a FlowFile fails. */
    public void failCommitsWith(final Predicate<ReceivedFlowFile> bad) {
        beforeCommit = flowFiles -> {
            if (flowFiles.stream().anyMatch(bad)) {
                throw new ProcessException("The repository is out of space");
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

    /** @return the most requests that were in the port at the same time */
    public int mostInPort() {
        return mostInPort.get();
    }

    /** @return requests in the port now */
    public int inPort() {
        return inPort.get();
    }

    /** @return whether no request is in the port, nor with a port task that took it just before it was let go */
    public synchronized boolean isIdle() {
        return inPort.get() == 0 && inTask.get() == 0;
    }

    @Override
    public void close() {
        portTasks.shutdownNow();
    }
}
