// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.assertFails;
import static org.nios2s.client.Outcomes.packet;

import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Outcomes;
import org.nios2s.client.ScriptedServer;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.SilentNames;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.transaction.Engine;

/** Connections that can't be opened: who hears of it, and what goes on. */
class HandshakeExchangeTest {
    private ScriptedServer server;
    private Engine engine;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        engine = new Engine(ConnectionOptions.DEFAULTS
                .withMaxConnections(2)
                .withMaxPending(3)
                .withMaxIdleTime(Duration.ofMillis(50))
                .withReconnectBackoff(Duration.ofMillis(1), Duration.ofMillis(2)));
    }

    @AfterEach
    void stop() throws IOException {
        engine.close();
        server.close();
    }

    private CompletableFuture<TransactionResult> push(final Endpoint port) {
        return engine.push(port, List.of(packet("a")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nifi_1", "b\u00fccher.example", "-nifi-", "1.nifi.2"})
    void anyNameThatASocketConnectsToIsConnectedTo(final String name) throws Exception {
        final String host = name + SilentNames.LOOPBACK;
        try (Socket socket = new Socket(host, server.port())) {
            assertTrue(socket.isConnected());
        }
        assertEquals(
                1,
                Outcomes.await(push(Endpoint.of(host, server.port(), "port-id")))
                        .packets());
    }

    @Test
    void aNameThatNobodyKnowsFailsEveryTimeAndHangsNever() {
        final Endpoint port = Endpoint.of("no_such.host.invalid", server.port(), "port-id");
        for (int i = 0; i < 5; i++) {
            assertFails(push(port), TransactionStep.CONNECT, FailureReason.CONNECT_FAILED);
        }
    }

    @Test
    void aPeerThatSpeaksTlsIsToldFromOneOfAnotherVersion() {
        server.at(Moment.PROTOCOL, wire -> {
            // Alert, TLS 1.2, 2 bytes: fatal, unexpected message.
            wire.out.write(new byte[] {21, 3, 3, 0, 2, 2, 10});
            wire.out.flush();
            return true;
        });
        final TransactionException failure =
                assertFails(push(server.remotePort()), TransactionStep.NEGOTIATE_PROTOCOL, FailureReason.TLS_FAILED);
        assertTrue(failure.getMessage().contains("The peer speaks TLS"), failure.getMessage());
    }

    @Test
    void aContextThatIsNotInitialisedFailsEveryTimeAndHangsNever() throws Exception {
        final Endpoint port = server.remotePort().withTls(SSLContext.getInstance("TLS"));
        for (int i = 0; i < 5; i++) {
            assertFails(push(port), TransactionStep.TLS_HANDSHAKE, FailureReason.TLS_FAILED);
        }
        await().until(() -> server.openConnections() == 0);
    }

    @Test
    void aProxySelectorThatThrowsFailsEveryTimeAndHangsNever() throws Exception {
        final ProxySelector before = ProxySelector.getDefault();
        ProxySelector.setDefault(new ProxySelector() {
            @Override
            public List<Proxy> select(final URI uri) {
                throw new IllegalStateException("no idea");
            }

            @Override
            public void connectFailed(final URI uri, final SocketAddress address, final IOException failure) {
                // Nobody asks.
            }
        });
        try {
            for (int i = 0; i < 5; i++) {
                final TransactionException failure =
                        assertFails(push(server.remotePort()), TransactionStep.CONNECT, FailureReason.CONNECT_FAILED);
                assertInstanceOf(IllegalStateException.class, failure.getCause());
            }
        } finally {
            ProxySelector.setDefault(before);
        }
        Outcomes.await(push(server.remotePort()));
    }

    @Test
    void aConnectionThatFailsFailsOnlyTheOneItWasOpenedFor() throws Exception {
        final AtomicInteger refused = new AtomicInteger();
        server.at(Moment.HANDSHAKE, wire -> {
            if (refused.getAndIncrement() == 0) {
                throw new IOException("the first only");
            }
            return false;
        });
        final List<CompletableFuture<TransactionResult>> pushes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            pushes.add(push(server.remotePort()));
        }
        int failed = 0;
        for (final CompletableFuture<TransactionResult> push : pushes) {
            failed += push.handle((result, failure) -> failure == null ? 0 : 1).get();
        }
        assertTrue(failed <= 1, failed + " failed");
        assertTrue(server.committed.size() >= 4);
    }

    @Test
    void noMoreThanAllowedWaitWhileThePeerIsDown() throws Exception {
        final int unused;
        try (ServerSocket closed = new ServerSocket(0)) {
            unused = closed.getLocalPort();
        }
        try (Engine patient = new Engine(ConnectionOptions.DEFAULTS
                .withMaxConnections(2)
                .withMaxPending(3)
                .withReconnectBackoff(Duration.ofMinutes(1), Duration.ofMinutes(1)))) {
            final Endpoint port = Endpoint.of("127.0.0.1", unused, "port-id");
            assertFails(
                    patient.push(port, List.of(packet("a"))), TransactionStep.CONNECT, FailureReason.CONNECT_FAILED);
            final List<CompletableFuture<TransactionResult>> pushes = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                pushes.add(patient.push(port, List.of(packet("a"))));
            }
            final long refused = pushes.stream()
                    .filter(CompletableFuture::isCompletedExceptionally)
                    .peek(push ->
                            assertFails(push, TransactionStep.WAIT_FOR_CONNECTION, FailureReason.TOO_MANY_PENDING))
                    .count();
            assertEquals(20 - 3 - 1, refused);
        }
    }

    @Test
    void aPoolThatNobodyNeedsIsRetiredAndMadeAnew() throws Exception {
        Outcomes.await(push(server.remotePort()));
        await().until(() -> engine.pools() == 0);
        Outcomes.await(push(server.remotePort()));
        assertEquals(2, server.accepted.get());
    }

    @Test
    void whatOneTransactionAsksForByItselfDoesNotPartConnections() throws Exception {
        for (int i = 1; i <= 5; i++) {
            Outcomes.await(engine.push(
                    server.remotePort(),
                    List.of(packet("a")),
                    CallOptions.DEFAULTS.withDeadline(Duration.ofMinutes(i))));
        }
        assertEquals(1, engine.pools());
    }

    @Test
    void everyAddressOfANameIsTried() throws Exception {
        final Endpoint port = Endpoint.of("node" + SilentNames.TWO_ADDRESSES, server.port(), "port-id");
        assertEquals(1, Outcomes.await(engine.push(port, List.of(packet("a")))).packets());
    }

    @Test
    void anIpv6AddressStandsInBrackets() {
        assertEquals("[::1]:10443", Endpoint.of("::1", 10_443, "id").peer());
        assertEquals("nifi://[::1]:10443", Endpoint.of("::1", 10_443, "id").url());
        assertEquals("[::1]:10443", Endpoint.of("[::1]", 10_443, "id").peer());
        assertEquals("host:10443", Endpoint.of("host", 10_443, "id").peer());
    }

    @Test
    void theTimeForOpeningCountsFromItsBeginningToTheEndOfTheHandshake() throws Exception {
        server.at(Moment.HANDSHAKE, server.stall());
        try (Engine impatient = new Engine(ConnectionOptions.DEFAULTS.withConnectTimeout(Outcomes.IMPATIENT))) {
            final TransactionException failure = assertFails(
                    impatient.push(server.remotePort(), List.of(packet("a"))),
                    TransactionStep.HANDSHAKE,
                    FailureReason.CONNECT_FAILED);
            assertTrue(failure.getMessage().contains("PT1S"), failure.getMessage());
        }
    }

    @Test
    void aPeerThatIsSilentWithoutADeadlineFailsAfterTheIdleTimeout() {
        server.at(Moment.CONFIRM, server.stall());
        assertFails(
                engine.push(
                        server.remotePort(),
                        List.of(packet("a")),
                        CallOptions.DEFAULTS.withIdleTimeout(Outcomes.IMPATIENT)),
                TransactionStep.CONFIRM,
                FailureReason.IDLE_TIMEOUT);
    }
}
