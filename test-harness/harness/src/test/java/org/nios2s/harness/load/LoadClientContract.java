// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.harness.load.LoadServer.Script;

/** What holds for the load of any transport, against a scripted server on loopback. Runs on the test's thread. */
@Timeout(60)
public abstract class LoadClientContract {

    protected static final Duration PATIENCE = Duration.ofSeconds(20);
    protected static final Duration SHORT = Duration.ofSeconds(1);

    private static final int PACKET_BYTES = 10;

    /** A load on the transport over plain TCP. */
    protected abstract LoadGenerator load(LoadSettings settings, int port);

    @Test
    void aPacedRunMeasuresFromTheIntendedStartToo() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            final LoadGenerator generator =
                    load(settings(2, 3, Duration.ofMillis(20), PATIENCE, PACKET_BYTES), server.port());
            final LoadOutcome outcome = generator.drive();

            // All of them: on a busy machine the run is long enough to have a steady window, to which not all belong.
            assertEquals(6, generator.recorder().tick().get(Phase.RESPONSE).getTotalCount());
            assertTrue(outcome.wall().toMillis() >= 40, "the third transaction begins 40 ms after the first");
        }
    }

    @Test
    void aFullDestinationIsAnAcknowledgement() throws Exception {
        try (LoadServer server = new LoadServer(Script.DESTINATION_FULL)) {
            final LoadOutcome outcome = drive(server, settings(1, 2, Duration.ZERO, PATIENCE, PACKET_BYTES));

            assertEquals(2, outcome.successes());
            assertEquals(2, outcome.totals().destinationFull());
        }
    }

    @Test
    void stoppingGivesUpWhatIsInFlight() throws Exception {
        try (LoadServer server = new LoadServer(Script.SILENT_INSTEAD_OF_CONFIRMATION)) {
            final LoadGenerator generator =
                    load(settings(3, 1, Duration.ZERO, Duration.ofHours(1), PACKET_BYTES), server.port());
            final CompletableFuture<LoadOutcome> run = CompletableFuture.supplyAsync(() -> {
                try {
                    return generator.drive();
                } catch (final InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            Awaitility.await().atMost(PATIENCE).until(() -> server.sizes().size() == 6);
            generator.stop();

            final LoadOutcome outcome = run.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertEquals(3, outcome.totals().abandoned());
            assertEquals(0, outcome.failed());
            assertEquals(0, outcome.successes());
        }
    }

    /** Both transactions of a client fail for the same cause, and nothing else happens: on so many connections. */
    protected final int assertOnlyFailure(final Script script, final Duration timeout, final String cause)
            throws Exception {
        try (LoadServer server = new LoadServer(script)) {
            final LoadOutcome outcome = drive(server, settings(1, 2, Duration.ZERO, timeout, PACKET_BYTES));

            assertEquals(Map.of(cause, 2L), outcome.totals().failures());
            assertEquals(2, outcome.failed());
            assertEquals(0, outcome.successes());
            return server.connections();
        }
    }

    protected final LoadOutcome drive(final LoadServer server, final LoadSettings settings) throws Exception {
        return load(settings, server.port()).drive();
    }

    protected static LoadSettings settings(
            final int clients,
            final int transactions,
            final Duration interval,
            final Duration timeout,
            final int packetSize) {
        return new LoadSettings(
                clients,
                transactions,
                Duration.ZERO,
                interval,
                Duration.ofMillis(1),
                timeout,
                LoadSettings.Shape.push(2, packetSize),
                LoadSettings.Connection.KEPT);
    }

    protected static TargetAddress address(final int port) {
        return new TargetAddress(InetAddress.getLoopbackAddress().getHostAddress(), port, LoadServer.PORT_ID, null);
    }

    protected static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
