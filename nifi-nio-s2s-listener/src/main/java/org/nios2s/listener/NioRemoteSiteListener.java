// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.remote.RemoteSiteListener;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.connection.Drain;
import org.nios2s.listener.connection.HostNames;
import org.nios2s.listener.connection.ListenerContext;
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
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.metrics.Operation;
import org.nios2s.listener.port.PortRegistry;
import org.nios2s.listener.protocol.PeerList;
import org.nios2s.listener.protocol.RawProtocol;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.settings.TransportSelection;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.tls.ReadKey;
import org.nios2s.listener.tls.TlsHandlerFactory;
import org.nios2s.wire.ResponseCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RAW Site-to-Site listener with non-blocking I/O. NiFi's main thread starts it, stops it, and may start it again. Its threads:
 * {@link ListenerThreads}.
 */
public final class NioRemoteSiteListener implements RemoteSiteListener {
    private static final Logger logger = LoggerFactory.getLogger(NioRemoteSiteListener.class);

    /** Maximum number of connections that wait to be accepted; the kernel may allow fewer. */
    private static final int BACKLOG = 4_096;

    private static final long PORTS_INTERVAL_MILLIS = TimeUnit.MINUTES.toMillis(1);
    private static final long BIND_INTERVAL_MILLIS = 2_000;
    private static final long STATS_INTERVAL_MILLIS = TimeUnit.MINUTES.toMillis(1);
    private static final long GRACE_MILLIS = ListenerThreads.GRACE_MILLIS;

    private final int port;
    private final SSLContext sslContext;
    private final NiFiProperties properties;
    private final NodeInformant nodeInformant;
    private final ListenerSettings settings;
    private final Environment environment;
    private final AtomicReference<ProcessGroup> rootGroup = new AtomicReference<>();

    private RunningServer server;

    /**
     * What a listener finds outside of NiFi and of its network, and a test sets. Immutable; any thread.
     *
     * @param resolver of peers' host names
     * @param peersKeyLimitBytes after which the Java of peers is taken to renew a key of TLS
     */
    record Environment(
            NanoClock clock, Schedule schedule, Function<InetAddress, String> resolver, long peersKeyLimitBytes) {
        private static final Environment REAL = new Environment(
                NanoClock.SYSTEM,
                (thread, millis, task) -> thread.scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS),
                InetAddress::getHostName,
                ReadKey.DEFAULT_LIMIT_BYTES);

