// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.remote.RemoteSiteListener;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.connection.Drain;
import org.nios2s.listener.connection.HostNames;
import org.nios2s.listener.connection.KeepAlive;
import org.nios2s.listener.connection.ListenerContext;
import org.nios2s.listener.connection.MessageSequenceHandler;
import org.nios2s.listener.connection.WorkerConnections;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.FaultLog;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.fault.RefusalLog;
import org.nios2s.listener.limits.ConnectionLimit;
import org.nios2s.listener.limits.HandshakeLimit;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.RateLimits;
import org.nios2s.listener.limits.RateRule;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.metrics.Operation;
import org.nios2s.listener.port.PortRegistry;
import org.nios2s.listener.protocol.PeerList;
import org.nios2s.listener.protocol.RawProtocol;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.settings.TransportSelection;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.tls.TlsHandlerFactory;
import org.nios2s.listener.transaction.ContentWriters;
import org.nios2s.listener.transaction.ThrottledExecutor;
import org.nios2s.wire.ResponseCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RAW Site-to-Site listener with non-blocking I/O. NiFi's main thread starts it, stops it, and may start it again.
 *
 * <p>A running listener has these threads, whatever the number of connections:
 * <ul>
 * <li>IO workers, {@code worker.threads}: accept connections, read, write and decode; they never block;
 * <li>dispatchers, up to the concurrent tasks of all ports in use: each waits in a port until a port task has come;
 * <li>content readers, up to {@value #BLOCKING_THREADS}: read contents of pulls, and end sessions without a port task;
 * <li>content writers: write pushes that stream, half as many at a time as there are processors, plus one for abnormally
 *     inflated pushes;
 * <li>handshake checks and authorizations, up to {@code authorization.threads} each: ask NiFi's authorizer;
 * <li>resolvers, up to {@value #BLOCKING_THREADS}: look host names up;
 * <li>peer lists, up to {@value #PEER_LIST_THREADS}: ask NiFi for the nodes of its cluster, and evaluate routing rules;
 * <li>with TLS as many handshake threads as IO workers.
 * </ul>
 */
public final class NioRemoteSiteListener implements RemoteSiteListener {
    private static final Logger logger = LoggerFactory.getLogger(NioRemoteSiteListener.class);

    /** Maximum number of connections that wait to be accepted; the kernel may allow fewer. */
    private static final int BACKLOG = 4_096;

    /** Threads of each pool whose tasks may block: look-ups of names, contents to be sent. */
    private static final int BLOCKING_THREADS = 4;

    /** One thread asks NiFi for the nodes of its cluster, however long that takes; the other one evaluates routing rules meanwhile. */
    private static final int PEER_LIST_THREADS = 2;

    /** Writing contents rarely blocks: as many at once as there are processors are enough. */
    private static final int CONTENT_WRITERS =
            Math.clamp(Runtime.getRuntime().availableProcessors(), 1, BLOCKING_THREADS);

    /** Maximum number of waiting tasks of a pool, one for each of so many connections; further ones are refused. */
    private static final int MAX_QUEUED_TASKS = 100_000;

    private static final long PORTS_INTERVAL_MILLIS = TimeUnit.MINUTES.toMillis(1);
    private static final long BIND_INTERVAL_MILLIS = 2_000;
    private static final long STATS_INTERVAL_MILLIS = TimeUnit.MINUTES.toMillis(1);
    private static final long WORKERS_GRACE_MILLIS = 5_000;

    private final int port;
    private final SSLContext sslContext;
    private final NiFiProperties properties;
    private final NodeInformant nodeInformant;
    private final ListenerSettings settings;
    private final AtomicReference<ProcessGroup> rootGroup = new AtomicReference<>();

    private RunningServer server;

    /**
     * @param sslContext NiFi's own, or null where Site-to-Site is not secure
     * @param nodeInformant the cluster, or null for a standalone NiFi
     */
    public NioRemoteSiteListener(
            final int port,
            final SSLContext sslContext,
            final NiFiProperties properties,
            final NodeInformant nodeInformant,
            final ListenerSettings settings) {
        this.port = port;
        this.sslContext = sslContext;
        this.properties = properties;
        this.nodeInformant = nodeInformant;
        this.settings = settings;
    }

    /** @return the version of this NiFi, as the jar of its Site-to-Site has it, for the log */
    public static String runningNifi() {
        final String version = RemoteSiteListener.class.getPackage().getImplementationVersion();
        if (version == null) {
            return "of unknown version";
        }
        return version;
    }

    @Override
    public void setRootGroup(final ProcessGroup group) {
        rootGroup.set(group);
    }

    /**
     * Starts to serve. A port that can't be opened is an error in the log and does not stop NiFi, as with the stock listener. A port
     * that is in use is served as soon as it is free.
     */
    @Override
    public synchronized void start() {
        if (server != null) {
            return;
        }
        RunningServer starting = null;
        try {
            starting = new RunningServer();
            starting.start();
            server = starting;
        } catch (final Throwable e) {
            logger.error(
                    "The NIO Site-to-Site listener is unable to serve on port {}: {}. RAW Site-to-Site is not served until NiFi is"
                            + " restarted; remove the cause before",
                    port,
                    reason(e),
                    e);
            if (starting != null) {
                starting.stop();
            }
        }
    }

    private static String reason(final Throwable thrown) {
        if (thrown.getMessage() == null) {
            return thrown.toString();
        }
        return thrown.getMessage();
    }

    @Override
    public synchronized void stop() {
        if (server != null) {
            server.stop();
            server = null;
            logger.info("The NIO Site-to-Site listener on port {} has stopped", port);
        }
    }

    @Override
    public void destroy() {
        stop();
    }

    /** Counts accepted connections, and stops accepting at the limit of handshakes. Lives on the IO worker that accepts. */
    private static final class HandshakeCounter extends ChannelInboundHandlerAdapter {
        private final HandshakeLimit handshakes;

        HandshakeCounter(final HandshakeLimit handshakes) {
            this.handshakes = handshakes;
        }

        @Override
        public void handlerAdded(final ChannelHandlerContext context) {
            handshakes.setAcceptor(context.channel().config()::setAutoRead);
        }

        @Override
        public void channelRead(final ChannelHandlerContext context, final Object accepted) {
            final Channel connection = (Channel) accepted;
            handshakes.add(connection);
            connection.closeFuture().addListener(closed -> handshakes.remove(connection));
            context.fireChannelRead(connection);
        }
    }

    /** The state of the server channel. */
    private enum State {
        /** The port is in use by another process, and is tried again. */
        OPENING,
        SERVING,
        STOPPED
    }

    /** All parts of the listener from a start to the stop that follows. Started and stopped on NiFi's main thread. */
    private final class RunningServer {
        private final NanoClock clock = NanoClock.SYSTEM;
        private final ProcessLimits limits = ProcessLimits.ofThisProcess();
        private final TransportSelection transport =
                TransportSelection.select(settings.io().transport());
        private final ListenerMetrics metrics = new ListenerMetrics(port, clock);
        private final FaultLog faultLog = new FaultLog(logger, clock);
        private final RefusalLog refusalLog = new RefusalLog(logger, clock);
        private final MemoryBudget budget = new MemoryBudget(settings.memory().buffer(), clock);
        private final ExecutorService contentReaders = blockingThreads("Content Reader", BLOCKING_THREADS);
        private final ExecutorService writerThreads =
                Executors.newCachedThreadPool(new DefaultThreadFactory("Site-to-Site NIO Content Writer", true));
        private final ContentWriters contentWriters = new ContentWriters(
                writerThreads, CONTENT_WRITERS, settings.ports().streamingTransactions(), clock);
        private final ExecutorService inflationWriter = blockingThreads("Inflation Writer", 1);
        private final PortRegistry ports = new PortRegistry(settings, budget, contentReaders, metrics, clock);
        private final ExecutorService lookups = blockingThreads("Resolver", BLOCKING_THREADS);
        private final ExecutorService handshakeChecks =
                blockingThreads("Handshake Check", settings.peers().authorizationThreads());
        private final ExecutorService peerLists = blockingThreads("Peer List", PEER_LIST_THREADS);
        private final Drain drain = new Drain(port, ports::inProgress, clock);
        private final RateLimits rates = new RateLimits(settings.peers().rates(), clock);
        private final PeerList peers = new PeerList(properties, nodeInformant, peerLists, drain, clock);
        private final ExecutorService authorizations =
                blockingThreads("Authorization", settings.peers().authorizationThreads());
        private final EventLoopGroup workers =
                transport.workers(settings.io().workerThreads(), "Site-to-Site NIO Worker");
        private final TlsHandlerFactory tls = sslContext == null
                ? null
                : TlsHandlerFactory.create(
                        sslContext, settings.tlsProvider(), settings.io().workerThreads());
        private final Map<EventLoop, WorkerConnections> connections = new IdentityHashMap<>();
        private StopSignal stopSignal;
        private volatile State state = State.OPENING;
        private volatile Channel serverChannel;

        private static ExecutorService blockingThreads(final String name, final int maxThreads) {
            final ThreadPoolExecutor threads = new ThreadPoolExecutor(
                    maxThreads,
                    maxThreads,
                    1,
                    TimeUnit.MINUTES,
                    new LinkedBlockingQueue<>(MAX_QUEUED_TASKS),
                    new DefaultThreadFactory("Site-to-Site NIO " + name, true));
            threads.allowCoreThreadTimeOut(true);
            return threads;
        }

        void start() {
            if (tls != null) {
                tls.reportObstacle();
            }
            final long intervalMillis = WorkerConnections.CHECK_INTERVAL_MILLIS;
            for (final EventExecutor worker : workers) {
                final WorkerConnections own = new WorkerConnections(
                        (SingleThreadEventLoop) worker,
                        nanos -> metrics.record(Histogram.WORKER_DELAY_MS, nanos),
                        clock);
                connections.put((EventLoop) worker, own);
                repeat(worker, intervalMillis, "Looking after deadlines", own::checkDeadlines);
            }
            final EventExecutor anyWorker = workers.next();
            repeat(anyWorker, intervalMillis, "Looking after ports", ports::sweep);
            repeat(anyWorker, intervalMillis, "Looking after a drain", drain::check);
            repeat(anyWorker, intervalMillis, "Looking after writers", contentWriters::startThreads);
            final ListenerContext context = context();
            repeat(
                    anyWorker,
                    intervalMillis,
                    "Looking after handshakes",
                    context.limits().handshakes()::sweep);
            repeat(
                    anyWorker,
                    intervalMillis,
                    "Looking after connections",
                    context.limits().connections()::sweep);
            metrics.publish(gauges(context), operations());
            metrics.publishPeers(this::lastProgressNanos);
            if (settings.drainBeforeStop().isPositive()) {
                stopSignal = StopSignal.before(this::drainBeforeStop);
            }
            final StatsLogger statsLogger = new StatsLogger(metrics, budget, ports, refusalLog);
            repeat(anyWorker, STATS_INTERVAL_MILLIS, "Logging statistics", statsLogger::log);
            repeat(anyWorker, STATS_INTERVAL_MILLIS, "Forgetting quiet peers", rates::forgetQuiet);
            repeat(
                    anyWorker,
                    PORTS_INTERVAL_MILLIS,
                    "Looking for deleted ports",
                    () -> handshakeChecks.execute(
                            () -> Guarded.run("Forgetting deleted ports", this::forgetDeletedPorts)));
            bind(context, anyWorker);
        }

        /** Runs on a thread that may block: NiFi makes it wait while the flow is edited. */
        private void forgetDeletedPorts() {
            final ProcessGroup root = rootGroup.get();
            if (root != null) {
                metrics.retainPorts(
                        id -> ports.isUsed(id) || root.findInputPort(id) != null || root.findOutputPort(id) != null);
            }
        }

        private void bind(final ListenerContext context, final EventExecutor worker) {
            final ChannelFuture bound = bootstrap(context).bind(port).awaitUninterruptibly();
            if (bound.isSuccess()) {
                serves(bound.channel());
                return;
            }
            if (!(bound.cause() instanceof IOException)) {
                throw new IllegalStateException(reason(bound.cause()), bound.cause());
            }
            logger.error(
                    "The NIO Site-to-Site listener is unable to open port {}: {}. RAW Site-to-Site is not served until the"
                            + " port is free; the listener tries again every {} s. Free the port, or change {} and restart NiFi",
                    port,
                    reason(bound.cause()),
                    TimeUnit.MILLISECONDS.toSeconds(BIND_INTERVAL_MILLIS),
                    NiFiProperties.REMOTE_INPUT_PORT);
            bindLater(context, worker);
        }

        /** Tries again: most often the previous process of this NiFi still has the port, and is about to end. */
        private void bindLater(final ListenerContext context, final EventExecutor worker) {
            worker.schedule(
                    () -> bootstrap(context).bind(port).addListener((ChannelFuture bound) -> {
                        if (bound.isSuccess()) {
                            serves(bound.channel());
                        } else if (state == State.OPENING) {
                            bindLater(context, worker);
                        }
                    }),
                    BIND_INTERVAL_MILLIS,
                    TimeUnit.MILLISECONDS);
        }

        private synchronized void serves(final Channel bound) {
            if (state == State.STOPPED) {
                bound.close();
                return;
            }
            state = State.SERVING;
            serverChannel = bound;
            logger.info(
                    "The NIO Site-to-Site listener serves {} on port {} of NiFi {} with {}: {}",
                    describeTransport(),
                    port,
                    runningNifi(),
                    transport.name(),
                    settings.describe());
            limits.shortages(settings)
                    .forEach(shortage -> logger.warn("The settings of the listener promise too much: {}", shortage));
            warnOfRulesWithoutTls();
            if (peers.needsHostNames() && !settings.peers().resolveHostnames()) {
                logger.warn(
                        "A rule of nifi.remote.route.raw.* tests s2s.source.hostname, which is always an address while"
                                + " nifi.remote.input.nio.resolve.hostnames=false: peers may be told names and ports that they can't reach. Set"
                                + " the key to true, or have the rule test addresses");
            }
        }

        private String describeTransport() {
            if (tls == null) {
                return "plain TCP";
            }
            return "TLS (" + tls.provider() + ")";
        }

        private void warnOfRulesWithoutTls() {
            if (tls == null) {
                settings.peers().rates().stream()
                        .filter(rule -> rule.identity().isPresent())
                        .map(RateRule::name)
                        .forEach(name -> logger.warn(
                                "The rule nifi.remote.input.nio.rate.{}.identity limits no peer, since peers have no identity without"
                                        + " TLS. Give the rule an address, or set nifi.remote.input.secure=true",
                                name));
            }
        }

        private static void repeat(
                final EventExecutor worker, final long millis, final String what, final Guarded.Task task) {
            worker.scheduleWithFixedDelay(() -> Guarded.run(what, task), millis, millis, TimeUnit.MILLISECONDS);
        }

        /** @return current values, and counters that other parts keep */
        private Map<String, Supplier<Number>> gauges(final ListenerContext context) {
            final Map<String, Supplier<Number>> gauges = new HashMap<>(ports.gauges(null));
            gauges.put("ConnectionsOpen", metrics::openConnections);
            gauges.put("ConnectionsInHandshake", context.limits().handshakes()::count);
            gauges.put("ConnectionsLimit", () -> limits.maxConnections(settings));
            gauges.put("ConnectionsToDrain", drain::connectionsLeft);
            gauges.put("Draining", drain::isDrainingAsNumber);
            gauges.put("PacketsInDoubt", ports::inDoubt);
            gauges.put("BufferUsedBytes", budget::used);
            gauges.put("BufferPeakBytes", budget::peak);
            gauges.put("BufferLimitBytes", budget::limit);
            for (final ConnectionFault.Kind kind : ConnectionFault.Kind.values()) {
                gauges.put("Faults_" + kind, () -> faultLog.count(kind));
            }
            for (final ResponseCode code : RefusalLog.CODES) {
                gauges.put("HandshakesRefused_" + code, () -> refusalLog.count(code));
            }
            return gauges;
        }

        private Map<String, Operation> operations() {
            return Map.of(
                    "drain",
                    new Operation("Sends new peers to other nodes, and lets transactions in progress end", this::drain),
                    "resume",
                    new Operation("Serves new peers again", this::resume));
        }

        /** Asks each IO worker for its own connections, since only the worker may walk through them; on the thread of the reader. */
        private Map<String, Long> lastProgressNanos() {
            final Map<String, Long> latestOfPeers = new HashMap<>();
            try {
                final List<Future<Map<String, Long>>> told = new ArrayList<>();
                connections.forEach((worker, own) -> told.add(worker.submit(own::lastProgressNanos)));
                for (final Future<Map<String, Long>> ofWorker : told) {
                    if (ofWorker.awaitUninterruptibly(WORKERS_GRACE_MILLIS) && ofWorker.isSuccess()) {
                        ofWorker.getNow().forEach((peer, nanos) -> latestOfPeers.merge(peer, nanos, Math::max));
                    }
                }
            } catch (final RejectedExecutionException e) {
                logger.debug(
                        "The listener is stopping: some IO workers can't be asked for their connections any more", e);
            }
            return latestOfPeers;
        }

        private String drain() {
            if (drain.begin()) {
                connections.forEach((worker, own) ->
                        worker.execute(() -> Guarded.run("Closing idle connections for a drain", own::closeIdle)));
            }
            return drain.describe();
        }

        private String resume() {
            drain.resume();
            return drain.describe();
        }

        private void drainBeforeStop() throws InterruptedException {
            drain();
            if (drain.await(settings.drainBeforeStop().toMillis()) == Drain.State.DRAINING) {
                logger.warn(
                        "The NIO Site-to-Site listener on port {} is not empty after {} ms of draining: the stop cuts {} connections off,"
                                + " whose peers may send data a second time. Raise nifi.remote.input.nio.drain.before.stop",
                        port,
                        settings.drainBeforeStop().toMillis(),
                        drain.connectionsLeft());
            }
        }

        private ListenerContext context() {
            final ConnectionLimit connectionLimit = new ConnectionLimit(
                    limits.maxConnections(settings),
                    settings.connections().maxPerAddress(),
                    "raise nifi.remote.input.nio.connections.max, or the open files (ulimit -n) and the heap from which it is derived",
                    clock);
            final HostNames hostNames =
                    new HostNames(settings.peers().resolveHostnames(), InetAddress::getHostName, lookups, clock);
            return new ListenerContext(
                    settings,
                    new RawProtocol(peers),
                    new ListenerContext.Endpoint(port, tls, hostNames, InstantSource.system()),
                    new ListenerContext.Ports(rootGroup::get, ports),
                    new ListenerContext.Limits(
                            budget,
                            connectionLimit,
                            new HandshakeLimit(settings.connections().handshakesMax(), clock),
                            rates),
                    new ListenerContext.Threads(
                            handshakeChecks,
                            authorizations,
                            contentReaders,
                            contentWriters::execute,
                            new ThrottledExecutor(inflationWriter, metrics, clock)),
                    drain,
                    metrics,
                    new ListenerContext.Logs(faultLog, refusalLog),
                    clock);
        }

        private ServerBootstrap bootstrap(final ListenerContext context) {
            return transport
                    .bootstrap(workers)
                    .option(ChannelOption.SO_BACKLOG, BACKLOG)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childOption(ChannelOption.ALLOW_HALF_CLOSURE, tls == null)
                    .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                    .handler(new HandshakeCounter(context.limits().handshakes()))
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(final SocketChannel channel) {
                            initConnection(channel, context);
                        }
                    });
        }

        /** Sets an accepted connection up, or closes it if there is no place for it; on its IO worker. */
        private void initConnection(final SocketChannel channel, final ListenerContext context) {
            final InetAddress address = channel.remoteAddress().getAddress();
            final MessageSequenceHandler handler =
                    new MessageSequenceHandler(context, connections.get(channel.eventLoop()));
            try {
                if (settings.peers().proxyProtocolFrom().test(address)) {
                    context.limits().connections().addProxied(address, handler);
                } else {
                    context.limits().connections().add(address, handler);
                    addTls(channel, address, context, handler);
                }
                KeepAlive.set(channel);
                metrics.add(Counter.CONNECTIONS_ACCEPTED, 1);
                channel.pipeline().addLast(handler);
            } catch (final Throwable e) {
                metrics.add(Counter.FAULTS, 1);
                faultLog.report(address.getHostAddress(), ConnectionFault.of(e, "Setting up a connection"));
                channel.close();
            } finally {
                channel.closeFuture()
                        .addListener(closed -> context.limits().connections().remove(handler));
            }
        }

        /** Adds TLS at once: from this address no PROXY header comes first. */
        private void addTls(
                final SocketChannel channel,
                final InetAddress address,
                final ListenerContext context,
                final MessageSequenceHandler handler) {
            if (context.endpoint().isSecure()) {
                channel.pipeline().addLast(handler.newTlsHandler(channel, address));
            }
        }

        private synchronized void stopAccepting() {
            state = State.STOPPED;
            if (serverChannel != null) {
                serverChannel.close().awaitUninterruptibly(WORKERS_GRACE_MILLIS);
            }
        }

        /** Stops everything. NiFi calls this after it has closed its repositories: nothing can be committed any more. */
        void stop() {
            drain.stop();
            if (stopSignal != null) {
                stopSignal.close();
            }
            stopAccepting();
            connections.forEach(
                    (worker, own) -> worker.submit(own::closeAllNow).awaitUninterruptibly(WORKERS_GRACE_MILLIS));
            ports.close();
            // These threads tell the IO workers of ended sessions, so they stop before the workers. The writers stop
            // before the readers, which end the writers' sessions.
            for (final ExecutorService threads : List.of(writerThreads, inflationWriter, contentReaders)) {
                threads.shutdown();
                Guarded.run(
                        "Stopping the threads for contents",
                        () -> threads.awaitTermination(WORKERS_GRACE_MILLIS, TimeUnit.MILLISECONDS));
            }
            workers.shutdownGracefully(0, WORKERS_GRACE_MILLIS, TimeUnit.MILLISECONDS)
                    .awaitUninterruptibly(WORKERS_GRACE_MILLIS);
            List.of(handshakeChecks, peerLists, authorizations, lookups).forEach(ExecutorService::shutdownNow);
            if (tls != null) {
                tls.close();
            }
            metrics.close();
        }
    }
}
