// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.util.NiFiProperties;
import org.awaitility.core.ConditionFactory;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.FaultLog;
import org.nios2s.listener.fault.RefusalLog;
import org.nios2s.listener.limits.ConnectionLimit;
import org.nios2s.listener.limits.HandshakeLimit;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.RateLimits;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.port.PortDispatcher;
import org.nios2s.listener.port.PortRegistry;
import org.nios2s.listener.port.RecordingPort;
import org.nios2s.listener.protocol.PeerList;
import org.nios2s.listener.protocol.RawProtocol;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.settings.TransportSelection;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.tls.TlsHandlerFactory;
import org.slf4j.LoggerFactory;

/**
 * Message sequences on a loopback socket, with everything around them that they need, an input port and an output port. Lives on the
 * test's thread, with one IO worker.
 */
final class RunningListener implements AutoCloseable {
    static final String INPUT_PORT = "input";
    static final String OUTPUT_PORT = "output";
    static final String HOST_NAME = "peer.example";

    /** For each thing that may block. */
    static final int BLOCKING_THREADS = 2;

    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(2);
    private static final int LISTEN_PORT = 10_443;
    private static final int MOST_CONNECTIONS = 1_000;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final Environment environment;
    private final EventLoopGroup worker;
    private final WorkerConnections connections;
    private final List<MessageSequenceHandler> handlers = new CopyOnWriteArrayList<>();
    private final ExecutorService blockingTasks = Executors.newFixedThreadPool(BLOCKING_THREADS);
    private final ExecutorService contentReaders = Executors.newFixedThreadPool(BLOCKING_THREADS);
    private final ExecutorService contentWriters = Executors.newFixedThreadPool(BLOCKING_THREADS);
    private final ThreadPoolExecutor peerLists = (ThreadPoolExecutor) Executors.newFixedThreadPool(BLOCKING_THREADS);
    private final ExecutorService lookups = Executors.newFixedThreadPool(1);
    private final HostNames hostNames;
    private final ListenerMetrics metrics;
    private final FaultLog faultLog;
    private final RefusalLog refusalLog;
    private final Drain drain;
    private final ProcessGroup rootGroup = mock(ProcessGroup.class);
    private final RecordingPort input;
    private final RecordingPort output;
    private final List<RecordingPort> morePorts = new CopyOnWriteArrayList<>();
    private final MemoryBudget budget;
    private final ConnectionLimit limit;
    private final HandshakeLimit handshakes;
    private final PortRegistry dispatchers;
    private final Channel serverChannel;

    private final AtomicInteger inflationTurns = new AtomicInteger();
    private final AtomicInteger answers = new AtomicInteger();
    private final AtomicInteger flushes = new AtomicInteger();
    private final AtomicInteger mostInATurn = new AtomicInteger();
    private final List<AtomicLong> receivedBytes = new CopyOnWriteArrayList<>();

    /** The IO worker's; null while answers leave. */
    private List<Runnable> heldAnswers;

    private volatile boolean byteByByte;
    private volatile int bytesTogether;

    /**
     * What a listener stands on.
     *
     * @param tls makes the TLS of connections, or null for plain TCP
     */
    record Environment(TransportSelection transport, TlsHandlerFactory tls, NanoClock clock) {
        /** The clock stands still, so that nothing is late because the machine is busy. */
        private static final Environment USUAL = plain(() -> TimeUnit.DAYS.toNanos(1));

        /** @return without TLS, with a clock that the test sets, or that of the JVM where time is what it tests */
        static Environment plain(final NanoClock clock) {
            return new Environment(TransportSelection.select(TransportSelection.Choice.NIO), null, clock);
        }
    }

    /**
     * @param settings keys without {@code nifi.remote.input.nio.}, and values, in turn
     */
    RunningListener(final Environment environment, final String... settings) throws Exception {
        this(environment, address -> HOST_NAME, null, settings);
        awaitHostName();
    }

    /**
     * @param settings keys without {@code nifi.remote.input.nio.}, and values, in turn
     */
    RunningListener(final String... settings) throws Exception {
        this(address -> HOST_NAME, settings);
        awaitHostName();
    }

    private void awaitHostName() {
        awaiting().until(() -> HOST_NAME.equals(hostNames.nameOf(InetAddress.getLoopbackAddress())));
    }

    /**
     * @param resolver of peers' host names
     * @param settings keys without {@code nifi.remote.input.nio.}, and values, in turn
     */
    RunningListener(final Function<InetAddress, String> resolver, final String... settings) throws Exception {
        this(resolver, null, settings);
    }

