// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.Transaction.TransactionState;
import org.apache.nifi.remote.TransactionCompletion;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.apache.nifi.remote.exception.PortNotRunningException;
import org.apache.nifi.remote.exception.UnknownPortException;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.HandshakeProperty;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;
import org.apache.nifi.remote.util.StandardDataPacket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;

/** The drop-in for NiFi's client: the states of a transaction and what each call does in each of them. */
class NioSiteToSiteClientTest {
    private static final byte[] CONTENT = "content".getBytes();
    private static final int LARGE_BYTES = 2 << 20;

    private ScriptedServer server;
    private ScriptedSite site;
    private SiteToSiteConnector connector;
    private SiteToSiteClient client;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        server.peers.put("127.0.0.1", new int[] {server.port(), 0});
        site = new ScriptedSite(server.port());
        connector = new SiteToSiteConnector();
        client = new NioSiteToSiteClient(connector, site.client("in").buildConfig());
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        connector.close();
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

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTransactionIsSentConfirmedAndCompleted(final boolean compress) throws IOException {
        try (SiteToSiteClient own = new NioSiteToSiteClient(
                connector, site.client("in").useCompression(compress).buildConfig())) {
            final Transaction transaction = own.createTransaction(TransferDirection.SEND);
            assertEquals(TransactionState.TRANSACTION_STARTED, transaction.getState());
            transaction.send(CONTENT, Map.of("n", "v"));
            assertEquals(TransactionState.DATA_EXCHANGED, transaction.getState());
            transaction.send(
                    new StandardDataPacket(Map.of(), new ByteArrayInputStream(new byte[LARGE_BYTES]), LARGE_BYTES));
            transaction.confirm();
            assertEquals(TransactionState.TRANSACTION_CONFIRMED, transaction.getState());
            final TransactionCompletion completion = transaction.complete();
            assertEquals(TransactionState.TRANSACTION_COMPLETED, transaction.getState());
            assertEquals(2, completion.getDataPacketsTransferred());
            assertEquals(CONTENT.length + LARGE_BYTES, completion.getBytesTransferred());
            assertFalse(completion.isBackoff());
            assertTrue(completion.getDuration(TimeUnit.NANOSECONDS) > 0);
            assertEquals("127.0.0.1", transaction.getCommunicant().getHost());
            assertEquals(server.port(), transaction.getCommunicant().getPort());
            assertNull(transaction.getCommunicant().getDistinguishedName());
        }
        assertEquals(Map.of("n", "v"), List.copyOf(server.committed).get(0).attributes());
        assertEquals(2, server.committed.size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void packetsAreReceivedUntilThereAreNoMore(final boolean compress) throws IOException {
        server.offered.add(new Received(Map.of("n", "1"), CONTENT));
        server.offered.add(new Received(Map.of("n", "2"), new byte[LARGE_BYTES]));
        try (SiteToSiteClient own = new NioSiteToSiteClient(
                connector, site.client("out").useCompression(compress).buildConfig())) {
            final Transaction transaction = own.createTransaction(TransferDirection.RECEIVE);
            final List<byte[]> contents = new ArrayList<>();
            for (DataPacket packet = transaction.receive(); packet != null; packet = transaction.receive()) {
                contents.add(packet.getData().readAllBytes());
            }
            assertArrayEquals(CONTENT, contents.get(0));
            assertEquals(LARGE_BYTES, contents.get(1).length);
            transaction.confirm();
            assertEquals(2, transaction.complete().getDataPacketsTransferred());
        }
        await().until(() -> server.finishedPulls.get() == 1);
    }

    @Test
    void nothingToReceiveIsConfirmedAndCompletedWithoutPackets() throws IOException {
        final Transaction transaction = receiving();
        assertNull(transaction.receive());
        transaction.confirm();
        assertEquals(0, transaction.complete().getDataPacketsTransferred());
    }

    @Test
    void aTransactionWithoutPacketsCannotBeConfirmed() throws IOException {
        final Transaction transaction = sending();
        assertThrows(IllegalStateException.class, transaction::confirm);
        assertEquals(TransactionState.ERROR, transaction.getState());
    }

    @Test
    void aTransactionIsConfirmedOnce() throws IOException {
        final Transaction transaction = sending();
        transaction.send(CONTENT, Map.of());
        transaction.confirm();
        assertThrows(IllegalStateException.class, transaction::confirm);
        assertEquals(TransactionState.ERROR, transaction.getState());
    }

    @Test
    void nothingIsSentAfterTheConfirmation() throws IOException {
        final Transaction transaction = sending();
        transaction.send(CONTENT, Map.of());
        transaction.confirm();
        assertThrows(IllegalStateException.class, () -> transaction.send(CONTENT, Map.of()));
        assertEquals(TransactionState.ERROR, transaction.getState());
    }

    @Test
    void aTransactionIsCompletedOnlyAfterItsConfirmationAndOnce() throws IOException {
        final Transaction early = sending();
        early.send(CONTENT, Map.of());
        assertThrows(IllegalStateException.class, early::complete);
        assertEquals(TransactionState.ERROR, early.getState());
        final Transaction twice = sending();
        twice.send(CONTENT, Map.of());
        twice.confirm();
        twice.complete();
        assertThrows(IllegalStateException.class, twice::complete);
        assertEquals(1, server.committed.size());
    }

    @Test
    void aSendingTransactionDoesNotReceiveAndTheOtherWayRound() throws IOException {
        final Transaction sending = sending();
        assertThrows(IllegalStateException.class, sending::receive);
        assertEquals(TransactionState.ERROR, sending.getState());
        final Transaction receiving = receiving();
        assertThrows(IllegalStateException.class, () -> receiving.send(CONTENT, Map.of()));
        assertEquals(TransactionState.ERROR, receiving.getState());
    }

    @Test
    void whatHasNotBeenReceivedCannotBeConfirmed() throws IOException {
        server.offered.add(new Received(Map.of(), CONTENT));
        server.offered.add(new Received(Map.of(), CONTENT));
        final Transaction transaction = receiving();
        assertNotNull(transaction.receive());
        assertThrows(IllegalStateException.class, transaction::confirm);
        assertEquals(2, server.offered.size());
    }

    @Test
    void aCancelledTransactionIsCancelledOnThePeerWithTheExplanation() throws IOException {
        final Transaction transaction = sending();
        transaction.send(CONTENT, Map.of());
        transaction.cancel("changed my mind");
        assertEquals(TransactionState.TRANSACTION_CANCELED, transaction.getState());
        await().until(() -> server.cancellations.size() == 1);
        assertEquals("changed my mind", server.cancellations.get(0).getMessage());
        assertThrows(IllegalStateException.class, () -> transaction.cancel("again"));
        assertThrows(IllegalStateException.class, () -> transaction.send(CONTENT, Map.of()));
        assertEquals(0, server.committed.size());
    }

    @Test
    void aCompletedTransactionCannotBeCancelled() throws IOException {
        final Transaction transaction = sending();
        transaction.send(CONTENT, Map.of());
        transaction.confirm();
        transaction.complete();
        assertThrows(IllegalStateException.class, () -> transaction.cancel("too late"));
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
                connector, site.client("in").timeout(400, TimeUnit.MILLISECONDS).buildConfig())) {
            final Transaction transaction = own.createTransaction(TransferDirection.SEND);
            transaction.send(CONTENT, Map.of());
            final IOException failure = assertThrows(IOException.class, transaction::confirm);
            assertEquals(
                    FailureReason.DEADLINE_PASSED,
                    assertInstanceOf(TransactionException.class, failure.getCause())
                            .reason());
        }
    }

