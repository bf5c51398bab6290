// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.remote.RemoteSiteListener;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.port.PortDispatchers;
import org.nios2s.listener.sequence.ListenerContext;
import org.nios2s.listener.sequence.PeerList;
import org.nios2s.listener.sequence.WorkerConnections;
import org.nios2s.listener.tls.TlsHandlers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves RAW Site-to-Site with non-blocking I/O. Its life cycle belongs to NiFi's main thread: start, stop, start again;
 * what it starts lives on the IO workers and the few other threads that its parts name.
 */
public final class NioRemoteSiteListener implements RemoteSiteListener {
    private static final Logger logger = LoggerFactory.getLogger(NioRemoteSiteListener.class);

    /** Connections that may wait to be accepted; the kernel may allow fewer. */
    private static final int BACKLOG = 4_096;

    private static final int BLOCKING_TASK_THREADS = 4;
    private static final int CONTENT_WORKER_THREADS = 4;
    private static final long SUMMARY_INTERVAL_MILLIS = TimeUnit.MINUTES.toMillis(1);

    /** How long a stop waits for commits under way, so that their peers still hear of them. */
    private static final long COMMITS_GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long COMMITS_POLL_MILLIS = 10;
    private static final long WORKERS_GRACE_MILLIS = 5_000;

    private final int port;
    private final SSLContext sslContext;
    private final NiFiProperties properties;
    private final NodeInformant nodeInformant;
    private final ListenerSettings settings;
    private final AtomicReference<ProcessGroup> rootGroup = new AtomicReference<>();

    private Service service;

    /**
     * @param port to listen on, at all addresses; 0 for any free one
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

    @Override
    public void setRootGroup(final ProcessGroup group) {
        rootGroup.set(group);
    }

    /** Starts to serve. A port that can't be had is one error in the log and no more, as with the stock listener. */
    @Override
    public synchronized void start() {
        if (service != null) {
            return;
        }
        final Service starting = new Service();
        if (starting.bind()) {
            service = starting;
        } else {
            starting.stop();
        }
    }

    @Override
    public synchronized void stop() {
        if (service != null) {
            service.stop();
            service = null;
            logger.info("The NIO Site-to-Site listener on port {} has stopped", port);
        }
    }

    @Override
    public void destroy() {
        stop();
    }

    /** Everything between a start and the stop that follows. */
    private final class Service {
        private final TransportSelection transport = TransportSelection.select(settings.transport());
        private final ListenerMetrics metrics = new ListenerMetrics();
        private final FaultLog faultLog = new FaultLog(logger, System::nanoTime);
        private final MemoryBudget budget = new MemoryBudget(settings.bufferMemory());
        private final ExecutorService contentWorkers = Executors.newFixedThreadPool(
                CONTENT_WORKER_THREADS, new DefaultThreadFactory("Site-to-Site NIO Content", true));
        private final PortDispatchers dispatchers = new PortDispatchers(settings, contentWorkers, metrics);
        private final HostNames hostNames = new HostNames(settings.resolveHostnames(), InetAddress::getHostName);
        private final ExecutorService blockingTasks = Executors.newFixedThreadPool(
                BLOCKING_TASK_THREADS, new DefaultThreadFactory("Site-to-Site NIO Task", true));
        private final EventLoopGroup workers = transport
                .group()
                .apply(settings.workerThreads(), new DefaultThreadFactory("Site-to-Site NIO Worker", true));
        private final TlsHandlers tls = sslContext == null
                ? null
                : TlsHandlers.create(sslContext, settings.tlsProvider(), settings.workerThreads());
        private final Map<EventLoop, WorkerConnections> connections = new IdentityHashMap<>();
        private Channel serverChannel;

        boolean bind() {
            for (final EventExecutor worker : workers) {
                final WorkerConnections own = new WorkerConnections(metrics::workerLate);
                connections.put((EventLoop) worker, own);
                worker.scheduleWithFixedDelay(
                        own::checkDeadlines,
                        WorkerConnections.CHECK_INTERVAL_MILLIS,
                        WorkerConnections.CHECK_INTERVAL_MILLIS,
                        TimeUnit.MILLISECONDS);
            }
            try {
                serverChannel = bootstrap().bind(port).sync().channel();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                logger.error("Interrupted while opening Site-to-Site port {}", port, e);
                return false;
            } catch (final Exception e) {
                logger.error(
                        "Unable to open Site-to-Site port {}: {}. RAW Site-to-Site is not served; free the port or change"
                                + " {} and restart NiFi",
                        port,
                        e.getMessage(),
                        NiFiProperties.REMOTE_INPUT_PORT,
                        e);
                return false;
            }
            final Summary summary = new Summary(metrics, budget, dispatchers);
            workers.next()
                    .scheduleAtFixedRate(
                            summary::report, SUMMARY_INTERVAL_MILLIS, SUMMARY_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
            logger.info(
                    "The NIO Site-to-Site listener serves {} on port {} of NiFi {} with {}: {}",
                    tls == null ? "plain TCP" : "TLS (" + tls.provider() + ")",
                    port,
                    NifiVersion.running(),
                    transport.name(),
                    settings.describe());
            return true;
        }

        private ServerBootstrap bootstrap() {
            final ListenerContext context = new ListenerContext(
                    settings,
                    tls != null,
                    port,
                    rootGroup::get,
                    budget,
                    new Permits(settings.streamingTransactions()),
                    dispatchers,
                    new PeerList(properties, nodeInformant),
                    hostNames,
                    blockingTasks,
                    contentWorkers,
                    metrics,
                    faultLog);
            final ConnectionLimit limit =
                    new ConnectionLimit(settings.connectionsMax(), settings.connectionsMaxPerAddress());
            return transport
                    .bootstrap()
                    .get()
                    .group(workers)
                    .option(ChannelOption.SO_BACKLOG, BACKLOG)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childOption(ChannelOption.ALLOW_HALF_CLOSURE, tls == null)
                    .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                    .childHandler(new ConnectionInitializer(context, tls, connections, limit));
        }

        void stop() {
            if (serverChannel != null) {
                serverChannel.close().awaitUninterruptibly();
            }
            onEachWorker(WorkerConnections::cutAllButCommitting);
            awaitCommits();
            onEachWorker(WorkerConnections::cutAll);
            dispatchers.close();
            workers.shutdownGracefully(0, WORKERS_GRACE_MILLIS, TimeUnit.MILLISECONDS)
                    .awaitUninterruptibly(WORKERS_GRACE_MILLIS);
            blockingTasks.shutdownNow();
            contentWorkers.shutdown();
            hostNames.close();
            if (tls != null) {
                tls.close();
            }
        }

        private void onEachWorker(final Consumer<WorkerConnections> task) {
            connections.forEach(
                    (worker, own) -> worker.submit(() -> task.accept(own)).awaitUninterruptibly(WORKERS_GRACE_MILLIS));
        }

        private void awaitCommits() {
            final long deadline = System.nanoTime() + COMMITS_GRACE_NANOS;
            try {
                while (dispatchers.isServing() && System.nanoTime() - deadline < 0) {
                    TimeUnit.MILLISECONDS.sleep(COMMITS_POLL_MILLIS);
                }
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