    /**
     * @param resolver of peers' host names
     * @param nodeInformant the cluster, or null for a standalone NiFi
     * @param settings keys, those of the listener without {@code nifi.remote.input.nio.}, and values, in turn
     */
    RunningListener(
            final Function<InetAddress, String> resolver, final NodeInformant nodeInformant, final String... settings)
            throws Exception {
        this(Environment.USUAL, resolver, nodeInformant, settings);
    }

    private RunningListener(
            final Environment environment,
            final Function<InetAddress, String> resolver,
            final NodeInformant nodeInformant,
            final String... settings)
            throws Exception {
        this.environment = environment;
        final NanoClock clock = environment.clock();
        worker = environment.transport().workers(1, "worker of a test");
        connections = new WorkerConnections(loop(), nanos -> {}, clock);
        metrics = new ListenerMetrics(1, clock);
        faultLog = new FaultLog(LoggerFactory.getLogger(RunningListener.class), clock);
        refusalLog = new RefusalLog(LoggerFactory.getLogger(RunningListener.class), clock);
        drain = new Drain(1, () -> 0, clock);
        hostNames = new HostNames(true, resolver, lookups, clock);
        input = new RecordingPort(1);
        when(rootGroup.isRootGroup()).thenReturn(true);
        final PublicPort port = input.port();
        when(rootGroup.findInputPort(INPUT_PORT)).thenReturn(port);
        output = new RecordingPort(ConnectableType.OUTPUT_PORT, 1);
        final PublicPort outputPort = output.port();
        when(rootGroup.findOutputPort(OUTPUT_PORT)).thenReturn(outputPort);
        final ListenerSettings effective = ListenerSettings.from(properties(settings));
        budget = new MemoryBudget(effective.memory().buffer(), clock);
        dispatchers = new PortRegistry(effective, budget, contentReaders, metrics, clock);
        limit = new ConnectionLimit(
                effective.connections().max() > 0 ? effective.connections().max() : MOST_CONNECTIONS,
                0,
                "no more in a test",
                clock);
        handshakes = new HandshakeLimit(effective.connections().handshakesMax(), clock);
        final ListenerContext context = new ListenerContext(
                effective,
                new RawProtocol(new PeerList(properties(settings), nodeInformant, peerLists, drain, clock)),
                new ListenerContext.Endpoint(LISTEN_PORT, environment.tls(), hostNames, InstantSource.system()),
                new ListenerContext.Ports(() -> rootGroup, dispatchers),
                new ListenerContext.Limits(
                        budget,
                        limit,
                        handshakes,
                        new RateLimits(effective.peers().rates(), clock)),
                new ListenerContext.Threads(
                        blockingTasks,
                        blockingTasks,
                        contentReaders,
                        (holder, turn) -> contentWriters.execute(turn),
                        this::writeInflated),
                drain,
                metrics,
                new ListenerContext.Logs(faultLog, refusalLog),
                clock);
        serverChannel = environment
                .transport()
                .bootstrap(worker)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(final Channel channel) throws ConnectionFault {
                        final MessageSequenceHandler handler = new MessageSequenceHandler(context, connections);
                        final InetAddress address = InetAddress.getLoopbackAddress();
                        handler.takePlace(channel, address, false);
                        handlers.add(handler);
                        handshakes.add(channel);
                        channel.closeFuture().addListener(closed -> handshakes.remove(channel));
                        metrics.add(ListenerMetrics.Counter.CONNECTIONS_ACCEPTED, 1);
                        if (environment.tls() != null) {
                            channel.pipeline().addLast(handler.newTlsHandler(channel, address));
                        }
                        channel.pipeline().addLast(new Splitter(), handler);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        handshakes.setAcceptor(serverChannel.config()::setAutoRead);
    }

    private void writeInflated(final Runnable turn) {
        inflationTurns.incrementAndGet();
        contentWriters.execute(turn);
    }

    private static NiFiProperties properties(final String... settings) {
        final Map<String, String> properties = new HashMap<>(Map.of(
                NiFiProperties.REMOTE_INPUT_HOST, "nifi.example",
                NiFiProperties.REMOTE_INPUT_PORT, String.valueOf(LISTEN_PORT),
                NiFiProperties.SITE_TO_SITE_SECURE, "false"));
        for (int i = 0; i < settings.length; i += 2) {
            final String key = settings[i];
            properties.put(key.startsWith("nifi.") ? key : "nifi.remote.input.nio." + key, settings[i + 1]);
        }
        return new NiFiProperties(properties);
    }

    /** Passes every byte on in a buffer of its own, or many in one, if the test wants that; counts what is answered. */
    private final class Splitter extends ChannelDuplexHandler {
        private final ByteBuf gathered = Unpooled.buffer();
        private final AtomicLong received = new AtomicLong();

        Splitter() {
            receivedBytes.add(received);
        }

        @Override
        public void write(final ChannelHandlerContext context, final Object message, final ChannelPromise promise) {
            answers.incrementAndGet();
            whenReleased(() -> context.write(message, promise));
        }

        @Override
        public void flush(final ChannelHandlerContext context) {
            flushes.incrementAndGet();
            whenReleased(context::flush);
        }

        private void whenReleased(final Runnable task) {
            if (heldAnswers == null) {
                task.run();
            } else {
                heldAnswers.add(task);
            }
        }

        @Override
        public void channelRead(final ChannelHandlerContext context, final Object message) {
            final ByteBuf bytes = (ByteBuf) message;
            received.addAndGet(bytes.readableBytes());
            if (bytesTogether > 0) {
                gathered.writeBytes(bytes);
                bytes.release();
                if (gathered.readableBytes() >= bytesTogether) {
                    context.fireChannelRead(gathered.readRetainedSlice(gathered.readableBytes()));
                }
                return;
            }
            if (!byteByByte) {
                context.fireChannelRead(bytes);
                return;
            }
            while (bytes.isReadable()) {
                context.fireChannelRead(bytes.readRetainedSlice(1));
            }
            bytes.release();
        }
    }

    /** Looks often, for a short test, and long, for a slow machine. */
    static ConditionFactory awaiting() {
        return await().pollDelay(Duration.ZERO).pollInterval(POLL_INTERVAL).atMost(DEADLINE);
    }

    /** From now on every byte arrives alone. */
    void splitByteByByte() {
        byteByByte = true;
    }

    /** From now on so many bytes arrive together. */
    void gather(final int bytes) {
        bytesTogether = bytes;
    }

    /** From now on answers don't leave, as if the peer did not read them. */
    void holdAnswers() {
        worker.submit(() -> heldAnswers = new ArrayList<>()).syncUninterruptibly();
    }

    /** Lets leave what was held. */
    void releaseAnswers() {
        worker.submit(() -> {
                    final List<Runnable> held = heldAnswers;
                    heldAnswers = null;
                    held.forEach(Runnable::run);
                })
                .syncUninterruptibly();
    }

    /** @return how often what was sent was given to the system */
    int flushes() {
        return flushes.get();
    }

    /** From now on, to a number of messages, the IO worker counts them whenever it has looked at its sockets. */
    void watchTurns(final int messages) {
        final int now = answers.get();
        worker.execute(() -> takeTurns(now, now + messages));
    }

    /** @return the most messages that were sent before the IO worker looked at its other sockets */
    int mostInATurn() {
        return mostInATurn.get();
    }

    private void takeTurns(final int before, final int end) {
        final int now = answers.get();
        mostInATurn.accumulateAndGet(now - before, Math::max);
        if (now < end) {
            loop().executeAfterEventLoopIteration(() -> worker.execute(() -> takeTurns(now, end)));
        }
    }

    /** Does something while the IO worker is busy, which then looks after deadlines before it reads any socket. */
    void checkDeadlinesBehind(final Callable<?> action) throws Exception {
        whileWorkerRests(() -> {
            action.call();
            worker.execute(connections::checkDeadlines);
            return null;
        });
        awaitDeadlinesChecked();
    }

    /** Looks after deadlines, as the listener does a few times a second. */
    void checkDeadlines() {
        worker.execute(connections::checkDeadlines);
        awaitDeadlinesChecked();
    }

    /** Looks after deadlines, and does something before they are compared: what other threads post meanwhile comes too late. */
    void checkDeadlinesAround(final Callable<?> action) throws Exception {
        final CountDownLatch held = new CountDownLatch(1);
        final CountDownLatch done = new CountDownLatch(1);
        worker.execute(() -> {
            connections.checkDeadlines();
            loop().executeAfterEventLoopIteration(() -> {
                held.countDown();
                hold(done);
            });
        });
        try {
            awaiting().until(() -> held.getCount() == 0);
            action.call();
        } finally {
            done.countDown();
        }
        awaitDeadlinesChecked();
    }

    private SingleThreadEventLoop loop() {
        return (SingleThreadEventLoop) worker.next();
    }

    /** Waits until so many tasks wait for the IO worker. */
    void awaitPendingTasks(final int tasks) {
        awaiting().until(() -> loop().pendingTasks() >= tasks);
    }

    private static void hold(final CountDownLatch latch) {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitDeadlinesChecked() {
        final CountDownLatch checked = new CountDownLatch(1);
        worker.execute(() -> connections.afterLoopIteration(checked::countDown));
        awaiting().until(() -> checked.getCount() == 0);
        handshakes.sweep();
        limit.sweep();
    }

    /** Does something while the IO worker does nothing. */
    void whileWorkerRests(final Callable<?> action) throws Exception {
        final CountDownLatch held = new CountDownLatch(1);
        final CountDownLatch done = new CountDownLatch(1);
        worker.submit(() -> {
            held.countDown();
            done.await();
            return null;
        });
        try {
            awaiting().until(() -> held.getCount() == 0);
            action.call();
        } finally {
            done.countDown();
        }
    }

    RecordingPort input() {
        return input;
    }

    RecordingPort output() {
        return output;
    }

    /** @return another port */
    RecordingPort addPort(final ConnectableType type, final String id) {
        final RecordingPort added = new RecordingPort(type, 1);
        final PublicPort port = added.port();
        if (type == ConnectableType.INPUT_PORT) {
            when(rootGroup.findInputPort(id)).thenReturn(port);
        } else {
            when(rootGroup.findOutputPort(id)).thenReturn(port);
        }
        morePorts.add(added);
        return added;
    }

    ProcessGroup rootGroup() {
        return rootGroup;
    }

    MemoryBudget budget() {
        return budget;
    }

    /** @return how often the writer of what inflates abnormally was asked */
    int inflationTurns() {
        return inflationTurns.get();
    }

    HandshakeLimit handshakes() {
        return handshakes;
    }

    ListenerMetrics metrics() {
        return metrics;
    }

    PortRegistry dispatchers() {
        return dispatchers;
    }

    /** @return what serves a port that is used, as long as that is so */
    PortDispatcher dispatcher(final RecordingPort port) {
        final PortDispatcher dispatcher = dispatchers.acquire(port.port());
        dispatchers.release(dispatcher);
        return dispatcher;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) serverChannel.localAddress();
    }

    /** Connects a peer, which says nothing yet. */
    WirePeer connect() throws IOException {
        return new WirePeer(address());
    }

    /** Connects a peer from another address than the others. */
    WirePeer connectFrom(final String address) throws IOException {
        return new WirePeer(address(), InetAddress.getByName(address));
    }

    /** Waits until the only connection, or the latest, is in a step. */
    void awaitStep(final String step) {
        awaiting().until(() -> !handlers.isEmpty() && step.equals(stepName(handlers.get(handlers.size() - 1))));
    }

    /** Waits until any connection is in a step. */
    void awaitAnyStep(final String step) {
        awaiting().until(() -> handlers.stream().anyMatch(handler -> step.equals(stepName(handler))));
    }

    /** @return the step of a connection, by its number; "none" before it has one */
    String step(final int connection) {
        return connection < handlers.size() ? stepName(handlers.get(connection)) : "none";
    }

    /** @return connections that are in a step of this name */
    long stepsNamed(final String step) {
        return handlers.stream()
                .filter(handler -> step.equals(stepName(handler)))
                .count();
    }

    /** Waits until so many connections are in a step. */
    void awaitSteps(final String step, final int connections) {
        awaiting().until(() -> stepsNamed(step) == connections);
    }

    /** A handler is there before its first step is. */
    private static String stepName(final MessageSequenceHandler handler) {
        final Step step = handler.step();
        return step == null ? "none" : step.name();
    }

    /** Waits until the latest connection reads nothing in the middle of a packet. */
    void awaitPaused() {
        awaiting().until(() -> worker.submit(() -> {
                    return "AwaitWriterStep".equals(stepName(handlers.get(handlers.size() - 1)));
                })
                .get());
    }

    /** Waits until all that a peer has sent has been read, and passed to its current step. */
    void awaitAllRead(final int connection, final WirePeer peer) {
        awaiting().until(() -> receivedBytes.get(connection).get() == peer.sentBytes());
        worker.submit(() -> {}).syncUninterruptibly();
    }

    /** @return when something last moved on a connection of each peer that named a port */
    Map<String, Long> lastProgressNanos() throws Exception {
        return worker.submit(connections::lastProgressNanos).get();
    }

    /** Waits until NiFi has listed its nodes once, and each peer that waited for that was told. */
    void awaitNodes() {
        awaiting().until(() -> peerLists.getCompletedTaskCount() > 0);
    }

    /** Looks after the deadlines of all connections, as if so much time had passed. */
    void checkDeadlinesAfter(final Duration time) {
        final long now = environment.clock().nanoTime() + time.toNanos();
        worker.submit(() -> handlers.forEach(handler -> handler.checkDeadlines(now)))
                .syncUninterruptibly();
    }

    /** Lets time pass, with all that the listener does four times a second. */
    void passTime(final AtomicLong clock, final Duration time) {
        final long quarters = time.toMillis() / WorkerConnections.CHECK_INTERVAL_MILLIS;
        for (long i = 0; i < quarters; i++) {
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(WorkerConnections.CHECK_INTERVAL_MILLIS));
            checkDeadlines();
            dispatchers.sweep();
        }
    }

