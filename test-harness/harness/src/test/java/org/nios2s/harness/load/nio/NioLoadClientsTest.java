// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.HdrHistogram.Histogram;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.load.ClientLoadGenerator;
import org.nios2s.harness.load.LoadClientContract;
import org.nios2s.harness.load.LoadGenerator;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadServer;
import org.nios2s.harness.load.LoadServer.Script;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;

/** The load on the NIO client, against a scripted server on loopback. Runs on the test's thread. */
class NioLoadClientsTest extends LoadClientContract {

    @TempDir
    private Path directory;

    @Test
    void everyClientSendsItsTransactionsOverTheConnectionsThatAllShare() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            final LoadGenerator generator = load(settings(7, 3, Duration.ZERO, PATIENCE, 10), server.port());
            final LoadOutcome outcome = generator.drive();

            assertEquals(21, outcome.successes());
            assertEquals(Map.of(), outcome.totals().failures());
            assertTrue(server.connections() <= 7, "more connections than clients");
            assertEquals(21 * 2, new HashSet<>(server.packetIds()).size());
            assertEquals(21 * 2, server.packetIds().size());
            final Map<Phase, Histogram> times = generator.recorder().tick();
            for (final Phase phase : new Phase[] {Phase.CREATE, Phase.SEND, Phase.CONFIRM, Phase.COMPLETE}) {
                assertEquals(21, times.get(phase).getTotalCount());
            }
            Awaitility.await().atMost(PATIENCE).until(() -> server.politeEnds() == server.connections());
        }
    }

    @Test
    void overTlsEveryTransactionArrivesToo() throws Exception {
        final SecurityFiles files = SecurityFiles.ensure(directory);
        final SSLContext serverSide = files.context(files.keyStore(Identity.NODE));
        final SSLContext clientSide = files.context(files.keyStore(Identity.CLIENT));
        try (LoadServer server = new LoadServer(Script.FAITHFUL, serverSide)) {
            final LoadOutcome outcome = load(settings(3, 2, Duration.ZERO, PATIENCE, 10), server.port(), clientSide)
                    .drive();

            assertEquals(6, outcome.successes());
            assertEquals(Map.of(), outcome.totals().failures());
        }
    }

    @Test
    void aFailureIsCountedByItsStepAndReason() throws Exception {
        assertOnlyFailure(Script.REFUSE_PORT, PATIENCE, "UNKNOWN_PORT while in step HANDSHAKE");
        assertOnlyFailure(Script.WRONG_CHECKSUM, PATIENCE, "BAD_CHECKSUM while in step CONFIRM");
        assertOnlyFailure(Script.SILENT_INSTEAD_OF_CONFIRMATION, SHORT, "DEADLINE_EXCEEDED while in step CONFIRM");
        assertOnlyFailure(Script.CLOSE_INSTEAD_OF_FINISHING, PATIENCE, "CONNECTION_LOST while in step COMPLETE");
        assertOnlyFailure(Script.GARBAGE_INSTEAD_OF_CONFIRMATION, PATIENCE, "PROTOCOL_VIOLATION while in step CONFIRM");
    }

    @Test
    void nobodyThereFailsEveryTransactionWhileConnecting() throws Exception {
        final LoadOutcome outcome =
                load(settings(1, 2, Duration.ZERO, PATIENCE, 10), unusedPort()).drive();

        assertEquals(
                Map.of("CONNECT_FAILED while in step CONNECT", 2L),
                outcome.totals().failures());
    }

    @Override
    protected LoadGenerator load(final LoadSettings settings, final int port) {
        return load(settings, port, null);
    }

    private static LoadGenerator load(final LoadSettings settings, final int port, final SSLContext tls) {
        return new ClientLoadGenerator("run", settings, () -> new NioLoadClients("run", settings, address(port), tls));
    }
}
