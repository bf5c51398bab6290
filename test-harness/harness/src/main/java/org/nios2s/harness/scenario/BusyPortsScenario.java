// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.RunName;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.wire.WireLoadDriver;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiInstance;

/**
 * Keeps many ports of a NiFi busy at once and counts how often another processor of the flow gets a thread meanwhile. Runs
 * on the command's thread, with a thread per port that drives its load.
 */
public final class BusyPortsScenario {

    private static final String COUNTER_TYPE = "org.nios2s.harness.sink.TriggerCounter";
    private static final String COUNTER = "trigger-counter";
    private static final String TRIGGERS = "triggers";
    private static final String SINK = "sink";
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final NifiInstance nifi;
    private final Target target;
    private final List<TargetAddress> ports = new ArrayList<>();

    /**
     * Makes the ports, and the processor that counts, and starts all of it.
     *
     * @param embedded    where
     * @param portCount   how many ports
     * @param tasks       concurrent tasks of each
     * @param poolThreads timer-driven threads that ports and processors share
     */
    public BusyPortsScenario(final EmbeddedNifi embedded, final int portCount, final int tasks, final int poolThreads) {
        this.nifi = embedded.instance();
        this.target = embedded.target();
        final FlowClient flow = nifi.flow();
        flow.setTimerDrivenThreads(poolThreads);
        final Component sink = flow.find(ComponentKind.PROCESSOR, SINK).orElseThrow();
        for (int number = 1; number <= portCount; number++) {
            final Component port = flow.ensurePort(ComponentKind.INPUT_PORT, "busy-" + number, tasks);
            flow.connect(port, sink, BackPressure.generous());
            flow.start(port);
            final TargetAddress address = target.address();
            ports.add(new TargetAddress(address.host(), address.port(), port.id(), address.api()));
        }
        flow.start(flow.createProcessor(COUNTER, COUNTER_TYPE));
    }

    /**
     * What ports and processor did.
     *
     * @param triggersPerSecond     of the processor that counts
     * @param transactionsPerSecond of all ports together
     * @param failures              of all clients together
     */
    public record Share(double triggersPerSecond, double transactionsPerSecond, long failures) {}

    /**
     * Counts while nothing else happens.
     *
     * @param duration how long
     * @return the processor's rate
     * @throws InterruptedException when the calling thread was interrupted
     */
    public Share idle(final Duration duration) throws InterruptedException {
        final long before = triggers();
        final long start = System.nanoTime();
        Thread.sleep(duration);
        return new Share((triggers() - before) / seconds(start), 0, 0);
    }

    /**
     * Counts while every port is busy.
     *
     * @param load what the clients of one port send
     * @return the rates
     * @throws InterruptedException when the calling thread was interrupted
     */
    public Share busy(final LoadSettings load) throws InterruptedException {
        try (ExecutorService drivers = Executors.newFixedThreadPool(ports.size())) {
            final long before = triggers();
            final long start = System.nanoTime();
            final List<Future<LoadOutcome>> running = new ArrayList<>();
            for (final TargetAddress port : ports) {
                final WireLoadDriver driver =
                        new WireLoadDriver(RunName.next(), load, port, WireTls.client(target.tls()));
                running.add(drivers.submit(driver::drive));
            }
            long transactions = 0;
            long failures = 0;
            for (final Future<LoadOutcome> run : running) {
                transactions += run.get().successes();
                failures += run.get().failed();
            }
            final double seconds = seconds(start);
            return new Share((triggers() - before) / seconds, transactions / seconds, failures);
        } catch (final ExecutionException e) {
            throw new HarnessException("The load of a port broke off", e);
        }
    }

    private long triggers() {
        for (final JsonNode counter : nifi.rest()
                .get("/counters")
                .required("counters")
                .required("aggregateSnapshot")
                .required("counters")) {
            if (TRIGGERS.equals(counter.required("name").asText())
                    && counter.required("context").asText().startsWith(COUNTER)) {
                return counter.required("valueCount").asLong();
            }
        }
        return 0;
    }

    private static double seconds(final long start) {
        return (System.nanoTime() - start) / NANOS_PER_SECOND;
    }
}
