// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.nios2s.listener.NioRemoteSiteListener;
import org.nios2s.listener.ServedListener;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.FaultLog;
import org.nios2s.listener.limits.HandshakeLimit;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.port.PortDispatcher;
import org.nios2s.listener.port.PortRegistry;
import org.nios2s.listener.port.RecordingPort;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.tls.ReadKey;
import org.nios2s.listener.transaction.ThrottledExecutor;
import org.nios2s.peers.LogLines;
import org.nios2s.peers.TestPeer;

/**
 * A listener with one IO worker, whose time the test has in its hands: nothing is late because the machine is busy. Lives on the
 * test's thread.
 */
final class SteppedListener extends ServedListener {
    static final String HOST_NAME = "peer.example";

    /** For each thing that may block. */
    static final int BLOCKING_THREADS = 2;

    /** A clock that stands still. */
    private static final NanoClock STANDING = () -> TimeUnit.DAYS.toNanos(1);

    /** Where it tells of the faults that tests provoke. */
    private final LogLines log = new LogLines(NioRemoteSiteListener.class, Level.WARN);

    private final SteppedTime stepped;
    private final EventLoop worker;
    private final WorkerConnections connections;
    private final List<MessageSequenceHandler> handlers = new CopyOnWriteArrayList<>();
    private final AtomicInteger answers = new AtomicInteger();
    private final AtomicInteger flushes = new AtomicInteger();
    private final AtomicInteger mostInATurn = new AtomicInteger();
    private final List<AtomicLong> receivedBytes = new CopyOnWriteArrayList<>();

    /** The IO worker's; null while answers leave. */
    private List<Runnable> heldAnswers;

    private volatile boolean byteByByte;
    private volatile int bytesTogether;

    /** @param settings keys without {@code nifi.remote.input.nio.}, and values, in turn */
    SteppedListener(final String... settings) throws Exception {
        this(STANDING, settings);
    }

    /** @param settings keys without {@code nifi.remote.input.nio.}, and values, in turn */
    SteppedListener(final NanoClock clock, final String... settings) throws Exception {
        this(clock, null, settings);
    }

    /**
     * @param tls NiFi's own, or null for plain TCP
     * @param settings keys without {@code nifi.remote.input.nio.}, and values, in turn
     */
    SteppedListener(final NanoClock clock, final SSLContext tls, final String... settings) throws Exception {
        this(clock, tls, ReadKey.DEFAULT_LIMIT_BYTES, settings);
    }

    /**
     * @param tls NiFi's own, or null for plain TCP
     * @param peersKeyLimitBytes after which the Java of peers is taken to renew a key
     * @param settings keys without {@code nifi.remote.input.nio.}, and values, in turn
     */
    SteppedListener(
            final NanoClock clock, final SSLContext tls, final long peersKeyLimitBytes, final String... settings)
            throws Exception {
        this(
                new SteppedTime(clock),
                time -> stepped(time, tls, null, address -> HOST_NAME, peersKeyLimitBytes),
                tls != null,
                settings);
        final HostNames hostNames = context().endpoint().hostNames();
        awaiting().until(() -> HOST_NAME.equals(hostNames.nameOf(InetAddress.getLoopbackAddress())));
    }

    /**
     * @param resolver of peers' host names
     * @param settings keys without {@code nifi.remote.input.nio.}, and values, in turn
     */
    SteppedListener(final Function<InetAddress, String> resolver, final String... settings) throws Exception {
        this(resolver, null, settings);
    }

    /**
     * @param resolver of peers' host names
     * @param nodeInformant the cluster, or null for a standalone NiFi
     * @param settings keys, those of the listener without {@code nifi.remote.input.nio.}, and values, in turn
     */
    SteppedListener(
            final Function<InetAddress, String> resolver, final NodeInformant nodeInformant, final String... settings)
            throws Exception {
        this(
                new SteppedTime(STANDING),
                time -> stepped(time, null, nodeInformant, resolver, ReadKey.DEFAULT_LIMIT_BYTES),
                false,
                settings);
    }

    private SteppedListener(
            final SteppedTime time,
            final Function<SteppedTime, Maker> maker,
            final boolean isSecure,
            final String... settings)
            throws Exception {
        super(maker.apply(time), isSecure, withOneWorker(settings));
        this.stepped = time;
        this.connections = onlyConnections();
        final Channel server = serverChannel();
        this.worker = server.eventLoop();
        // On the worker: a handler that another thread adds may miss the first connection.
        worker.submit(() -> server.pipeline().addFirst(new Watch())).syncUninterruptibly();
    }

    private static String[] withOneWorker(final String... settings) {
        final List<String> all = new ArrayList<>(List.of(
                "worker.threads", "1", "transport", "nio", "authorization.threads", String.valueOf(BLOCKING_THREADS)));
        all.addAll(List.of(settings));
        return all.toArray(String[]::new);
    }

