// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.nios2s.client.Outcomes.each;
import static org.nios2s.client.Outcomes.packet;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509TrustManager;
import org.bouncycastle.asn1.x509.GeneralName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;
import org.nios2s.client.TestCertificates.CountingTrust;
import org.nios2s.client.TestCertificates.Identity;
import org.nios2s.client.internal.connection.ConnectionOptions;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.NettyTls;
import org.nios2s.client.internal.transaction.Engine;

/** Transactions over TLS with client certificates, and those that come to nothing. */
class TlsTest {
    private static final int LARGE_BYTES = 3 << 20;
    private static final int MANY = 200;

    private Identity serverIdentity;
    private Identity clientIdentity;
    private ScriptedServer server;
    private Engine engine;

    @BeforeEach
    void start() throws Exception {
        serverIdentity = TestCertificates.identity("server");
        clientIdentity = TestCertificates.identity("client");
        server = new ScriptedServer(0, TestCertificates.context(serverIdentity, clientIdentity));
        engine = new Engine(ConnectionOptions.DEFAULTS.withConnectTimeout(Outcomes.NEVER));
    }

    @AfterEach
    void stop() throws IOException {
        engine.close();
        server.close();
    }

    private Endpoint port(final SSLContext tls) {
        return server.remotePort().withTls(tls);
    }

    private static final class TrustsAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(final X509Certificate[] chain, final String type) {}

