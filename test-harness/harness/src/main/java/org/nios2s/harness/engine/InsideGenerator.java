// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.load.LoadGenerator;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadRecorder;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadTotals;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.SteadyWindow;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.SinkLedger;
import org.nios2s.harness.target.FlowFileSource;

/**
 * A load without any client: a processor inside NiFi makes as much as the repositories take, and the sink's ledger says
 * how much that was. Occupies the command's thread; may be stopped from any other.
 */
record InsideGenerator(
        String run,
        LoadSettings load,
        int commit,
        NifiNode nifi,
        FlowFileSource source,
        LoadRecorder recorder,
        CountDownLatch stopped)
        implements LoadGenerator {

    InsideGenerator(
            final String run,
            final LoadSettings load,
            final int commit,
            final NifiNode nifi,
            final FlowFileSource source) {
        this(run, load, commit, nifi, source, new LoadRecorder(load), new CountDownLatch(1));
    }

    @Override
    public LoadOutcome drive() throws InterruptedException {
        final SinkLedger before = nifi.ledger();
        final Instant started = Instant.now();
        final long start = System.nanoTime();
        source.start(run, load.shape(), commit);
        stopped.await(load.duration().toNanos(), TimeUnit.NANOSECONDS);
        source.stop();
        final Duration wall = Duration.ofNanos(System.nanoTime() - start);
        awaitSink();
        final SinkLedger made = nifi.ledger().since(before);
        final long transactions = made.count() / load.shape().packets();
        final double seconds = wall.toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
        final SteadyWindow window = new SteadyWindow(0, seconds, 0, transactions, true);
        return new LoadOutcome(
                run,
                started,
                wall,
                List.of(),
                window,
                new EnumMap<>(Phase.class),
                LoadTotals.ofArrived(made.count(), made.bytes()));
    }

    private void awaitSink() throws InterruptedException {
        SinkLedger last = null;
        for (SinkLedger now = nifi.ledger(); !now.equals(last); now = nifi.ledger()) {
            last = now;
            stopped.await(1, TimeUnit.SECONDS);
        }
    }

    @Override
    public void stop() {
        stopped.countDown();
    }
}
