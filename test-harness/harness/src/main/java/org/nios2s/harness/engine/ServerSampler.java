// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.nifi.ProcessUsage;
import org.nios2s.harness.result.ServerFigures;

/**
 * Watches what a run costs the server's process, or those of a cluster. Samples on a thread of its own; started and stopped by the scenario.
 */
final class ServerSampler {

    private static final long PERIOD_MILLIS = 250;
    private static final double PERCENT = 100;
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final List<ProcessHandle> processes;
    private final ProcessUsage first;
    private final long startNanos = System.nanoTime();
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread;
    private volatile long maxResidentBytes;
    private volatile int maxThreads;

    private ServerSampler(final List<ProcessHandle> processes) {
        this.processes = List.copyOf(processes);
        this.first = ProcessUsage.of(processes);
        note(first);
        this.thread = new Thread(this::sample, "server-sampler");
        thread.setDaemon(true);
    }

    /** Starts watching. */
    static ServerSampler start(final List<ProcessHandle> processes) {
        final ServerSampler sampler = new ServerSampler(processes);
        sampler.thread.start();
        return sampler;
    }

    /** Stops watching: what it cost. */
    ServerFigures stop(final long transactions) throws InterruptedException {
        final ProcessUsage last = ProcessUsage.of(processes);
        final double wallMillis = (System.nanoTime() - startNanos) / NANOS_PER_MILLI;
        end.countDown();
        thread.join();
        note(last);
        final Duration cpu = last.cpu().minus(first.cpu());
        final double cpuMillis = cpu.toNanos() / NANOS_PER_MILLI;
        return new ServerFigures(
                cpuMillis,
                transactions == 0 ? 0 : cpuMillis / transactions,
                cpuMillis / wallMillis * PERCENT,
                null,
                null,
                maxResidentBytes,
                maxThreads);
    }

    private void sample() {
        try {
            while (!end.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
                note(ProcessUsage.of(processes));
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final HarnessException e) {
            // The server has ended: stop() says so to the one who waits for the figures.
            end.countDown();
        }
    }

    private synchronized void note(final ProcessUsage usage) {
        maxResidentBytes = Math.max(maxResidentBytes, usage.residentBytes());
        maxThreads = Math.max(maxThreads, usage.threads());
    }
}
