// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.nios2s.client.Outcomes.each;
import static org.nios2s.client.Outcomes.packet;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.client.ScriptedServer.Received;

/** Every transport serves; the other tests run on the best that there is. */
class TransportTest {
    private static final int LARGE_BYTES = 1 << 20;

    @ParameterizedTest
    @EnumSource(Transport.class)
    void packetsArriveAndAreFetchedOnEveryTransport(final Transport transport) throws Exception {
        assumeTrue(transport == Transport.NIO || Transport.best() == Transport.EPOLL, "epoll does not load here");
        try (ScriptedServer server = new ScriptedServer();
                SiteToSiteConnector connector =
                        new SiteToSiteConnector(ConnectorSettings.DEFAULTS, transport, null, ClientObserver.NONE)) {
            Outcomes.await(connector.push(
                    server.remotePort(), List.of(packet("a"), Packet.of(Map.of(), new byte[LARGE_BYTES]))));
            assertEquals(2, server.committed.size());
            server.offered.add(new Received(Map.of(), new byte[LARGE_BYTES]));
            assertEquals(
                    LARGE_BYTES,
                    Outcomes.await(connector.pull(server.remotePort(), each(packet -> {})))
                            .bytes());
        }
    }

    @Test
    void thereIsAlwaysOne() {
        assertNotNull(Transport.best());
    }
}
