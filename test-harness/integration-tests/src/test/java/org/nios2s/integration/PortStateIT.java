// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.nifi.remote.TransactionCompletion;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.RequestType;
import org.apache.nifi.remote.protocol.Response;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.QueueClient;

/**
 * What peers meet when a port is stopped and started, and when its destination is full.
 * Runs on the thread of the tests against the shared NiFi, whose ports it leaves as they were.
 */
@ResourceLock(SharedNifi.LOCK)
class PortStateIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final byte[] CONTENT = {1, 2, 3};

    private static NifiInstance nifi;
    private static Component port;
    private static Component queue;
    private static Component narrowPort;
    private static Component narrowQueue;

    @BeforeAll
    static void start() throws IOException {
        nifi = SharedNifi.NIO.get();
        port = SharedNifi.inputPort(nifi, "loop-in");
        queue = SharedNifi.loop(nifi);
        final SideFlow side = SideFlow.of(nifi);
        narrowPort = side.inputPort(SideFlow.NARROW);
        narrowQueue = side.queue(SideFlow.NARROW);
    }

    @BeforeEach
    void emptyTheQueues() {
        new QueueClient(nifi.rest()).empty(queue);
        new QueueClient(nifi.rest()).empty(narrowQueue);
    }

    @AfterEach
    void restore() {
        emptyTheQueues();
        nifi.flow().start(port);
    }

    @Test
    void aPortThatDoesNotRunIsRefusedUntilItIsStartedAgain() throws IOException {
        nifi.flow().stop(port);
        try (RawPeer peer = new RawPeer(nifi.instance())) {
            peer.negotiate(RawPeer.NEWEST_VERSION);
            final Response refusal = peer.handshake(RawPeer.NEWEST_VERSION, RawPeer.properties(port.id()));
            assertEquals(ResponseCode.PORT_NOT_IN_VALID_STATE, refusal.getCode());
            assertEquals("Port not running", refusal.getMessage());

            nifi.flow().start(port);

            peer.negotiateCodec();
            assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.push(Map.of(), CONTENT));
        }
    }

    @Test
    void aPortThatIsStoppedInTheMiddleOfATransactionCutsItOffAndKeepsNothing() throws IOException {
        try (RawPeer peer = RawPeer.atPort(nifi.instance(), port.id())) {
            peer.request(RequestType.SEND_FLOWFILES);
            peer.packet(Map.of(), CONTENT);
            peer.say(ResponseCode.FINISH_TRANSACTION);
            assertEquals(ResponseCode.CONFIRM_TRANSACTION, peer.response().getCode());

            nifi.flow().stop(port);

            assertTrue(peer.isClosedByOtherEnd());
        }
        nifi.flow().start(port);
        try (RawPeer peer = RawPeer.atPort(nifi.instance(), port.id())) {
            assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.push(Map.of(), CONTENT));
        }
        assertEquals(1, new QueueClient(nifi.rest()).size(queue).flowFiles());
    }

    @Test
    void aTransactionThatFillsTheDestinationIsToldSoAndTheNextHandshakeIsRefused() throws IOException {
        try (PushClient client = new PushClient(nifi, SideFlow.NARROW, false)) {
            final TransactionCompletion completion = client.push(List.of(packet(), packet()));
            assertTrue(completion.isBackoff());
        }

        assertEquals(ResponseCode.PORTS_DESTINATION_FULL, handshake());

        new QueueClient(nifi.rest()).empty(narrowQueue);
        Awaitility.await().atMost(PATIENCE).until(() -> handshake() == ResponseCode.PROPERTIES_OK);
        try (PushClient client = new PushClient(nifi, SideFlow.NARROW, false)) {
            assertFalse(client.push(List.of(packet())).isBackoff());
        }
    }

    @Test
    void aTransactionThatFindsItsDestinationFullWaitsUntilThereIsRoom() throws IOException {
        try (RawPeer first = RawPeer.atPort(nifi.instance(), narrowPort.id());
                RawPeer second = RawPeer.atPort(nifi.instance(), narrowPort.id())) {
            assertEquals(ResponseCode.TRANSACTION_FINISHED, first.push(Map.of(), CONTENT));
            assertEquals(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL, first.push(Map.of(), CONTENT));

            second.request(RequestType.SEND_FLOWFILES);
            second.packet(Map.of("filename", "late"), CONTENT);
            second.say(ResponseCode.FINISH_TRANSACTION);
            new QueueClient(nifi.rest()).empty(narrowQueue);

            assertEquals(ResponseCode.CONFIRM_TRANSACTION, second.response().getCode());
            second.say(ResponseCode.CONFIRM_TRANSACTION, "");
            assertEquals(ResponseCode.TRANSACTION_FINISHED, second.response().getCode());
        }
        assertEquals(
                "late",
                new QueueClient(nifi.rest()).list(narrowQueue).getFirst().filename());
    }

    private static DataPacket packet() {
        return PushClient.packet(Map.of(), CONTENT);
    }

    private static ResponseCode handshake() throws IOException {
        try (RawPeer peer = new RawPeer(nifi.instance())) {
            peer.negotiate(RawPeer.NEWEST_VERSION);
            return peer.handshake(RawPeer.NEWEST_VERSION, RawPeer.properties(narrowPort.id()))
                    .getCode();
        }
    }
}