        /** Has tasks run again and again, by the time that the clock tells. */
        @FunctionalInterface
        interface Schedule {
            void repeat(EventExecutor thread, long millis, Runnable task);
        }
    }

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
        this(port, sslContext, properties, nodeInformant, settings, Environment.REAL);
    }

    NioRemoteSiteListener(
            final int port,
            final SSLContext sslContext,
            final NiFiProperties properties,
            final NodeInformant nodeInformant,
            final ListenerSettings settings,
            final Environment environment) {
        this.port = port;
        this.sslContext = sslContext;
        this.properties = properties;
        this.nodeInformant = nodeInformant;
        this.settings = settings;
        this.environment = environment;
    }

    /** @return all parts of the listener since its start, or null while it is stopped */
    synchronized RunningServer running() {
        return server;
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
                            + " restarted; remove the cause first",
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

    /** The state of the server channel. */
    private enum State {
        /** The port is in use by another process, and is tried again. */
        OPENING,
        SERVING,
        STOPPED
    }

    /** All parts of the listener from a start to the stop that follows. Started and stopped on NiFi's main thread. */
    final class RunningServer {
        private final NanoClock clock = environment.clock();
        private final ProcessLimits limits = ProcessLimits.ofThisProcess();
        private final TransportSelection transport =
                TransportSelection.select(settings.io().transport());
        private final ListenerMetrics metrics = new ListenerMetrics(port, clock);
        private final FaultLog faultLog = new FaultLog(logger, clock);
        private final RefusalLog refusalLog = new RefusalLog(logger, clock);
        private final MemoryBudget budget = new MemoryBudget(settings.memory().buffer(), clock);
        private final ListenerThreads threads = new ListenerThreads(settings, clock);
        private final PortRegistry ports = new PortRegistry(settings, budget, threads.contentReaders(), metrics, clock);
        private final Drain drain = new Drain(port, ports::inProgress, clock);
        private final RateLimits rates = new RateLimits(settings.peers().rates(), clock);
        private final PeerList peers = new PeerList(properties, nodeInformant, threads.peerLists(), drain, clock);
        private final EventLoopGroup workers =
                transport.workers(settings.io().workerThreads(), "Site-to-Site NIO Worker");
        private final TlsHandlerFactory tls = sslContext == null
                ? null
                : TlsHandlerFactory.create(
                        sslContext,
                        settings.tlsProvider(),
                        settings.io().workerThreads(),
                        environment.peersKeyLimitBytes());
        private final Map<EventLoop, WorkerConnections> connections = new IdentityHashMap<>();
        private final ListenerContext context = newContext();
        private StopSignal stopSignal;
        private volatile State state = State.OPENING;
        private volatile Channel serverChannel;

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
            repeat(anyWorker, intervalMillis, "Looking after writers", threads.contentWriters()::startThreads);
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
            metrics.publish(gauges(), operations());
            metrics.publishPeers(this::lastProgressNanos);
            if (settings.drainBeforeStop().isPositive()) {
                stopSignal = StopSignal.before(this::drainBeforeStop);
            }
            final StatsLogger statsLogger = new StatsLogger(metrics, budget, ports, refusalLog);
            repeat(anyWorker, STATS_INTERVAL_MILLIS, "Logging statistics", statsLogger::log);
            repeat(anyWorker, STATS_INTERVAL_MILLIS, "Forgetting quiet peers", rates::forgetQuiet);
            repeat(anyWorker, PORTS_INTERVAL_MILLIS, "Looking for deleted ports", () -> threads.handshakeChecks()
                    .execute(() -> Guarded.run("Forgetting deleted ports", this::forgetDeletedPorts)));
            bind(anyWorker);
        }

        /** Runs on a thread that may block: NiFi makes it wait while the flow is edited. */
        private void forgetDeletedPorts() {
            final ProcessGroup root = rootGroup.get();
            if (root != null) {
                metrics.retainPorts(
                        id -> ports.isUsed(id) || root.findInputPort(id) != null || root.findOutputPort(id) != null);
            }
        }

        private void bind(final EventExecutor worker) {
            final ChannelFuture bound = bootstrap().bind(port).awaitUninterruptibly();
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
            bindLater(worker);
        }

        /** Tries again: most often the previous process of this NiFi still has the port, and is about to end. */
        private void bindLater(final EventExecutor worker) {
            worker.schedule(
                    () -> bootstrap().bind(port).addListener((ChannelFuture bound) -> {
                        if (bound.isSuccess()) {
                            serves(bound.channel());
                        } else if (state == State.OPENING) {
                            bindLater(worker);
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

        private void repeat(final EventExecutor worker, final long millis, final String what, final Guarded.Task task) {
            environment.schedule().repeat(worker, millis, () -> Guarded.run(what, task));
        }

        /** @return current values, and counters that other parts keep */
        private Map<String, Supplier<Number>> gauges() {
            final Map<String, Supplier<Number>> gauges = new HashMap<>(ports.gauges(null));
            gauges.put("ConnectionsOpen", metrics::openConnections);
            gauges.put("ConnectionsInHandshake", context.limits().handshakes()::count);
            gauges.put("ConnectionsLimit", () -> limits.maxConnections(settings));
            gauges.put("ConnectionsToDrain", drain::connectionsLeft);
            gauges.put("Draining", () -> drain.isDraining() ? 1 : 0);
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
                    if (ofWorker.awaitUninterruptibly(GRACE_MILLIS) && ofWorker.isSuccess()) {
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

        private ListenerContext newContext() {
            final ConnectionLimit connectionLimit = new ConnectionLimit(
                    limits.maxConnections(settings),
                    settings.connections().maxPerAddress(),
                    "raise nifi.remote.input.nio.connections.max, or the open files (ulimit -n) and the heap from which it is derived",
                    clock);
            final HostNames hostNames = new HostNames(
                    settings.peers().resolveHostnames(), environment.resolver(), threads.lookups(), clock);
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
                    threads.forConnections(metrics),
                    drain,
                    metrics,
                    new ListenerContext.Logs(faultLog, refusalLog),
                    clock);
        }

        private ServerBootstrap bootstrap() {
            return transport
                    .bootstrap(workers)
                    .option(ChannelOption.SO_BACKLOG, BACKLOG)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childOption(ChannelOption.ALLOW_HALF_CLOSURE, tls == null)
                    .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                    .handler(new ConnectionInitializer.HandshakeCounter(
                            context.limits().handshakes()))
                    .childHandler(new ConnectionInitializer(context, connections));
        }

        ListenerContext context() {
            return context;
        }

        ListenerThreads threads() {
            return threads;
        }

        Channel serverChannel() {
            return serverChannel;
        }

        /** @return the connections of each IO worker */
        Map<EventLoop, WorkerConnections> connections() {
            return connections;
        }

        private synchronized void stopAccepting() {
            state = State.STOPPED;
            if (serverChannel != null) {
                serverChannel.close().awaitUninterruptibly(GRACE_MILLIS);
            }
        }

        /** Stops everything. NiFi calls this after it has closed its repositories: nothing can be committed any more. */
        void stop() {
            drain.stop();
            if (stopSignal != null) {
                stopSignal.close();
            }
            stopAccepting();
            connections.forEach((worker, own) -> worker.submit(own::closeAllNow).awaitUninterruptibly(GRACE_MILLIS));
            ports.close();
            threads.stopContents();
            workers.shutdownGracefully(0, GRACE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly(GRACE_MILLIS);
            ports.closeDoubts();
            threads.stop();
            if (tls != null) {
                tls.close();
            }
            metrics.close();
        }
    }
}