    /** Puts a {@link Splitter} in front of each connection that was accepted. Lives on the IO worker, which accepts too. */
    private final class Watch extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(final ChannelHandlerContext context, final Object accepted) {
            context.fireChannelRead(accepted);
            final ChannelPipeline pipeline = ((Channel) accepted).pipeline();
            final ChannelHandlerContext sequence = pipeline.context(MessageSequenceHandler.class);
            // A connection for which there is no place has none.
            if (sequence != null) {
                handlers.add((MessageSequenceHandler) sequence.handler());
                pipeline.addBefore(sequence.name(), null, new Splitter());
            }
        }
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
            repeatChecks();
            return null;
        });
        awaitDeadlinesChecked();
    }

    /** Looks after deadlines, as the listener does a few times a second. */
    void checkDeadlines() {
        repeatChecks();
        awaitDeadlinesChecked();
    }

    /** Has the listener do all that it does a few times a second. */
    private void repeatChecks() {
        stepped.repeated().stream()
                .filter(repeated -> repeated.millis() == WorkerConnections.CHECK_INTERVAL_MILLIS)
                .forEach(repeated -> repeated.thread().execute(repeated.task()));
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
        return (SingleThreadEventLoop) worker;
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

    MemoryBudget budget() {
        return context().limits().memory();
    }

    /** @return how often the writer of what inflates abnormally was asked */
    long inflationTurns() {
        final ThrottledExecutor writer = (ThrottledExecutor) context().threads().inflationWriter();
        return ((ThreadPoolExecutor) writer.thread()).getTaskCount();
    }

    HandshakeLimit handshakes() {
        return context().limits().handshakes();
    }

    ListenerMetrics metrics() {
        return context().metrics();
    }

    PortRegistry dispatchers() {
        return context().ports().dispatchers();
    }

    /** @return what serves a port that is used, as long as that is so */
    PortDispatcher dispatcher(final RecordingPort port) {
        final PortDispatcher dispatcher = dispatchers().acquire(port.port());
        dispatchers().release(dispatcher);
        return dispatcher;
    }

    /** Connects a peer, which says nothing yet. */
    TestPeer connect() throws IOException {
        return TestPeer.gathering(new Socket(address().getAddress(), address().getPort()));
    }

    /** Connects a peer from another address than the others. */
    TestPeer connectFrom(final String address) throws IOException {
        return TestPeer.gathering(
                new Socket(address().getAddress(), address().getPort(), InetAddress.getByName(address), 0));
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
    void awaitAllRead(final int connection, final TestPeer peer) {
        awaiting().until(() -> receivedBytes.get(connection).get() == peer.sentBytes());
        worker.submit(() -> {}).syncUninterruptibly();
    }

    /** @return when something last moved on a connection of each peer that named a port */
    Map<String, Long> lastProgressNanos() throws Exception {
        return worker.submit(connections::lastProgressNanos).get();
    }

    /** Waits until NiFi has listed its nodes once, and each peer that waited for that was told. */
    void awaitNodes() {
        awaiting().until(() -> peerLists().getCompletedTaskCount() > 0);
    }

    /** Looks after the deadlines of all connections, as if so much time had passed. */
    void checkDeadlinesAfter(final Duration time) {
        final long now = stepped.clock().nanoTime() + time.toNanos();
        worker.submit(() -> handlers.forEach(handler -> handler.checkDeadlines(now)))
                .syncUninterruptibly();
    }

    /** Lets time pass, with all that the listener does four times a second. */
    void passTime(final AtomicLong clock, final Duration time) {
        final long quarters = time.toMillis() / WorkerConnections.CHECK_INTERVAL_MILLIS;
        for (long i = 0; i < quarters; i++) {
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(WorkerConnections.CHECK_INTERVAL_MILLIS));
            checkDeadlines();
        }
    }

    /** Drains as the listener's operation does. */
    void drain() {
        drainState().begin();
        worker.submit(connections::closeIdle).syncUninterruptibly();
    }

    Drain drainState() {
        return context().drain();
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
                    latest.checkDeadlines(stepped.clock().nanoTime() + time.toNanos());
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
        awaiting().until(() -> faults().count(kind) > 0);
        final Map<ConnectionFault.Kind, Long> faults = faultsByKind();
        // It has a cause, which is the fault.
        faults.remove(ConnectionFault.Kind.POSSIBLE_DUPLICATES);
        assertEquals(Map.of(kind, 1L), faults);
        assertEquals(1, metrics().get(ListenerMetrics.Counter.FAULTS));
    }

    private FaultLog faults() {
        return context().logs().faults();
    }

    private Map<ConnectionFault.Kind, Long> faultsByKind() {
        return Stream.of(ConnectionFault.Kind.values())
                .filter(kind -> faults().count(kind) > 0)
                .collect(Collectors.toMap(kind -> kind, faults()::count));
    }

    /** @return how often data may have been duplicated */
    long possibleDuplicates() {
        return faults().count(ConnectionFault.Kind.POSSIBLE_DUPLICATES);
    }

    void assertNoFault() {
        assertEquals(0, metrics().get(ListenerMetrics.Counter.FAULTS));
    }

    /** Waits until nothing is held: no memory charged, no buffer allocated. */
    void awaitNothingHeld() {
        awaiting().until(() -> budget().used(), used -> used == 0);
        awaiting().until(ServedListener::pinnedBytes, pinned -> pinned == 0);
    }

    /** Waits until no connection is left. */
    void awaitNoConnections() {
        awaiting().until(() -> metrics().openConnections() == 0);
    }

    /** Ends everything; what is still held then is a leak. */
    @Override
    public void close() {
        closeAllNow();
        releasePorts();
        awaitNoConnections();
        awaitNothingHeld();
        super.close();
        log.close();
    }
}
