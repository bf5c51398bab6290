// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.nifi;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.Transaction.TransactionState;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.FailureReason;
import org.nios2s.client.ScriptedServer;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;
import org.nios2s.client.ScriptedSite;
import org.nios2s.client.TestCertificates;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.transaction.Engine;

/** The drop-in for NiFi's client beyond what both do in the same way, see {@link DropInTransactionTest}. */
class NioSiteToSiteClientTest {
    private static final byte[] CONTENT = "content".getBytes();

    private ScriptedServer server;
    private ScriptedSite site;
    private Engine engine;
    private SiteToSiteClient client;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        server.peers.put("127.0.0.1", new int[] {server.port(), 0});
        site = new ScriptedSite(server.port());
        engine = new Engine();
        client = new NioSiteToSiteClient(engine, site.client("in").buildConfig());
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        engine.close();
        site.close();
        server.close();
    }

    private Transaction sending() throws IOException {
        final Transaction transaction = client.createTransaction(TransferDirection.SEND);
        assertNotNull(transaction);
        return transaction;
    }

    private Transaction receiving() throws IOException {
        final Transaction transaction = client.createTransaction(TransferDirection.RECEIVE);
        assertNotNull(transaction);
        return transaction;
    }

    @Test
    void anErrorClosesTheConnection() throws IOException {
        final Transaction transaction = sending();
        transaction.send(CONTENT, Map.of());
        transaction.error();
        assertEquals(TransactionState.ERROR, transaction.getState());
        assertThrows(IllegalStateException.class, transaction::confirm);
        await().until(() -> server.cancellations.size() == 1);
        assertEquals(0, server.committed.size());
    }

    @Test
    void aCompletedTransactionLeavesItsConnectionToTheNext() throws IOException {
        for (int i = 0; i < 3; i++) {
            final Transaction transaction = sending();
            transaction.send(CONTENT, Map.of());
            transaction.confirm();
            transaction.complete();
        }
        // One for the list of peers, one for the transactions.
        assertEquals(2, server.accepted.get());
    }

    @Test
    void aBadChecksumFailsTheConfirmation() throws IOException {
        server.at(Moment.CONFIRM, ScriptedServer.answer(ResponseCode.CONFIRM_TRANSACTION, "1"));
        final Transaction transaction = sending();
        transaction.send(CONTENT, Map.of());
        final IOException failure = assertThrows(IOException.class, transaction::confirm);
        assertEquals(
                FailureReason.BAD_CHECKSUM,
                assertInstanceOf(TransactionException.class, failure.getCause()).reason());
        assertEquals(TransactionState.ERROR, transaction.getState());
        assertThrows(IllegalStateException.class, transaction::complete);
        assertEquals(TransactionState.ERROR, transaction.getState());
    }

    @Test
    void aStalledPeerFailsAfterTheTimeoutOfTheConfiguration() throws IOException {
        server.at(Moment.CONFIRM, server.stall());
        try (SiteToSiteClient own = new NioSiteToSiteClient(
                engine, site.client("in").timeout(400, TimeUnit.MILLISECONDS).buildConfig())) {
            final Transaction transaction = own.createTransaction(TransferDirection.SEND);
            transaction.send(CONTENT, Map.of());
            final IOException failure = assertThrows(IOException.class, transaction::confirm);
            assertEquals(
                    FailureReason.DEADLINE_EXCEEDED,
                    assertInstanceOf(TransactionException.class, failure.getCause())
                            .reason());
        }
    }

    @Test
    void aDestinationThatBecameFullIsABackoffAndPenalizesThePeer() throws IOException {
        server.at(Moment.FINISHED, ScriptedServer.answer(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL));
        final Transaction transaction = sending();
        transaction.send(CONTENT, Map.of());
        transaction.confirm();
        assertTrue(transaction.complete().isBackoff());
        assertNull(client.createTransaction(TransferDirection.SEND));
    }

    @Test
    void aPortNameThatNiFiDoesNotHaveFails() {
        try (SiteToSiteClient own =
                new NioSiteToSiteClient(engine, site.client("no such port").buildConfig())) {
            final TransactionException failure =
                    assertThrows(TransactionException.class, () -> own.createTransaction(TransferDirection.SEND));
            assertEquals(FailureReason.UNKNOWN_PORT, failure.reason());
            assertTrue(failure.getMessage().contains("no such port"), failure.getMessage());
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aNiFiThatCannotBeAskedFails() throws IOException {
        final SiteToSiteClientConfig config = site.client("in").buildConfig();
        site.close();
        // Made only now: a client asks for the peers from its beginning on.
        try (SiteToSiteClient own = new NioSiteToSiteClient(engine, config)) {
            final TransactionException failure =
                    assertThrows(TransactionException.class, () -> own.createTransaction(TransferDirection.SEND));
            assertEquals(FailureReason.NO_PEER, failure.reason());
            assertEquals(TransactionStep.FIND_PEER, failure.step());
        }
    }

    @Test
    void aClosedClientBeginsNothing() throws IOException {
        client.close();
        assertThrows(IllegalStateException.class, () -> client.createTransaction(TransferDirection.SEND));
    }

    @Test
    void onlyRawIsSupported() {
        assertThrows(
                IllegalStateException.class,
                () -> new NioSiteToSiteClient(
                        engine,
                        site.client("in")
                                .transportProtocol(SiteToSiteTransportProtocol.HTTP)
                                .buildConfig()));
    }

    @Test
    void clientsWithoutAConnectorShareOneThatEndsWithTheLast() throws IOException {
        client.close();
        engine.close();
        try (SiteToSiteClient first = new NioSiteToSiteClient(site.client("in").buildConfig());
                SiteToSiteClient second =
                        new NioSiteToSiteClient(site.client("in").buildConfig())) {
            for (final SiteToSiteClient each : List.of(first, second)) {
                final Transaction transaction = each.createTransaction(TransferDirection.SEND);
                transaction.send(CONTENT, Map.of());
                transaction.confirm();
                transaction.complete();
            }
        }
        assertEquals(2, server.committed.size());
        await().until(() -> server.openConnections() == 0);
    }

    @Test
    void aConnectorThatIsClosedBeforeTheCompletionLeavesItUnknown() throws IOException {
        server.at(Moment.FINISHED, server.stall());
        final Transaction transaction = sending();
        transaction.send(CONTENT, Map.of());
        transaction.confirm();
        engine.close();
        final IOException failure = assertThrows(IOException.class, transaction::complete);
        final TransactionException cause = assertInstanceOf(TransactionException.class, failure.getCause());
        assertEquals(FailureReason.CLIENT_CLOSED, cause.reason());
        assertTrue(cause.isOutcomeUnknown());
    }

    @Test
    void aChecksumThatThePeerRefusesFailsTheConfirmationOfWhatWasReceived() throws IOException {
        server.offered.add(new Received(Map.of(), CONTENT));
        server.offered.add(new Received(Map.of(), CONTENT));
        server.at(Moment.CONFIRM, ScriptedServer.answer(ResponseCode.BAD_CHECKSUM));
        final Transaction transaction = receiving();
        assertNotNull(transaction.receive());
        assertEquals(TransactionState.DATA_EXCHANGED, transaction.getState());
        assertNotNull(transaction.receive());
        assertNull(transaction.receive());
        final IOException failure = assertThrows(IOException.class, transaction::confirm);
        assertEquals(
                FailureReason.BAD_CHECKSUM,
                assertInstanceOf(TransactionException.class, failure.getCause()).reason());
        assertEquals(TransactionState.ERROR, transaction.getState());
        assertThrows(IllegalStateException.class, transaction::complete);
        assertEquals(TransactionState.ERROR, transaction.getState());
        assertEquals(2, server.offered.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 8_192, 300_000})
    void anArrayIsTheCallersAgainWhenSendHasReturned(final int size) throws Exception {
        final TestCertificates.Identity ours = TestCertificates.identity("client");
        final TestCertificates.Identity theirs = TestCertificates.identity("server");
        try (ScriptedServer secured = new ScriptedServer(0, TestCertificates.context(theirs, ours));
                ScriptedSite securedSite = new ScriptedSite(secured.port(), true)) {
            secured.peers.put("localhost", new int[] {secured.port(), 0});
            final SiteToSiteClientConfig config = securedSite
                    .client("in")
                    .sslContext(TestCertificates.context(ours, theirs))
                    .buildConfig();
            try (SiteToSiteClient overTls = new NioSiteToSiteClient(engine, config)) {
                final Transaction transaction = overTls.createTransaction(TransferDirection.SEND);
                final byte[] reused = new byte[size];
                for (byte i = 0; i < 3; i++) {
                    Arrays.fill(reused, i);
                    transaction.send(reused, Map.of());
                }
                Arrays.fill(reused, (byte) -1);
                transaction.confirm();
                transaction.complete();
            }
            final List<Received> arrived = List.copyOf(secured.committed);
            for (byte i = 0; i < 3; i++) {
                final byte[] expected = new byte[size];
                Arrays.fill(expected, i);
                assertArrayEquals(expected, arrived.get(i).content());
            }
        }
    }
}
