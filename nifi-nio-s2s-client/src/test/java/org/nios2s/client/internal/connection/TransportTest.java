// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.nios2s.client.Outcomes.each;
import static org.nios2s.client.Outcomes.packet;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.Outcomes;
import org.nios2s.client.Packet;
import org.nios2s.client.ScriptedServer;
import org.nios2s.client.ScriptedServer.Received;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.internal.transaction.Engine;

/** Every transport serves; the other tests run on the best that there is. */
class TransportTest {
    private static final int LARGE_BYTES = 1 << 20;

    @ParameterizedTest
    @EnumSource(Transport.class)
    void packetsArriveAndAreFetchedOnEveryTransport(final Transport transport) throws Exception {
        assumeTrue(transport == Transport.NIO || Transport.best() == Transport.EPOLL, "epoll does not load here");
        try (ScriptedServer server = new ScriptedServer();
                Engine engine = new Engine(ConnectionOptions.DEFAULTS, transport, null, ClientObserver.NONE)) {
            Outcomes.await(
                    engine.push(server.remotePort(), List.of(packet("a"), Packet.of(Map.of(), new byte[LARGE_BYTES]))));
            assertEquals(2, server.committed.size());
            server.offered.add(new Received(Map.of(), new byte[LARGE_BYTES]));
            assertEquals(
                    LARGE_BYTES,
                    Outcomes.await(engine.pull(server.remotePort(), each(packet -> {})))
                            .bytes());
        }
    }

    @Test
    void thereIsAlwaysOne() {
        assertNotNull(Transport.best());
    }

    @ParameterizedTest
    @EnumSource
    void eventLoopsOfEitherTransportMayBeShared(final Transport transport) throws Exception {
        assumeTrue(transport == Transport.NIO || Transport.best() == Transport.EPOLL, "epoll does not load here");
        final EventLoopGroup shared = transport.workers(1, new DefaultThreadFactory("shared", true));
        try (ScriptedServer server = new ScriptedServer();
                SiteToSite nifi = NioSiteToSite.builder()
                        .address("127.0.0.1", server.port())
                        .eventLoops(shared)
                        .build()) {
            assertEquals(
                    1,
                    Outcomes.await(nifi.inputPort("port-id").send(Outcomes.packet("a")))
                            .packets());
        } finally {
            shared.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
    }

    @Test
    void eventLoopsOfAnotherTransportAreRefused() {
        final EventLoopGroup local = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
        assertThrows(
                IllegalArgumentException.class, () -> NioSiteToSite.builder().eventLoops(local));
        local.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
}
