// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.load.LoadDriver;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.PacedLoad;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.ScriptedServer;
import org.nios2s.harness.load.ScriptedServer.Script;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;

/** The load on the NIO client, against a scripted server on loopback. Runs on the test's thread. */
@Timeout(60)
class NioTransportTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);

    @TempDir
    private Path directory;

    @Test
    void everyClientSendsItsTransactionsOverTheConnectionsThatAllShare() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Script.FAITHFUL)) {
            final LoadOutcome outcome =
                    driver(server, settings(7, 3, Duration.ZERO, PATIENCE)).drive();

            assertEquals(21, outcome.successes());
            assertEquals(Map.of(), outcome.failures());
            assertTrue(server.connections() <= 7, "more connections than clients");
            assertEquals(21 * 2, new HashSet<>(server.packetIds()).size());
            assertEquals(21 * 2, server.packetIds().size());
            for (final Phase phase : new Phase[] {Phase.CREATE, Phase.SEND, Phase.CONFIRM, Phase.COMPLETE}) {
                assertEquals(21, outcome.histograms().get(phase).getTotalCount());
            }
            Awaitility.await().atMost(PATIENCE).until(() -> server.politeEnds() == server.connections());
        }
    }

    @Test
    void aPacedRunMeasuresFromTheIntendedStartToo() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Script.FAITHFUL)) {
            final LoadOutcome outcome = driver(server, settings(2, 3, Duration.ofMillis(20), PATIENCE))
                    .drive();

            assertEquals(6, outcome.histograms().get(Phase.RESPONSE).getTotalCount());
            assertTrue(outcome.wall().toMillis() >= 40, "the third transaction begins 40 ms after the first");
        }
    }

    @Test
    void overTlsEveryTransactionArrivesToo() throws Exception {
        final SecurityFiles files = SecurityFiles.ensure(directory);
        final SSLContext serverSide = files.context(files.keyStore(Identity.NODE));
        final SSLContext clientSide = files.context(files.keyStore(Identity.CLIENT));
        try (ScriptedServer server = new ScriptedServer(Script.FAITHFUL, serverSide)) {
            final LoadOutcome outcome = load(settings(3, 2, Duration.ZERO, PATIENCE), server.port(), clientSide)
                    .drive();

            assertEquals(6, outcome.successes());
            assertEquals(Map.of(), outcome.failures());
        }
    }

    @Test
    void aFullDestinationIsAnAcknowledgement() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Script.DESTINATION_FULL)) {
            final LoadOutcome outcome =
                    driver(server, settings(1, 2, Duration.ZERO, PATIENCE)).drive();

            assertEquals(2, outcome.successes());
            assertEquals(2, outcome.destinationFull());
        }
    }

    @Test
    void aFailureIsCountedByItsStepAndReason() throws Exception {
        assertOnlyFailure(Script.REFUSE_PORT, PATIENCE, "UNKNOWN_PORT while in step HANDSHAKE");
        assertOnlyFailure(Script.WRONG_CHECKSUM, PATIENCE, "BAD_CHECKSUM while in step CONFIRM");
        assertOnlyFailure(Script.SILENT_INSTEAD_OF_CONFIRMATION, SHORT, "DEADLINE_PASSED while in step CONFIRM");
        assertOnlyFailure(Script.CLOSE_INSTEAD_OF_FINISHING, PATIENCE, "CONNECTION_LOST while in step COMPLETE");
        assertOnlyFailure(Script.GARBAGE_INSTEAD_OF_CONFIRMATION, PATIENCE, "PROTOCOL_VIOLATION while in step CONFIRM");
    }

    @Test
    void nobodyThereFailsEveryTransactionWhileConnecting() throws Exception {
        final LoadSettings settings = settings(1, 2, Duration.ZERO, PATIENCE);
        final LoadOutcome outcome = load(settings, unusedPort(), null).drive();

        assertEquals(Map.of("CONNECT_FAILED while in step CONNECT", 2L), outcome.failures());
    }

    @Test
    void stoppingGivesUpWhatIsInFlight() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Script.SILENT_INSTEAD_OF_CONFIRMATION)) {
            final LoadDriver driver = driver(server, settings(3, 1, Duration.ZERO, Duration.ofHours(1)));
            final CompletableFuture<LoadOutcome> run = CompletableFuture.supplyAsync(() -> {
                try {
                    return driver.drive();
                } catch (final InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            Awaitility.await().atMost(PATIENCE).until(() -> server.sizes().size() == 6);
            driver.stop();

            final LoadOutcome outcome = run.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertEquals(3, outcome.abandoned());
            assertEquals(0, outcome.failed());
            assertEquals(0, outcome.successes());
        }
    }

    private static void assertOnlyFailure(final Script script, final Duration timeout, final String cause)
            throws Exception {
        try (ScriptedServer server = new ScriptedServer(script)) {
            final LoadOutcome outcome =
                    driver(server, settings(1, 2, Duration.ZERO, timeout)).drive();

            assertEquals(Map.of(cause, 2L), outcome.failures());
            assertEquals(2, outcome.failed());
            assertEquals(0, outcome.successes());
        }
    }

    private static LoadDriver driver(final ScriptedServer server, final LoadSettings settings) {
        return load(settings, server.port(), null);
    }

    private static LoadSettings settings(
            final int clients, final int transactions, final Duration interval, final Duration timeout) {
        return new LoadSettings(clients, transactions, Duration.ZERO, 2, 10, interval, Duration.ofMillis(1), timeout);
    }

    private static LoadDriver load(final LoadSettings settings, final int port, final SSLContext tls) {
        return new PacedLoad("run", settings, () -> new NioTransport("run", settings, address(port), tls));
    }

    private static TargetAddress address(final int port) {
        return new TargetAddress(InetAddress.getLoopbackAddress().getHostAddress(), port, ScriptedServer.PORT_ID, null);
    }

    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