    @Test
    void refusalsOfTheHandshakeAreNiFisExceptionsAndPenalizeThePeer() throws IOException {
        server.at(Moment.HANDSHAKE, portOnly(ScriptedServer.answer(ResponseCode.PORT_NOT_IN_VALID_STATE, "stopped")));
        assertThrows(PortNotRunningException.class, this::sending);
        assertNull(client.createTransaction(TransferDirection.SEND));
    }

    @Test
    void anUnknownPortIsNiFisException() {
        server.at(Moment.HANDSHAKE, portOnly(ScriptedServer.answer(ResponseCode.UNKNOWN_PORT)));
        assertThrows(UnknownPortException.class, this::sending);
    }

    @Test
    void aFullDestinationGivesNoTransactionAsAllPeersArePenalized() throws IOException {
        server.at(Moment.HANDSHAKE, portOnly(ScriptedServer.answer(ResponseCode.PORTS_DESTINATION_FULL)));
        assertNull(client.createTransaction(TransferDirection.SEND));
    }

    /** The list of peers is asked for without a port: there is nothing to refuse then. */
    private ScriptedServer.Action portOnly(final ScriptedServer.Action refusal) {
        return wire ->
                server.handshakes.get(server.handshakes.size() - 1).containsKey(HandshakeProperty.PORT_IDENTIFIER)
                        && refusal.happen(wire);
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
                new NioSiteToSiteClient(connector, site.client("no such port").buildConfig())) {
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
        try (SiteToSiteClient own = new NioSiteToSiteClient(connector, config)) {
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
                IllegalArgumentException.class,
                () -> new NioSiteToSiteClient(
                        connector,
                        site.client("in")
                                .transportProtocol(SiteToSiteTransportProtocol.HTTP)
                                .buildConfig()));
    }

    @Test
    void clientsWithoutAConnectorShareOneThatEndsWithTheLast() throws IOException {
        client.close();
        connector.close();
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
        connector.close();
        final IOException failure = assertThrows(IOException.class, transaction::complete);
        final TransactionException cause = assertInstanceOf(TransactionException.class, failure.getCause());
        assertEquals(FailureReason.CONNECTOR_CLOSED, cause.reason());
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

    @Test
    void nothingIsReceivedAfterTheConfirmation() throws IOException {
        server.offered.add(new Received(Map.of(), CONTENT));
        final Transaction transaction = receiving();
        assertNotNull(transaction.receive());
        assertNull(transaction.receive());
        transaction.confirm();
        assertThrows(IllegalStateException.class, transaction::receive);
        assertEquals(TransactionState.ERROR, transaction.getState());
        assertEquals(0, server.finishedPulls.get());
    }

    @Test
    void aTransactionThatFailedIsNeitherCompletedNorCancelled() throws IOException {
        final Transaction transaction = sending();
        assertThrows(IllegalStateException.class, transaction::confirm);
        assertThrows(IllegalStateException.class, transaction::complete);
        assertThrows(IllegalStateException.class, () -> transaction.cancel("too late"));
        assertEquals(TransactionState.ERROR, transaction.getState());
    }
}
