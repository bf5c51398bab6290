// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import org.apache.nifi.remote.protocol.RequestType;
import org.apache.nifi.remote.protocol.Response;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.nifi.InstanceRecord;
import org.nios2s.harness.nifi.NifiInstance;

/**
 * Every refusal that a handshake over plain TCP can meet, but for those that need another state of a port.
 * Runs on the thread of the tests against the shared NiFi.
 */
@ResourceLock(SharedNifi.LOCK)
class HandshakeIT {

    private static NifiInstance nifi;

    @BeforeAll
    static void start() {
        nifi = SharedNifi.NIO.get();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void everyVersionOfTheProtocolIsServed(final int version) throws IOException {
        try (RawPeer peer = new RawPeer(nifi.instance())) {
            peer.negotiate(version);
            assertEquals(
                    ResponseCode.PROPERTIES_OK,
                    peer.handshake(version, RawPeer.properties(nifi.portId("input")))
                            .getCode());
            peer.negotiateCodec();
            assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.push(Map.of(), new byte[] {1}));
        }
    }

    @Test
    void anUnknownPortIsRefusedAndTheConnectionClosed() throws IOException {
        expectRefusal(RawPeer.properties("no-such-port"), ResponseCode.UNKNOWN_PORT, null);
    }

    @Test
    void aMissingPropertyIsNamed() throws IOException {
        final Map<String, String> properties = RawPeer.properties(nifi.portId("input"));
        properties.remove("GZIP");

        expectRefusal(properties, ResponseCode.MISSING_PROPERTY, "Missing Property GZIP");
    }

    @ParameterizedTest
    @CsvSource({
        "REQUEST_EXPIRATION_MILLIS, soon",
        "BATCH_COUNT, 1.5",
        "BATCH_SIZE, 99999999999999999999",
        "BATCH_DURATION, 5 secs"
    })
    void anIllegalValueIsNamed(final String property, final String value) throws IOException {
        final Map<String, String> properties = RawPeer.properties(nifi.portId("input"));
        properties.put(property, value);

        expectRefusal(
                properties,
                ResponseCode.ILLEGAL_PROPERTY_VALUE,
                "Received invalid value for property '" + property + "'; invalid value: " + value);
    }

    @Test
    void anUnknownPropertyIsNamed() throws IOException {
        final Map<String, String> properties = RawPeer.properties(nifi.portId("input"));
        properties.put("COLOUR", "blue");

        expectRefusal(properties, ResponseCode.UNKNOWN_PROPERTY_NAME, "Received unknown property: COLOUR");
    }

    @Test
    void aHandshakeWithoutAPortServesThePeerList() throws IOException {
        final Map<String, String> properties = RawPeer.properties("");
        properties.remove("PORT_IDENTIFIER");
        try (RawPeer peer = new RawPeer(nifi.instance())) {
            peer.negotiate(RawPeer.NEWEST_VERSION);
            assertEquals(
                    ResponseCode.PROPERTIES_OK,
                    peer.handshake(RawPeer.NEWEST_VERSION, properties).getCode());
            peer.request(RequestType.REQUEST_PEER_LIST);
            final InstanceRecord instance = nifi.instance();
            assertEquals(new PeerListEntry(instance.s2sHost(), instance.s2sPort()), PeerListEntry.readOnly(peer));
            peer.request(RequestType.SHUTDOWN);
            assertTrue(peer.isClosedByOtherEnd());
        }
    }

    private static void expectRefusal(
            final Map<String, String> properties, final ResponseCode code, final String message) throws IOException {
        try (RawPeer peer = new RawPeer(nifi.instance())) {
            peer.negotiate(RawPeer.NEWEST_VERSION);
            final Response answer = peer.handshake(RawPeer.NEWEST_VERSION, properties);
            assertEquals(code, answer.getCode());
            assertEquals(message, answer.getMessage());
            assertTrue(peer.isClosedByOtherEnd());
        }
    }

    /**
     * Where a peer list says that a peer is.
     * Immutable, for any thread.
     */
    private record PeerListEntry(String host, int port) {

        /** Reads a list of one plain peer that holds no FlowFiles. */
        static PeerListEntry readOnly(final RawPeer peer) throws IOException {
            assertEquals(1, peer.in().readInt());
            final PeerListEntry entry =
                    new PeerListEntry(peer.in().readUTF(), peer.in().readInt());
            assertEquals(false, peer.in().readBoolean());
            assertEquals(0, peer.in().readInt());
            return entry;
        }
    }
}