    /** Drains as the listener's operation does. */
    void drain() {
        drain.begin();
        worker.submit(connections::closeIdle).syncUninterruptibly();
    }

    Drain drainState() {
        return drain;
    }

    /** @return whether the latest connection is not read since its peer has used up its rate */
    boolean isRatePaused() throws Exception {
        return worker.submit(() -> handlers.get(handlers.size() - 1).isRatePaused())
                .get();
    }

    /** As {@link #checkDeadlinesAfter}, in a moment in which the latest connection is not read because of its rate. */
    void checkDeadlinesWhileHeldBackAfter(final Duration time) {
        awaiting().until(() -> worker.submit(() -> {
                    final MessageSequenceHandler latest = handlers.get(handlers.size() - 1);
                    if (!latest.isRatePaused()) {
                        return false;
                    }
                    latest.checkDeadlines(environment.clock().nanoTime() + time.toNanos());
                    return true;
                })
                .get());
    }

    /** Ends all connections as a listener does that stops. */
    void closeAllNow() {
        worker.submit(connections::closeAllNow).syncUninterruptibly();
    }

    /** Waits until there was exactly one fault, and that of this kind. */
    void awaitFault(final ConnectionFault.Kind kind) {
        // A fault is counted first, then reported.
        awaiting().until(() -> faultLog.count(kind) > 0);
        final Map<ConnectionFault.Kind, Long> faults = faultsByKind();
        // It has a cause, which is the fault.
        faults.remove(ConnectionFault.Kind.POSSIBLE_DUPLICATES);
        assertEquals(Map.of(kind, 1L), faults);
        assertEquals(1, metrics.get(ListenerMetrics.Counter.FAULTS));
    }

