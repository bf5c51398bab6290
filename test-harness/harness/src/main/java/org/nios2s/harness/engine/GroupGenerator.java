// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.load.ClientStats;
import org.nios2s.harness.load.LoadGenerator;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadRecorder;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadTotals;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.SteadyWindow;
import org.nios2s.harness.target.RemoteGroup;

/**
 * A load that the Remote Process Group of another NiFi makes. What its processor made and its queue holds no more counts as
 * acknowledged; the receiving sink's packet ids tell what arrived. Occupies its caller's thread; may be stopped from any
 * other.
 */
final class GroupGenerator implements LoadGenerator {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final String run;
    private final LoadSettings load;
    private final RemoteGroup group;
    private final ShutdownHook interruption;
    private final LoadRecorder recorder;
    private final CountDownLatch stopped = new CountDownLatch(1);

    GroupGenerator(
            final String run, final LoadSettings load, final RemoteGroup group, final ShutdownHook interruption) {
        this.run = run;
        this.load = load;
        this.group = group;
        this.interruption = interruption;
        this.recorder = new LoadRecorder(load);
    }

    @Override
    public LoadOutcome drive() throws InterruptedException {
        final Instant started = Instant.now();
        final long start = System.nanoTime();
        group.start(run, load.shape());
        stopped.await(load.duration().toNanos(), TimeUnit.NANOSECONDS);
        final int transactions = group.stop(PATIENCE, interruption::interrupted);
        final Duration wall = Duration.ofNanos(System.nanoTime() - start);
        final ClientStats stats = new ClientStats(0, recorder);
        stats.acknowledged(transactions);
        final long flowFiles = (long) transactions * load.shape().packets();
        // Until the last FlowFile has left: that is how long the other NiFi took for them.
        final double seconds = wall.toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
        return new LoadOutcome(
                run,
                started,
                wall,
                List.of(stats),
                new SteadyWindow(0, seconds, 0, transactions, true),
                new EnumMap<>(Phase.class),
                LoadTotals.ofArrived(flowFiles, flowFiles * load.shape().size().largest()));
    }

    @Override
    public void stop() {
        stopped.countDown();
    }

    @Override
    public LoadRecorder recorder() {
        return recorder;
    }
}
