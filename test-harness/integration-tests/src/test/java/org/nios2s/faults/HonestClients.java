// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.nios2s.harness.load.ClientLoadGenerator;
import org.nios2s.harness.load.LoadGenerator;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.PacketId;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.wire.WireLoadClients;
import org.nios2s.harness.nifi.NifiNode;

/**
 * A hundred clients that push five FlowFiles of 20 kB in each transaction, flat out or at a pace, each on a connection of its
 * own.
 * For one thread; the clients live on threads of the load driver.
 */
final class HonestClients implements AutoCloseable {

    private static final int CLIENTS = 100;
    private static final int PACKETS = 5;
    private static final int PACKET_BYTES = 20_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** Between two transactions of a client: {@code -Dhonest.interval=500}, in milliseconds; none where they go flat out. */
    private static final Duration INTERVAL = Duration.ofMillis(Integer.getInteger("honest.interval", 0));

    private final LoadGenerator driver;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Future<LoadOutcome> outcome;

    private HonestClients(final NifiNode nifi, final Duration duration) {
        final LoadSettings load = new LoadSettings(
                CLIENTS,
                LoadSettings.UNLIMITED,
                duration,
                INTERVAL,
                INTERVAL.dividedBy(CLIENTS),
                TIMEOUT,
                LoadSettings.Shape.push(PACKETS, PACKET_BYTES),
                LoadSettings.Connection.KEPT);
        final TargetAddress target = new TargetAddress(
                nifi.info().s2sHost(),
                nifi.info().s2sPort(),
                nifi.portId("input"),
                URI.create(nifi.info().api()));
        final String run = PacketId.newRun();
        driver = new ClientLoadGenerator(run, load, () -> new WireLoadClients(run, load, List.of(target), null, false));
        outcome = thread.submit(driver::drive);
    }

    /** Begins to push, for some time. */
    static HonestClients push(final NifiNode nifi, final Duration duration) {
        return new HonestClients(nifi, duration);
    }

    /** What they did, when their time is over. */
    LoadOutcome await() throws InterruptedException, ExecutionException {
        return outcome.get();
    }

    /** Transactions that were acknowledged so far. */
    long acknowledged() {
        return driver.recorder().successes();
    }

    @Override
    public void close() {
        if (!outcome.isDone()) {
            driver.stop();
        }
        thread.shutdown();
    }
}