    private Map<ConnectionFault.Kind, Long> faultsByKind() {
        return Stream.of(ConnectionFault.Kind.values())
                .filter(kind -> faultLog.count(kind) > 0)
                .collect(Collectors.toMap(kind -> kind, faultLog::count));
    }

    /** @return how often data may have been duplicated */
    long possibleDuplicates() {
        return faultLog.count(ConnectionFault.Kind.POSSIBLE_DUPLICATES);
    }

    void assertNoFault() {
        assertEquals(0, metrics.get(ListenerMetrics.Counter.FAULTS));
    }

    /** Waits until nothing is held: no memory charged, no buffer allocated. */
    void awaitNothingHeld() {
        awaiting().until(budget::used, used -> used == 0);
        awaiting().until(() -> allocator.metric().usedDirectMemory(), used -> used == 0);
        awaiting().until(() -> allocator.metric().usedHeapMemory(), used -> used == 0);
    }

    /** Waits until no connection is left. */
    void awaitNoConnections() {
        awaiting().until(() -> metrics.openConnections() == 0);
    }

    /** Ends everything; what is still held then is a leak. */
    @Override
    public void close() {
        closeAllNow();
        input.scheduled(true);
        input.running(true);
        output.scheduled(true);
        output.running(true);
        morePorts.forEach(more -> {
            more.full(false);
            more.scheduled(true);
        });
        awaitNoConnections();
        awaitNothingHeld();
        serverChannel.close().syncUninterruptibly();
        dispatchers.close();
        input.close();
        output.close();
        morePorts.forEach(RecordingPort::close);
        blockingTasks.shutdownNow();
        contentWriters.shutdownNow();
        contentReaders.shutdownNow();
        lookups.shutdownNow();
        peerLists.shutdownNow();
        if (environment.tls() != null) {
            environment.tls().close();
        }
        worker.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
        dispatchers.closeDoubts();
    }
}
