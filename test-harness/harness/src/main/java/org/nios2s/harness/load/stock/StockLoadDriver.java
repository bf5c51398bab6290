// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.stock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.nios2s.harness.load.ClientTally;
import org.nios2s.harness.load.LoadDriver;
import org.nios2s.harness.load.LoadMeter;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.PacketFactory;
import org.nios2s.harness.load.RunPlan;
import org.nios2s.harness.load.TargetAddress;

/**
 * Drives NiFi's own client, one object and one thread for each logical client. The caller of {@link #drive} waits.
 */
public final class StockLoadDriver implements LoadDriver {

    private static final long STACK_BYTES = 256 * 1024;
    private static final long STOP_MILLIS = 5_000;
    private static final long POLL_MILLIS = 100;

    private final String run;
    private final LoadSettings settings;
    private final TargetAddress target;
    private final SSLContext tls;
    private final LoadMeter meter;
    private final List<Thread> threads = new ArrayList<>();
    private final List<StockClient> clients = new ArrayList<>();
    private volatile boolean stopped;

    /** A driver for one run. */
    public StockLoadDriver(
            final String run, final LoadSettings settings, final TargetAddress target, final SSLContext tls) {
        if (target.api() == null) {
            throw new IllegalArgumentException("NiFi's own client asks the web address of NiFi for the Site-to-Site"
                    + " socket: give it with --api, or use --client wire");
        }
        this.run = run;
        this.settings = settings;
        this.target = target;
        this.tls = tls;
        this.meter = new LoadMeter(settings);
    }

    @Override
    public LoadOutcome drive() throws InterruptedException {
        final Instant started = Instant.now();
        final long startNanos = System.nanoTime();
        final StockClient.Setting setting = new StockClient.Setting(
                run, settings, target, new RunPlan(settings), new PacketFactory(run, settings.shape()), tls);
        try {
            start(setting);
            awaitEnd();
        } finally {
            stop();
        }
        final Duration wall = Duration.ofNanos(System.nanoTime() - startNanos);
        final List<ClientTally> tallies =
                clients.stream().map(StockClient::tally).toList();
        return LoadOutcome.of(run, started, wall, tallies, meter);
    }

    @Override
    public void stop() {
        synchronized (threads) {
            stopped = true;
            clients.forEach(StockClient::stop);
            threads.forEach(Thread::interrupt);
        }
    }

    @Override
    public LoadMeter meter() {
        return meter;
    }

    private void start(final StockClient.Setting setting) {
        synchronized (threads) {
            for (int client = 0; client < settings.clients() && !stopped; client++) {
                final StockClient stockClient = new StockClient(client, setting, meter);
                final Thread thread = new Thread(null, stockClient, "stock-client-" + client, STACK_BYTES);
                thread.setDaemon(true);
                clients.add(stockClient);
                threads.add(thread);
                thread.start();
            }
        }
    }

    /** A stopped client that waits for the server cannot be woken: it is left behind as given up. */
    private void awaitEnd() throws InterruptedException {
        long patience = STOP_MILLIS;
        for (final Thread thread : threads) {
            while (thread.isAlive() && patience > 0) {
                thread.join(POLL_MILLIS);
                patience -= stopped ? POLL_MILLIS : 0;
            }
            if (thread.isAlive()) {
                meter.abandoned();
            }
        }
    }
}
