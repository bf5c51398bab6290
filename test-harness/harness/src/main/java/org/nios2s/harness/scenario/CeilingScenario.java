// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.RunName;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.SinkLedger;
import org.nios2s.harness.result.ServerFigures;

/**
 * Has a processor inside NiFi make the FlowFiles of transactions, and measures it as a load over the network is
 * measured: into the same sink, with the same settings. Runs on the command's thread.
 */
public final class CeilingScenario {

    private static final String SOURCE = "ceiling";
    private static final String SOURCE_TYPE = "org.nios2s.harness.sink.CeilingSource";
    private static final String SINK = "sink";
    private static final Duration STILL = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final EmbeddedNifi nifi;
    private final Interruption interruption;
    private final Component source;

    /**
     * Puts the source into a flow, stopped.
     *
     * @param nifi         where to
     * @param tasks        how many of its tasks may run at once
     * @param interruption ends a run early
     */
    public CeilingScenario(final EmbeddedNifi nifi, final int tasks, final Interruption interruption) {
        this.nifi = nifi;
        this.interruption = interruption;
        final FlowClient flow = nifi.instance().flow();
        this.source = flow.createProcessor(SOURCE, SOURCE_TYPE);
        flow.setConcurrentTasks(source, tasks);
        flow.connect(source, flow.find(ComponentKind.PROCESSOR, SINK).orElseThrow(), BackPressure.generous());
    }

    /**
     * What NiFi made of it.
     *
     * @param transactionsPerCommit transactions in each session
     * @param transactions          whose FlowFiles arrived in the sink
     * @param transactionsPerSecond their rate while the source ran
     * @param server                what it cost NiFi
     */
    public record Ceiling(
            int transactionsPerCommit, long transactions, double transactionsPerSecond, ServerFigures server) {}

    /**
     * Runs the source for some time.
     *
     * @param load                  packets of a transaction and their size
     * @param transactionsPerCommit transactions in each session
     * @param duration              how long
     * @return what was measured
     * @throws InterruptedException when the calling thread was interrupted
     */
    public Ceiling run(final LoadSettings load, final int transactionsPerCommit, final Duration duration)
            throws InterruptedException {
        final NifiInstance instance = nifi.instance();
        instance.flow()
                .setProperties(
                        source,
                        Map.of(
                                "Run", RunName.next(),
                                "Transactions per Commit", Integer.toString(transactionsPerCommit),
                                "Packets", Integer.toString(load.packets()),
                                "Packet Size", Integer.toString(load.packetSize())));
        final SinkLedger before = instance.ledger();
        final ServerSampler sampler = ServerSampler.start(nifi.target().processes());
        final long start = System.nanoTime();
        instance.flow().start(source);
        pause(duration);
        instance.flow().stop(source);
        final long nanos = System.nanoTime() - start;
        final long transactions = settled().since(before).count() / load.packets();
        // After the sink is through: what NiFi has put off is its cost, too.
        final ServerFigures server = sampler.stop(transactions);
        return new Ceiling(transactionsPerCommit, transactions, transactions * NANOS_PER_SECOND / nanos, server);
    }

    private void pause(final Duration duration) throws InterruptedException {
        final long end = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() - end < 0 && !interruption.interrupted()) {
            Thread.sleep(POLL);
        }
    }

    private SinkLedger settled() throws InterruptedException {
        final long deadline = System.nanoTime() + PATIENCE.toNanos();
        SinkLedger ledger = nifi.instance().ledger();
        long since = System.nanoTime();
        while (System.nanoTime() - since < STILL.toNanos()
                && System.nanoTime() - deadline < 0
                && !interruption.interrupted()) {
            Thread.sleep(POLL);
            final SinkLedger now = nifi.instance().ledger();
            if (!now.equals(ledger)) {
                ledger = now;
                since = System.nanoTime();
            }
        }
        return ledger;
    }
}
