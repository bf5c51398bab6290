/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.harness.load.stock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.nios2s.harness.load.ClientTally;
import org.nios2s.harness.load.LoadDriver;
import org.nios2s.harness.load.LoadMeter;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.RunPlan;
import org.nios2s.harness.load.TargetAddress;

/**
 * Drives NiFi's own client, one object and one thread for each logical client. The caller of {@link #drive} waits.
 */
public final class StockLoadDriver implements LoadDriver {

    private static final long STACK_BYTES = 256 * 1024;
    private static final long STOP_MILLIS = 10_000;
    private static final byte[] PATTERN = "0123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    private final String run;
    private final LoadSettings settings;
    private final TargetAddress target;
    private final LoadMeter meter;
    private final List<Thread> threads = new ArrayList<>();
    private final List<StockClient> clients = new ArrayList<>();
    private volatile boolean stopped;

    /**
     * A driver for one run.
     *
     * @param run      name of the run, the first part of its packet ids
     * @param settings what to send
     * @param target   where to; NiFi's client finds the socket by itself, through the web address
     * @throws IllegalArgumentException when the target has no web address
     */
    public StockLoadDriver(final String run, final LoadSettings settings, final TargetAddress target) {
        if (target.api() == null) {
            throw new IllegalArgumentException("NiFi's own client asks the web address of NiFi for the Site-to-Site"
                    + " socket: give it with --api, or use --client wire");
        }
        this.run = run;
        this.settings = settings;
        this.target = target;
        this.meter = new LoadMeter(settings.paced());
    }

    @Override
    public LoadOutcome drive() throws InterruptedException {
        final Instant started = Instant.now();
        final RunPlan plan = new RunPlan(settings);
        final StockClient.Setting setting = new StockClient.Setting(run, settings, target, plan, content());
        final long startNanos = System.nanoTime();
        try {
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
            for (final Thread thread : threads) {
                thread.join();
            }
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
        stopped = true;
        synchronized (threads) {
            clients.forEach(StockClient::stop);
            threads.forEach(Thread::interrupt);
        }
        joinAll();
    }

    @Override
    public LoadMeter meter() {
        return meter;
    }

    private void joinAll() {
        final long deadline = System.currentTimeMillis() + STOP_MILLIS;
        boolean interrupted = false;
        for (final Thread thread : threads) {
            final long left = deadline - System.currentTimeMillis();
            if (left > 0 && !interrupted) {
                try {
                    thread.join(left);
                } catch (final InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private byte[] content() {
        final byte[] bytes = new byte[settings.packetSize()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = PATTERN[i % PATTERN.length];
        }
        return bytes;
    }
}
