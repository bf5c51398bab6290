// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.handler.ssl.SslContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.protocol.HandshakeProperty;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.load.ClientLoadGenerator;
import org.nios2s.harness.load.ClientTls;
import org.nios2s.harness.load.LoadClientContract;
import org.nios2s.harness.load.LoadGenerator;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadServer;
import org.nios2s.harness.load.LoadServer.Script;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.PacketId;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.SizeMix;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;

/** The light client against a scripted server on loopback. Runs on the test's thread. */
class WireLoadClientsTest extends LoadClientContract {

    @TempDir
    private Path directory;

    @Test
    void theNodesOfAClusterAreFoundByAskingOne() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            final TargetAddress asked = new TargetAddress("127.0.0.1", server.port(), LoadServer.PORT_ID, null);

            assertEquals(
                    LoadServer.NODES.stream()
                            .map(node -> node + ":" + server.port())
                            .toList(),
                    WireProbe.nodes(asked, null, PATIENCE).stream()
                            .map(TargetAddress::toString)
                            .toList());
        }
    }

    @Test
    void everyClientSendsItsTransactionsOverOneConnection() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            final LoadGenerator generator = load(settings(7, 3, Duration.ZERO, PATIENCE, 10), server.port());
            final LoadOutcome outcome = generator.drive();

            assertEquals(21, outcome.successes());
            assertEquals(0, outcome.failed());
            assertEquals(Map.of(), outcome.totals().failures());
            assertEquals(7, server.connections());
            assertEquals(21 * 2, server.packetIds().size());
            assertEquals(21 * 2, new HashSet<>(server.packetIds()).size());
            assertTrue(server.packetIds().stream()
                    .allMatch(id -> PacketId.parse(id).run().equals("run")));
            assertTrue(server.sizes().stream().allMatch(size -> size == 10));
            assertEquals(21, generator.recorder().tick().get(Phase.TOTAL).getTotalCount());
            Awaitility.await().atMost(PATIENCE).until(() -> server.politeEnds() == 7);
        }
    }

    @Test
    void reconnectingMakesAConnectionPerTransactionAndTakesLeaveOfEach() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            final LoadSettings settings =
                    settings(3, 4, Duration.ZERO, PATIENCE, 10).over(false, true);
            final LoadOutcome outcome = drive(server, settings);

            assertEquals(12, outcome.successes());
            assertEquals(Map.of(), outcome.totals().failures());
            assertEquals(12, server.connections());
            assertEquals(12 * 2, new HashSet<>(server.packetIds()).size());
            Awaitility.await().atMost(PATIENCE).until(() -> server.politeEnds() == 12);
        }
    }

    @Test
    void overTlsEveryTransactionArrivesToo() throws Exception {
        final SecurityFiles files = SecurityFiles.ensure(directory);
        final SSLContext serverSide = files.context(files.keyStore(Identity.NODE));
        final ClientTls clientSide = files.tls(files.keyStore(Identity.CLIENT));
        try (LoadServer server = new LoadServer(Script.FAITHFUL, serverSide)) {
            final LoadSettings settings =
                    settings(3, 2, Duration.ZERO, PATIENCE, 300_000).over(true, true);
            final LoadOutcome outcome =
                    load(settings, server.port(), WireTls.client(clientSide)).drive();

            assertEquals(6, outcome.successes());
            assertEquals(Map.of(), outcome.totals().failures());
            assertTrue(server.sizes().stream().allMatch(size -> size == 300_000));
            Awaitility.await().atMost(PATIENCE).until(() -> server.politeEnds() == 6);
        }
    }

    @Test
    void theHandshakeNamesPortExpirationAndNoCompression() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            drive(server, settings(1, 1, Duration.ZERO, PATIENCE, 0));

            assertEquals(
                    Map.of(
                            HandshakeProperty.GZIP,
                            "false",
                            HandshakeProperty.PORT_IDENTIFIER,
                            LoadServer.PORT_ID,
                            HandshakeProperty.REQUEST_EXPIRATION_MILLIS,
                            Long.toString(PATIENCE.toMillis())),
                    server.handshake());
        }
    }

    @Test
    void largeContentArrivesWholeWithItsChecksum() throws Exception {
        final int size = 300_000;
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            final LoadOutcome outcome = drive(server, settings(2, 2, Duration.ZERO, PATIENCE, size));

            assertEquals(4, outcome.successes());
            assertTrue(server.sizes().stream().allMatch(received -> received == size));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachPacketOfAPullHasTheWholeTimeout(final boolean gzip) throws Exception {
        try (LoadServer server = new LoadServer(Script.PAUSES_IN_A_PULL)) {
            final LoadOutcome outcome = load(pull(2, gzip), server.port()).drive();

            assertEquals(Map.of(), outcome.totals().failures());
            assertEquals(1, outcome.successes());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPullThatGetsFewerFlowFilesThanItAskedForCountsThoseThatCame(final boolean gzip) throws Exception {
        try (LoadServer server = new LoadServer(Script.ONE_TOO_FEW_IN_A_PULL)) {
            final LoadOutcome outcome = load(pull(3, gzip), server.port()).drive();

            assertEquals(1, outcome.successes());
            assertEquals(2, outcome.totals().flowFiles());
            assertEquals(2 * LoadServer.PULLED_BYTES, outcome.totals().bytes());
        }
    }

    private static LoadSettings pull(final int packets, final boolean gzip) {
        return new LoadSettings(
                1,
                1,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                // Shorter than both pauses of the server together, much longer than each.
                Duration.ofSeconds(2),
                new LoadSettings.Shape(LoadSettings.Direction.PULL, packets, SizeMix.of(1), 0, 0, gzip),
                LoadSettings.Connection.KEPT);
    }

    @Test
    void aRefusedPortFailsTheTransactionWithTheServersAnswer() throws Exception {
        assertOnlyFailure(Script.REFUSE_PORT, "ProtocolException: UNKNOWN_PORT while shaking hands");
    }

    @Test
    void aWrongChecksumFailsTheTransaction() throws Exception {
        assertOnlyFailure(
                Script.WRONG_CHECKSUM,
                "ProtocolException: the server's checksum differs while waiting for CONFIRM_TRANSACTION");
    }

    @Test
    void aSilentServerRunsIntoTheTimeout() throws Exception {
        assertOnlyFailure(Script.SILENT_INSTEAD_OF_CONFIRMATION, "time-out while waiting for CONFIRM_TRANSACTION");
    }

    @Test
    void aServerThatLeavesBeforeItFinishesFailsTheTransaction() throws Exception {
        assertOnlyFailure(
                Script.CLOSE_INSTEAD_OF_FINISHING,
                "connection closed by the server while waiting for TRANSACTION_FINISHED");
    }

    @Test
    void garbageFailsTheTransaction() throws Exception {
        assertOnlyFailure(
                Script.GARBAGE_INSTEAD_OF_CONFIRMATION,
                "ProtocolException: Expected a response code, but the bytes do not start with 'RC'"
                        + " while waiting for CONFIRM_TRANSACTION");
    }

    @Test
    void nobodyThereFailsEveryTransactionWhileConnecting() throws Exception {
        final LoadSettings settings = settings(1, 2, Duration.ZERO, PATIENCE, 1);
        final LoadOutcome outcome = load(settings, unusedPort()).drive();

        assertEquals(2, outcome.failed());
        assertTrue(
                outcome.totals().failures().keySet().iterator().next().endsWith("while connecting"),
                outcome.totals().failures().toString());
    }

    private void assertOnlyFailure(final Script script, final String cause) throws Exception {
        final Duration timeout = script == Script.SILENT_INSTEAD_OF_CONFIRMATION ? SHORT : PATIENCE;
        assertEquals(2, assertOnlyFailure(script, timeout, cause), "a client connects again after a failure");
    }

    @Override
    protected LoadGenerator load(final LoadSettings settings, final int port) {
        return load(settings, port, null);
    }

    private static LoadGenerator load(final LoadSettings settings, final int port, final SslContext tls) {
        return new ClientLoadGenerator(
                "run", settings, () -> new WireLoadClients("run", settings, List.of(address(port)), tls, false));
    }
}
