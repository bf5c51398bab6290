// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/**
 * Drives the logical clients of a run on the transactors of one transport. The caller of {@link #drive} waits; each client
 * lives on its transactor's threads.
 */
public final class PacedLoad implements LoadDriver {

    private final String run;
    private final LoadSettings settings;
    private final Supplier<Transactor.Transport> transport;
    private final LoadMeter meter;
    private final List<PacedClient> clients = new ArrayList<>();
    private boolean stopped;

    /** A driver for one run, whose name is the first part of the packet ids; it opens the transport when it is driven. */
    public PacedLoad(final String run, final LoadSettings settings, final Supplier<Transactor.Transport> transport) {
        this.run = run;
        this.settings = settings;
        this.transport = transport;
        this.meter = new LoadMeter(settings);
    }

    @Override
    public LoadOutcome drive() throws InterruptedException {
        final CountDownLatch running = new CountDownLatch(settings.clients());
        try (Transactor.Transport opened = transport.get()) {
            final Instant started = Instant.now();
            final long startNanos = System.nanoTime();
            startClients(opened, running);
            try {
                running.await();
            } finally {
                stop();
            }
            final Duration wall = Duration.ofNanos(System.nanoTime() - startNanos);
            return LoadOutcome.of(
                    run, started, wall, clients.stream().map(PacedClient::tally).toList(), meter);
        }
    }

    private void startClients(final Transactor.Transport opened, final CountDownLatch running) {
        final RunPlan plan = new RunPlan(settings);
        synchronized (clients) {
            for (int client = 0; client < settings.clients(); client++) {
                final PacedClient next = new PacedClient(client, plan, opened.of(client), meter, running::countDown);
                clients.add(next);
                next.start();
            }
            if (stopped) {
                clients.forEach(PacedClient::abandon);
            }
        }
    }

    @Override
    public void stop() {
        synchronized (clients) {
            stopped = true;
            clients.forEach(PacedClient::abandon);
        }
    }

    @Override
    public LoadMeter meter() {
        return meter;
    }
}
