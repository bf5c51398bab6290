// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.assertFails;
import static org.nios2s.client.Outcomes.packet;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.client.PeerProxy.Kind;
import org.nios2s.client.ScriptedProxy.Manner;
import org.nios2s.client.TestCertificates.Identity;
import org.nios2s.client.internal.connection.ConnectionOptions;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.transaction.Engine;

/** Peers that are reached through a proxy, and proxies that lead nowhere. */
class ProxyTest {
    private static final String LOOPBACK = "127.0.0.1";
    private static final int HASTY_REFUSALS = 500;

    private ScriptedServer server;
    private Engine engine;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        engine = new Engine();
    }

    @AfterEach
    void stop() throws IOException {
        engine.close();
        server.close();
    }

    private ScriptedProxy proxy(final Kind kind, final Manner manner) throws IOException {
        return new ScriptedProxy(kind, manner, server.port());
    }

    private Endpoint through(final ScriptedProxy proxy, final Kind kind) {
        return server.remotePort().withProxy(PeerProxy.of(kind, LOOPBACK, proxy.port()));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void packetsArriveThroughEveryKindOfProxy(final Kind kind) throws Exception {
        try (ScriptedProxy proxy = proxy(kind, Manner.OPEN)) {
            final Endpoint port = through(proxy, kind);
            Outcomes.await(engine.push(port, List.of(packet("a"))));
            Outcomes.await(engine.push(port, List.of(packet("b"))));
            assertEquals(2, server.committed.size());
            assertEquals(List.of(port.peer()), List.copyOf(proxy.destinations));
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aNameThatOnlyTheProxyKnowsIsLeftToIt(final Kind kind) throws Exception {
        try (ScriptedProxy proxy = proxy(kind, Manner.OPEN)) {
            final Endpoint behind = Endpoint.of("nifi-behind-the-proxy.invalid", server.port(), "port-id")
                    .withProxy(PeerProxy.of(kind, LOOPBACK, proxy.port()));
            Outcomes.await(engine.push(behind, List.of(packet("a"))));
            assertEquals(List.of(behind.peer()), List.copyOf(proxy.destinations));
        }
    }

    @Test
    void aSocksProxyLearnsNameAndPassword() throws Exception {
        try (ScriptedProxy proxy = proxy(Kind.SOCKS5, Manner.ASKS_FOR_PASSWORD)) {
            final PeerProxy known =
                    PeerProxy.of(Kind.SOCKS5, LOOPBACK, proxy.port()).withUser("user", "secret");
            Outcomes.await(engine.push(server.remotePort().withProxy(known), List.of(packet("a"))));
            assertEquals(List.of("user:secret"), List.copyOf(proxy.credentials));
            assertFalse(known.toString().contains("secret"), "the password would be logged");
        }
    }

    @Test
    void anHttpProxyLearnsNameAndPassword() throws Exception {
        try (ScriptedProxy proxy = proxy(Kind.HTTP, Manner.OPEN)) {
            final PeerProxy known =
                    PeerProxy.of(Kind.HTTP, LOOPBACK, proxy.port()).withUser("user", "secret");
            Outcomes.await(engine.push(server.remotePort().withProxy(known), List.of(packet("a"))));
            final String basic = Base64.getEncoder().encodeToString("user:secret".getBytes(StandardCharsets.US_ASCII));
            assertEquals("Basic " + basic, proxy.credentials.element());
        }
    }

    @Test
    void tlsIsSpokenWithThePeerBehindTheProxy() throws Exception {
        final Identity serverIdentity = TestCertificates.identity("server");
        final Identity clientIdentity = TestCertificates.identity("client");
        server.close();
        server = new ScriptedServer(0, TestCertificates.context(serverIdentity, clientIdentity));
        try (ScriptedProxy proxy = proxy(Kind.SOCKS5, Manner.OPEN)) {
            final Endpoint port =
                    through(proxy, Kind.SOCKS5).withTls(TestCertificates.context(clientIdentity, serverIdentity));
            Outcomes.await(engine.push(port, List.of(packet("a"))));
            assertEquals(1, server.committed.size());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aProxyThatRefusesFailsThePushWhileItConnects(final Kind kind) throws Exception {
        try (ScriptedProxy proxy = proxy(kind, Manner.REFUSES)) {
            final TransactionException failure = assertFails(
                    engine.push(through(proxy, kind), List.of(packet("a"))),
                    TransactionStep.CONNECT,
                    FailureReason.CONNECT_FAILED);
            assertTrue(failure.getMessage().contains(String.valueOf(proxy.port())), failure.getMessage());
            await().until(() -> engine.openConnections() == 0);
        }
    }

    /** However fast the proxy is: it may have answered before the opener of the connection looks again. */
    @Test
    void aProxyThatRefusesAtOnceAlwaysFailsThePushWhileItConnects() throws Exception {
        try (ScriptedProxy proxy = proxy(Kind.SOCKS4, Manner.REFUSES)) {
            for (int i = 0; i < HASTY_REFUSALS; i++) {
                final Endpoint unused = Endpoint.of(LOOPBACK, server.port(), "port-" + i)
                        .withProxy(PeerProxy.of(Kind.SOCKS4, LOOPBACK, proxy.port()));
                assertFails(
                        engine.push(unused, List.of(packet("a"))),
                        TransactionStep.CONNECT,
                        FailureReason.CONNECT_FAILED);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aProxyThatStallsFailsThePushWhileItConnects(final Kind kind) throws Exception {
        try (ScriptedProxy proxy = proxy(kind, Manner.STALLS);
                Engine impatient = new Engine(ConnectionOptions.DEFAULTS.withConnectTimeout(Outcomes.IMPATIENT))) {
            assertFails(
                    impatient.push(through(proxy, kind), List.of(packet("a"))),
                    TransactionStep.CONNECT,
                    FailureReason.CONNECT_FAILED);
        }
    }

    @Test
    void aProxyThatIsNotThereIsNamed() throws Exception {
        final ScriptedProxy gone = proxy(Kind.SOCKS5, Manner.OPEN);
        gone.close();
        final TransactionException failure = assertFails(
                engine.push(through(gone, Kind.SOCKS5), List.of(packet("a"))),
                TransactionStep.CONNECT,
                FailureReason.CONNECT_FAILED);
        assertTrue(failure.getMessage().contains(String.valueOf(gone.port())), failure.getMessage());
    }

    /** As NiFi's client, whose sockets obey the JVM. */
    @Test
    void theProxyThatTheJvmNamesForSocketsIsUsed() throws Exception {
        final ProxySelector before = ProxySelector.getDefault();
        try (ScriptedProxy proxy = proxy(Kind.SOCKS5, Manner.OPEN)) {
            ProxySelector.setDefault(new OneProxy(
                    new Proxy(Proxy.Type.SOCKS, InetSocketAddress.createUnresolved(LOOPBACK, proxy.port()))));
            Outcomes.await(engine.push(server.remotePort(), List.of(packet("a"))));
            assertEquals(List.of(server.remotePort().peer()), List.copyOf(proxy.destinations));
        } finally {
            ProxySelector.setDefault(before);
        }
    }

    @Test
    void anHttpProxyOfTheJvmIsNotForSockets() throws Exception {
        final ProxySelector before = ProxySelector.getDefault();
        try {
            ProxySelector.setDefault(
                    new OneProxy(new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(LOOPBACK, 1))));
            Outcomes.await(engine.push(server.remotePort(), List.of(packet("a"))));
            assertEquals(1, server.committed.size());
        } finally {
            ProxySelector.setDefault(before);
        }
    }

    /** Names the same proxy for every address of a socket. */
    private static final class OneProxy extends ProxySelector {
        private final Proxy proxy;

        private OneProxy(final Proxy proxy) {
            this.proxy = proxy;
        }

        @Override
        public List<Proxy> select(final URI uri) {
            return "socket".equals(uri.getScheme()) ? List.of(proxy) : List.of(Proxy.NO_PROXY);
        }

        @Override
        public void connectFailed(final URI uri, final SocketAddress address, final IOException e) {
            throw new IllegalStateException("The engine does not report to the selector", e);
        }
    }
}
