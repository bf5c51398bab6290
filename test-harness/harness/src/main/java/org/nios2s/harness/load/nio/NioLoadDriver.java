// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.nio;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import javax.net.ssl.SSLContext;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.SiteToSite;
import org.nios2s.harness.load.ClientTally;
import org.nios2s.harness.load.LoadDriver;
import org.nios2s.harness.load.LoadMeter;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.load.PacketFactory;
import org.nios2s.harness.load.RunPlan;
import org.nios2s.harness.load.TargetAddress;

/**
 * Drives thousands of logical clients on one {@link SiteToSite}, which lends them the connections of its pool.
 * The caller of {@link #drive} waits; one thread starts what has its time, all else happens on the connector's IO
 * workers.
 */
public final class NioLoadDriver implements LoadDriver {

    private final String run;
    private final LoadSettings settings;
    private final TargetAddress target;
    private final SSLContext tls;
    private final int connections;
    private final LoadMeter meter;
    private final List<NioClient> clients = new ArrayList<>();
    private volatile boolean stopped;

    /** A driver for one run; without TLS for plain TCP. Its name is the first part of the packet ids. */
    public NioLoadDriver(
            final String run, final LoadSettings settings, final TargetAddress target, final SSLContext tls) {
        this.run = run;
        this.settings = settings;
        this.target = target;
        this.tls = tls;
        final int most = settings.connection().most();
        this.connections = most == 0 ? settings.clients() : Math.min(most, settings.clients());
        this.meter = new LoadMeter(settings);
    }

    @Override
    public LoadOutcome drive() throws InterruptedException {
        final CountDownLatch running = new CountDownLatch(settings.clients());
        final ScheduledExecutorService pacer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("nio-client-pacer").daemon().factory());
        try (SiteToSite nifi = site()) {
            final Instant started = Instant.now();
            final long startNanos = System.nanoTime();
            startClients(nifi, pacer, running);
            running.await();
            final Duration wall = Duration.ofNanos(System.nanoTime() - startNanos);
            final List<ClientTally> tallies =
                    clients.stream().map(NioClient::tally).toList();
            return LoadOutcome.of(run, started, wall, tallies, meter);
        } finally {
            stopped = true;
            pacer.shutdownNow();
        }
    }

    /** Unless it is told otherwise as many connections as clients, so that none ever waits for another's. */
    private SiteToSite site() {
        final SiteToSite.Builder builder = SiteToSite.builder()
                .address(target.host(), target.port())
                .connections(connections)
                .waiting(settings.clients())
                .connectTimeout(settings.timeout())
                .idleTimeout(settings.timeout())
                .deadline(settings.timeout())
                .compress(settings.shape().gzip())
                .batchLimits(BatchLimits.ofPackets(settings.packets()))
                .retry(RetryPolicy.never())
                .drainTimeout(Duration.ZERO)
                .completionExecutor(Runnable::run);
        return tls == null ? builder.build() : builder.tls(tls).build();
    }

    private void startClients(
            final SiteToSite nifi, final ScheduledExecutorService pacer, final CountDownLatch running) {
        final boolean push = settings.shape().direction() == Direction.PUSH;
        final NioClient.Setting setting = new NioClient.Setting(
                run,
                settings,
                new RunPlan(settings),
                new PacketFactory(run, settings.shape()),
                push ? nifi.inputPort(target.portId()) : null,
                push ? null : nifi.outputPort(target.portId()),
                pacer);
        synchronized (clients) {
            for (int client = 0; client < settings.clients(); client++) {
                final NioClient nioClient = new NioClient(client, setting, meter, running::countDown);
                clients.add(nioClient);
                nioClient.start();
            }
            if (stopped) {
                clients.forEach(NioClient::abandon);
            }
        }
    }

    @Override
    public void stop() {
        stopped = true;
        synchronized (clients) {
            clients.forEach(NioClient::abandon);
        }
    }

    @Override
    public LoadMeter meter() {
        return meter;
    }
}
