// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.load.ClientTally;
import org.nios2s.harness.load.LoadDriver;
import org.nios2s.harness.load.LoadMeter;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.PacketFactory;
import org.nios2s.harness.load.RunPlan;
import org.nios2s.harness.load.TargetAddress;

/**
 * Drives thousands of logical clients, each with a connection of its own, on a few event loops. The caller of
 * {@link #drive} waits; each client lives on one of the event loops.
 */
public final class WireLoadDriver implements LoadDriver {

    /** As many as processors, less one for the server when it runs on the same machine; one thread serves thousands. */
    private static final int EVENT_LOOPS = Math.max(2, Runtime.getRuntime().availableProcessors() / 2);

    private static final int SHUTDOWN_SECONDS = 5;

    private final String run;
    private final LoadSettings settings;
    private final List<TargetAddress> targets;
    private final SslContext tls;
    private final LoadMeter meter;
    private final List<WireClient> clients = new ArrayList<>();
    private volatile boolean stopped;

    /** A driver for one run. */
    public WireLoadDriver(
            final String run, final LoadSettings settings, final TargetAddress target, final SslContext tls) {
        this(run, settings, List.of(target), tls);
    }

    /** A driver for one run on the nodes of a cluster. */
    public WireLoadDriver(
            final String run, final LoadSettings settings, final List<TargetAddress> targets, final SslContext tls) {
        this.run = run;
        this.settings = settings;
        this.targets = List.copyOf(targets);
        this.tls = tls;
        this.meter = new LoadMeter(settings);
    }

    @Override
    public LoadOutcome drive() throws InterruptedException {
        final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                EVENT_LOOPS, new DefaultThreadFactory("wire-client", true), NioIoHandler.newFactory());
        final CountDownLatch running = new CountDownLatch(settings.clients());
        try {
            final Instant started = Instant.now();
            final long startNanos = System.nanoTime();
            startClients(group, new RunPlan(settings), running);
            running.await();
            final Duration wall = Duration.ofNanos(System.nanoTime() - startNanos);
            final List<ClientTally> tallies =
                    clients.stream().map(WireClient::tally).toList();
            return LoadOutcome.of(run, started, wall, tallies, meter);
        } finally {
            stopped = true;
            final Future<?> shutdown = group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
            shutdown.awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Override
    public void stop() {
        stopped = true;
        synchronized (clients) {
            clients.forEach(WireClient::abandon);
        }
    }

    @Override
    public LoadMeter meter() {
        return meter;
    }

    private void startClients(final EventLoopGroup group, final RunPlan plan, final CountDownLatch running) {
        final TransactionWriter writer = new TransactionWriter(
                new PacketFactory(run, settings.shape()), settings.shape().gzip());
        final Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.min(settings.timeout().toMillis(), Integer.MAX_VALUE));
        final List<WireClient.Setting> nodes = targets.stream()
                .map(target -> new WireClient.Setting(
                        settings, target, plan, writer, bootstrap.clone().remoteAddress(target.socket()), tls))
                .toList();
        synchronized (clients) {
            for (int client = 0; client < settings.clients(); client++) {
                final WireClient.Setting node = nodes.get(client % nodes.size());
                final WireClient wireClient = new WireClient(client, node, group.next(), meter, running::countDown);
                clients.add(wireClient);
                wireClient.start();
            }
            if (stopped) {
                clients.forEach(WireClient::abandon);
            }
        }
    }
}
