// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.ClientLoadGenerator;
import org.nios2s.harness.load.ClientTls;
import org.nios2s.harness.load.LoadClient;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadServer;
import org.nios2s.harness.load.LoadServer.Script;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadSettings.Connection;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.Wan;
import org.nios2s.harness.load.nio.NioLoadClients;
import org.nios2s.harness.load.wire.WireLoadClients;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;

/** Clients behind a WAN against a scripted server: never faster than their round trips. Runs on the test's thread. */
@Timeout(120)
class NetworkTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Wan FAR = new Wan(Duration.ofMillis(20), Duration.ofMillis(2), 0.5);
    /** A push waits for the server's confirmation, then for its acknowledgement. */
    private static final int ROUND_TRIPS_OF_A_PUSH = 2;
    /** The recorder keeps three digits. */
    private static final double PRECISION = 0.99;

    private static final double NANOS_PER_MICRO = 1_000;

    @TempDir
    private Path directory;

    private static LoadSettings load(final Wan wan, final boolean secure) {
        return new LoadSettings(
                3,
                4,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ofMillis(1),
                PATIENCE,
                LoadSettings.Shape.push(2, 5_000),
                new Connection(secure, false, 0, wan));
    }

    private static LoadClient.Factory clients(
            final ClientKind kind,
            final LoadSettings load,
            final List<TargetAddress> to,
            final SSLContext tls,
            final ClientTls wireTls) {
        return switch (kind) {
            case NIO -> new NioLoadClients("run", load, to.getFirst(), tls);
            case MINIFI -> WireLoadClients.asMinifi("run", load, to, WireTls.client(wireTls));
            default -> new WireLoadClients("run", load, to, WireTls.client(wireTls), false);
        };
    }

    private static void assertFar(
            final LoadServer server, final ClientKind kind, final LoadSettings load, final ClientTls tls)
            throws InterruptedException {
        final Network network = new Network(load.connection().wan(), 1, kind != ClientKind.MINIFI);
        final TargetAddress address = new TargetAddress("127.0.0.1", server.port(), LoadServer.PORT_ID, null);
        final ClientLoadGenerator generator = new ClientLoadGenerator(
                "run",
                load,
                () -> network.open(
                        List.of(address), to -> clients(kind, load, to, tls == null ? null : tls.context(), tls)));
        final LoadOutcome outcome = generator.drive();

        assertEquals(Map.of(), outcome.totals().failures());
        assertEquals(12, outcome.successes());
        assertEquals(24, new HashSet<>(server.packetIds()).size());
        final double leastMicros = PRECISION
                * ROUND_TRIPS_OF_A_PUSH
                * load.connection().wan().roundTrip().toNanos()
                / NANOS_PER_MICRO;
        final long shortest = generator.recorder().tick().get(Phase.TOTAL).getMinValue();
        assertTrue(shortest >= leastMicros, shortest + " µs, at least " + leastMicros);
        assertEquals(load.connection().wan().present(), network.lateP99Millis().isPresent());
    }

    @ParameterizedTest
    @EnumSource(names = {"WIRE", "MINIFI", "NIO"})
    void aTransactionTakesAtLeastItsRoundTrips(final ClientKind kind) throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            assertFar(server, kind, load(FAR, false), null);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"WIRE", "MINIFI", "NIO"})
    void tlsPassesAsBytes(final ClientKind kind) throws Exception {
        final SecurityFiles files = SecurityFiles.ensure(directory);
        final SSLContext serverSide = files.context(files.keyStore(Identity.NODE));
        try (LoadServer server = new LoadServer(Script.FAITHFUL, serverSide)) {
            assertFar(server, kind, load(FAR, true), files.tls(files.keyStore(Identity.CLIENT)));
        }
    }

    @Test
    void withoutAWanClientsConnectDirectly() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            assertFar(server, ClientKind.WIRE, load(Wan.NONE, false), null);
        }
    }

    @Test
    void clientsTakeLeaveOverTheWanToo() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            assertFar(server, ClientKind.WIRE, load(FAR, false), null);

            assertEquals(3, server.connections());
            Awaitility.await().atMost(PATIENCE).until(() -> server.politeEnds() == 3);
        }
    }
}