        @Override
        public void checkServerTrusted(final X509Certificate[] chain, final String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** What does the arithmetic. */
    enum Provider {
        JDK {
            @Override
            TlsContext context(final Identity own, final Identity trusted) throws Exception {
                return TlsContext.of(TestCertificates.context(own, trusted));
            }

            @Override
            TlsContext trustingAll(final Identity own) throws Exception {
                return TlsContext.of(TestCertificates.context(own, new TrustsAll()));
            }
        },
        BORING_SSL {
            @Override
            TlsContext context(final Identity own, final Identity trusted) throws Exception {
                return TlsContext.boringSsl(TestCertificates.keys(own), TestCertificates.trust(trusted));
            }

            @Override
            TlsContext trustingAll(final Identity own) throws Exception {
                return TlsContext.boringSsl(TestCertificates.keys(own), new TrustsAll());
            }
        };

        abstract TlsContext context(Identity own, Identity trusted) throws Exception;

        /** @return trusts any certificate, by a manager that compares no names itself */
        abstract TlsContext trustingAll(Identity own) throws Exception;

        boolean isThere() {
            return this == JDK || TlsContext.isBoringSslAvailable();
        }
    }

    private Endpoint port(final Provider provider, final Identity own, final Identity trusted) throws Exception {
        assumeTrue(provider.isThere(), "BoringSSL does not load here");
        return server.remotePort().withTls(NettyTls.read(provider.context(own, trusted)));
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void packetsArriveAndAreFetchedOverTls(final Provider provider) throws Exception {
        final Endpoint port = port(provider, clientIdentity, serverIdentity);
        final byte[] content = new byte[LARGE_BYTES];
        new Random(1).nextBytes(content);
        Outcomes.await(engine.push(port, List.of(packet("a"), Packet.of(Map.of(), content))));
        assertArrayEquals(content, List.copyOf(server.committed).get(1).content());
        server.offered.add(new Received(Map.of("n", "v"), content));
        Outcomes.await(engine.pull(
                port, each(packet -> assertArrayEquals(content, packet.content().readAllBytes()))));
        assertEquals(1, server.accepted.get());
    }

    @Test
    void manyConnectionsAtOnceAreOpened() throws Exception {
        final Endpoint port = port(TestCertificates.context(clientIdentity, serverIdentity));
        final List<CompletableFuture<TransactionResult>> results = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            results.add(engine.push(port, List.of(packet("a" + i))));
        }
        for (final CompletableFuture<TransactionResult> result : results) {
            Outcomes.await(result);
        }
        assertEquals(MANY, server.committed.size());
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void aLaterConnectionResumesTheSessionOfAnEarlierOne(final Provider provider) throws Exception {
        server.close();
        final CountingTrust trust = TestCertificates.trust(clientIdentity);
        server = new ScriptedServer(0, TestCertificates.context(serverIdentity, trust));
        final Endpoint port = port(provider, clientIdentity, serverIdentity);
        try (Engine forgetful = new Engine(ConnectionOptions.DEFAULTS.withMaxIdleTime(Duration.ofMillis(10)))) {
            for (int connection = 1; connection <= 3; connection++) {
                Outcomes.await(forgetful.push(port, List.of(packet("a"))));
                await().until(() -> forgetful.openConnections() == 0);
                assertEquals(connection, server.accepted.get());
            }
        }
        assertEquals(1, trust.checks.get(), "full handshakes");
    }

    @Test
    void connectionsAreSharedByEqualContextsOnly() throws Exception {
        final SSLContext context = TestCertificates.context(clientIdentity, serverIdentity);
        assertEquals(port(context), port(context));
        assertNotEquals(port(context), port(TestCertificates.context(clientIdentity, serverIdentity)));
    }

    /** The engine of BoringSSL says no more than "General OpenSslEngine problem". */
    @ParameterizedTest
    @EnumSource(Provider.class)
    void theTextNamesTheRootOfATlsFailure(final Provider provider) throws Exception {
        final TransactionException untrusted = Outcomes.failureOf(
                engine.push(port(provider, clientIdentity, TestCertificates.identity("other")), List.of(packet("a"))));
        assertTrue(untrusted.getMessage().contains("certification path"), untrusted.getMessage());
        final Identity elsewhere =
                TestCertificates.identity("server", new GeneralName(GeneralName.dNSName, "elsewhere.example.org"));
        try (ScriptedServer other = new ScriptedServer(0, TestCertificates.context(elsewhere, clientIdentity))) {
            final NettyTls tls = NettyTls.read(provider.context(clientIdentity, elsewhere));
            final TransactionException wrongName =
                    Outcomes.failureOf(engine.push(other.remotePort().withTls(tls), List.of(packet("a"))));
            assertTrue(wrongName.getMessage().contains("127.0.0.1"), wrongName.detail());
            assertTrue(wrongName.detail().contains("subject alternative names"), wrongName.detail());
        }
    }

    private void assertFailsInTls(final Endpoint port) {
        final TransactionException failure = Outcomes.failureOf(engine.push(port, List.of(packet("a"))));
        assertEquals(FailureReason.TLS_FAILED, failure.reason(), failure.getMessage());
        assertEquals(0, server.committed.size());
        await().until(() -> engine.openConnections() == 0 && server.openConnections() == 0);
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void aServerThatIsNotTrustedIsLeft(final Provider provider) throws Exception {
        assertFailsInTls(port(provider, clientIdentity, TestCertificates.identity("other")));
    }

    /** With TLS 1.3 the client is done before it hears of it. */
    @ParameterizedTest
    @EnumSource(Provider.class)
    void aClientThatIsNotTrustedFailsWhileTheConnectionOpens(final Provider provider) throws Exception {
        assertRefusedByServer(port(provider, TestCertificates.identity("stranger"), serverIdentity));
    }

    @Test
    void aClientWithoutCertificateFailsWhileTheConnectionOpens() throws Exception {
        assertRefusedByServer(port(TestCertificates.context(null, serverIdentity)));
    }

    private void assertRefusedByServer(final Endpoint port) {
        final TransactionException failure = Outcomes.failureOf(engine.push(port, List.of(packet("a"))));
        assertTrue(
                Set.of(FailureReason.TLS_FAILED, FailureReason.CONNECTION_LOST).contains(failure.reason()));
        assertTrue(Set.of(TransactionStep.TLS_HANDSHAKE, TransactionStep.NEGOTIATE_PROTOCOL)
                .contains(failure.step()));
        assertEquals(0, server.committed.size());
        await().until(() -> engine.openConnections() == 0);
    }

    @Test
    void aServerThatDoesNotSpeakTlsFailsTheHandshake() throws Exception {
        server.close();
        server = new ScriptedServer();
        server.at(ScriptedServer.Moment.ACCEPTED, ScriptedServer.garbage());
        Outcomes.assertFails(
                engine.push(port(TestCertificates.context(clientIdentity, serverIdentity)), List.of(packet("a"))),
                TransactionStep.TLS_HANDSHAKE,
                FailureReason.TLS_FAILED);
    }

    /** How a socket dies while TLS shakes hands. */
    enum Death {
        FIN,
        RST
    }

    @ParameterizedTest
    @EnumSource
    void aPeerThatLeavesDuringTheHandshakeIsALostConnection(final Death death) throws Exception {
        try (ServerSocket leaving = new ServerSocket(0, MANY, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> leave(leaving, death));
            final Endpoint port = Endpoint.of("127.0.0.1", leaving.getLocalPort(), "port-id")
                    .withTls(TestCertificates.context(clientIdentity, serverIdentity));
            final TransactionException failure = Outcomes.assertFails(
                    engine.push(port, List.of(packet("a"))),
                    TransactionStep.TLS_HANDSHAKE,
                    FailureReason.CONNECTION_LOST);
            assertTrue(failure.getMessage().contains("does the peer speak TLS?"), failure.getMessage());
            assertTrue(failure.reason().isTransient());
        }
    }

    private static void leave(final ServerSocket leaving, final Death death) {
        try {
            while (true) {
                final Socket connection = leaving.accept();
                connection.getInputStream().readNBytes(5);
                if (death == Death.RST) {
                    connection.setSoLinger(true, 0);
                } else {
                    // What is left unread would make it a reset.
                    connection.getInputStream().read(new byte[LARGE_BYTES]);
                }
                connection.close();
            }
        } catch (final IOException e) {
            // The test is over.
        }
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void aServerThatSaysNothingFailsTheHandshakeInItsTime(final Provider provider) throws Exception {
        server.close();
        server = new ScriptedServer();
        server.at(ScriptedServer.Moment.ACCEPTED, server.stall());
        final Endpoint port = port(provider, clientIdentity, serverIdentity);
        try (Engine impatient = new Engine(ConnectionOptions.DEFAULTS.withConnectTimeout(Outcomes.IMPATIENT))) {
            Outcomes.assertFails(
                    impatient.push(port, List.of(packet("a"))),
                    TransactionStep.TLS_HANDSHAKE,
                    FailureReason.CONNECT_FAILED);
        }
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void aCertificateForAnotherHostIsRefusedUnlessNamesAreNotCompared(final Provider provider) throws Exception {
        assumeTrue(provider.isThere());
        final Identity elsewhere =
                TestCertificates.identity("server", new GeneralName(GeneralName.dNSName, "elsewhere.example.org"));
        try (ScriptedServer other = new ScriptedServer(0, TestCertificates.context(elsewhere, clientIdentity))) {
            final TlsContext verifying = provider.context(clientIdentity, elsewhere);
            Outcomes.assertFails(
                    engine.push(other.remotePort().withTls(NettyTls.read(verifying)), List.of(packet("a"))),
                    TransactionStep.TLS_HANDSHAKE,
                    FailureReason.TLS_FAILED);
            Outcomes.await(engine.push(
                    other.remotePort().withTls(NettyTls.read(verifying.withoutHostNameVerification())),
                    List.of(packet("a"))));
        }
    }

    @Test
    void boringSslRefusesATrustManagerThatComparesNoNames() {
        assumeTrue(Provider.BORING_SSL.isThere());
        assertThrows(SSLException.class, () -> Provider.BORING_SSL.trustingAll(clientIdentity));
    }

    @Test
    void namesAreComparedAlsoByATrustManagerThatTrustsEverybody() throws Exception {
        final Identity elsewhere =
                TestCertificates.identity("server", new GeneralName(GeneralName.dNSName, "elsewhere.example.org"));
        try (ScriptedServer other = new ScriptedServer(0, TestCertificates.context(elsewhere, clientIdentity))) {
            Outcomes.assertFails(
                    engine.push(
                            other.remotePort().withTls(NettyTls.read(Provider.JDK.trustingAll(clientIdentity))),
                            List.of(packet("a"))),
                    TransactionStep.TLS_HANDSHAKE,
                    FailureReason.TLS_FAILED);
        }
    }

    @Test
    void aNodeThatThePeerListCallsInsecureIsServedOverTlsAndTriedAgainWithPauses() throws Exception {
        server.peers.put("localhost", new int[] {server.port(), 5});
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
        final List<Duration> pauses = new CopyOnWriteArrayList<>();
        try (ScriptedSite site = new ScriptedSite(server.port(), true);
                SiteToSite nifi = NioSiteToSite.builder()
                        .url(site.url())
                        .tls(TestCertificates.context(clientIdentity, serverIdentity))
                        .observer(new ClientObserver() {
                            @Override
                            public void retrying(
                                    final Direction direction,
                                    final TransactionException failure,
                                    final int attempts,
                                    final Duration pause) {
                                pauses.add(pause);
                            }
                        })
                        .build()) {
            final InputPort in = nifi.inputPort("in");
            Outcomes.failureOf(
                    in.withRetry(RetryPolicy.standard().withMaxAttempts(4)).send(packet("a")));
            assertEquals(3, pauses.size());
            assertTrue(pauses.stream().noneMatch(Duration::isZero), pauses::toString);
            server.asUsual(Moment.CONFIRM);
            assertEquals(1, Outcomes.await(in.send(packet("b"))).packets());
        }
    }
}
