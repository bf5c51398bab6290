// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.assertFails;
import static org.nios2s.client.Outcomes.packet;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.client.ScriptedServer.Action;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.ConnectionOptions;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.transaction.Engine;
import org.nios2s.wire.ProtocolException;

/** What goes wrong in a push, in every step of it, and what is left behind: nothing. */
class FailureTest {
    private static final int LONGEST_MESSAGE = 1_000;
    private static final Map<Moment, TransactionStep> STEPS = Map.of(
            Moment.ACCEPTED, TransactionStep.NEGOTIATE_PROTOCOL,
            Moment.PROTOCOL, TransactionStep.NEGOTIATE_PROTOCOL,
            Moment.HANDSHAKE, TransactionStep.HANDSHAKE,
            Moment.CODEC, TransactionStep.NEGOTIATE_CODEC,
            Moment.FIRST_PACKET, TransactionStep.CONFIRM,
            Moment.CONFIRM, TransactionStep.CONFIRM,
            Moment.FINISHED, TransactionStep.COMPLETE);

    private ScriptedServer server;
    private Engine engine;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        engine = new Engine(ConnectionOptions.DEFAULTS
                .withMaxConnections(2)
                .withMaxPending(3)
                .withReconnectBackoff(Duration.ofMillis(10), Duration.ofMillis(50)));
    }

    @AfterEach
    void stop() throws IOException {
        engine.close();
        server.close();
    }

    private CompletableFuture<TransactionResult> push() {
        return engine.push(server.remotePort(), List.of(packet("a")));
    }

    private void assertNothingIsLeft() {
        await().until(() -> engine.openConnections() == 0);
    }

    /** The same engine serves when the peer behaves again. */
    private void assertServesAgain(final Moment moment) throws Exception {
        server.asUsual(moment);
        assertEquals(1, Outcomes.await(push()).packets());
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void aPeerThatLeavesFailsThePushInItsStep(final Moment moment) throws Exception {
        server.at(moment, ScriptedServer.hangUp());
        final TransactionException failure = assertFails(push(), STEPS.get(moment), FailureReason.CONNECTION_LOST);
        assertEquals(server.remotePort().peer(), failure.peer());
        assertEquals("port-id", failure.port());
        assertEquals(moment == Moment.FINISHED, failure.isOutcomeUnknown());
        assertTrue(failure.getMessage().contains(server.remotePort().peer()), failure.getMessage());
        assertNothingIsLeft();
        assertServesAgain(moment);
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void aPeerThatSpeaksAnotherLanguageFailsThePushInItsStep(final Moment moment) throws Exception {
        server.at(moment, ScriptedServer.garbage());
        final TransactionException failure = assertFails(push(), STEPS.get(moment), FailureReason.PROTOCOL_VIOLATION);
        assertInstanceOf(ProtocolException.class, failure.getCause());
        assertNothingIsLeft();
        assertServesAgain(moment);
    }

    @ParameterizedTest
    @EnumSource(
            value = Moment.class,
            names = {"FIRST_PACKET", "CONFIRM", "FINISHED"})
    void aPeerThatStallsFailsThePushAtItsDeadline(final Moment moment) throws Exception {
        // The deadline is for what follows, and not for a handshake on a busy machine.
        Outcomes.await(push());
        server.at(moment, server.stall());
        final CallOptions hasty = CallOptions.DEFAULTS.withDeadline(Outcomes.IMPATIENT);
        assertFails(
                engine.push(server.remotePort(), List.of(packet("a")), hasty),
                STEPS.get(moment),
                FailureReason.DEADLINE_EXCEEDED);
        assertNothingIsLeft();
        assertServesAgain(moment);
    }

    @ParameterizedTest
    @EnumSource(
            value = Moment.class,
            names = {"ACCEPTED", "PROTOCOL", "HANDSHAKE", "CODEC"})
    void aPeerThatStallsWhileTheConnectionOpensFailsWhoWaitsForIt(final Moment moment) throws Exception {
        server.at(moment, server.stall());
        try (Engine impatient = new Engine(ConnectionOptions.DEFAULTS.withConnectTimeout(Outcomes.IMPATIENT))) {
            assertFails(
                    impatient.push(server.remotePort(), List.of(packet("a"))),
                    STEPS.get(moment),
                    FailureReason.CONNECT_FAILED);
        }
        final CallOptions hasty = CallOptions.DEFAULTS.withDeadline(Duration.ofMillis(300));
        assertFails(
                engine.push(server.remotePort(), List.of(packet("a")), hasty),
                TransactionStep.WAIT_FOR_CONNECTION,
                FailureReason.DEADLINE_EXCEEDED);
        assertServesAgain(moment);
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of(ScriptedServer.answer(ResponseCode.UNKNOWN_PORT), FailureReason.UNKNOWN_PORT),
                Arguments.of(
                        ScriptedServer.answer(ResponseCode.PORT_NOT_IN_VALID_STATE, "stopped"),
                        FailureReason.PORT_NOT_RUNNING),
                Arguments.of(
                        ScriptedServer.answer(ResponseCode.PORTS_DESTINATION_FULL), FailureReason.DESTINATION_FULL),
                Arguments.of(ScriptedServer.answer(ResponseCode.UNAUTHORIZED, "not you"), FailureReason.UNAUTHORIZED),
                Arguments.of(ScriptedServer.answer(ResponseCode.MISSING_PROPERTY, "GZIP"), FailureReason.REFUSED),
                Arguments.of(ScriptedServer.answer(ResponseCode.UNKNOWN_PROPERTY_NAME, "X"), FailureReason.REFUSED),
                Arguments.of(ScriptedServer.answer(ResponseCode.ILLEGAL_PROPERTY_VALUE, "Y"), FailureReason.REFUSED),
                Arguments.of(ScriptedServer.answer(ResponseCode.ABORT, "no"), FailureReason.REFUSED),
                Arguments.of(ScriptedServer.answer(ResponseCode.MORE_DATA), FailureReason.PROTOCOL_VIOLATION));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void everyRefusalOfTheHandshakeHasItsReason(final Action refusal, final FailureReason reason) throws Exception {
        server.at(Moment.HANDSHAKE, refusal);
        assertFails(push(), TransactionStep.HANDSHAKE, reason);
        assertNothingIsLeft();
        assertServesAgain(Moment.HANDSHAKE);
    }

    static Stream<Arguments> forgedTexts() {
        return Stream.of(
                Arguments.of(Moment.HANDSHAKE, ResponseCode.UNAUTHORIZED),
                Arguments.of(Moment.HANDSHAKE, ResponseCode.PORT_NOT_IN_VALID_STATE),
                Arguments.of(Moment.HANDSHAKE, ResponseCode.ABORT),
                Arguments.of(Moment.CONFIRM, ResponseCode.CONFIRM_TRANSACTION),
                Arguments.of(Moment.CONFIRM, ResponseCode.ABORT));
    }

    @ParameterizedTest
    @MethodSource("forgedTexts")
    void aPeersTextMakesNoLineAndNoControlCharacterOfAMessage(final Moment moment, final ResponseCode code)
            throws Exception {
        server.at(moment, ScriptedServer.answer(code, "no\n2026-01-01 ERROR forged\u001b[2J" + "x".repeat(60_000)));
        final Throwable failure =
                assertThrows(ExecutionException.class, () -> push().get()).getCause();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            final String message = each.getMessage();
            assertTrue(message.chars().noneMatch(Character::isISOControl), message);
            assertTrue(message.length() < LONGEST_MESSAGE, () -> message.length() + " characters");
        }
        assertTrue(failure.getMessage().contains("no\\u000a2026-01-01 ERROR forged\\u001b[2J"), failure.getMessage());
    }

    @Test
    void aMessageIsOnePrintableLineWithAnEnd() {
        final TransactionException failure = TransactionException.builder(
                        TransactionStep.CONNECT, FailureReason.CONNECT_FAILED)
                .peer("127.0.0.1:1")
                .port("in\n2026-01-01 ERROR forged\u001b[2J")
                .message("x\n".repeat(100_000))
                .build();
        for (final String text : List.of(failure.getMessage(), failure.detail())) {
            assertTrue(text.chars().noneMatch(Character::isISOControl), text);
            assertTrue(text.length() < 20_000, () -> text.length() + " characters");
        }
        assertTrue(
                failure.getMessage().contains("port in\\u000a2026-01-01 ERROR forged\\u001b[2J,"),
                failure.getMessage());
    }

    @Test
    void aPeerThatIsNotThereFailsThePush() throws IOException {
        final int unused;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            unused = socket.getLocalPort();
        }
        final Endpoint nobody = Endpoint.of("127.0.0.1", unused, "port-id");
        final TransactionException failure = assertFails(
                engine.push(nobody, List.of(packet("a"))), TransactionStep.CONNECT, FailureReason.CONNECT_FAILED);
        assertTrue(failure.getMessage().contains("127.0.0.1:" + unused), failure.getMessage());
        assertInstanceOf(ConnectException.class, failure.getCause());
        assertFalse(failure.isOutcomeUnknown());
    }

    @Test
    void aNameThatIsNotKnownFailsThePush() {
        assertFails(
                engine.push(Endpoint.of("no-such-host.invalid", 1, "x"), List.of(packet("a"))),
                TransactionStep.CONNECT,
                FailureReason.CONNECT_FAILED);
    }

    @Test
    void oneMoreThanMayWaitFailsAtOnceAndTheOthersAreServedWhenThePeerIsReady() throws Exception {
        final CountDownLatch ready = new CountDownLatch(1);
        server.at(Moment.CONFIRM, wire -> {
            ready.await();
            return false;
        });
        final List<CompletableFuture<TransactionResult>> running = List.of(push(), push());
        await().until(() -> engine.openConnections() == 2 && server.handshakes.size() == 2);
        final List<CompletableFuture<TransactionResult>> accepted = new ArrayList<>(running);
        await().until(() -> {
            final CompletableFuture<TransactionResult> next = push();
            if (!next.isCompletedExceptionally()) {
                accepted.add(next);
                return false;
            }
            assertFails(next, TransactionStep.WAIT_FOR_CONNECTION, FailureReason.TOO_MANY_PENDING);
            return true;
        });
        assertEquals(5, accepted.size());
        ready.countDown();
        for (final CompletableFuture<TransactionResult> result : accepted) {
            assertEquals(1, Outcomes.await(result).packets());
        }
        assertEquals(5, server.committed.size());
        assertEquals(2, server.accepted.get());
    }

    @Test
    void aTransactionThatIsCancelledWhileItWaitsMakesRoomForAnother() throws Exception {
        server.at(Moment.CONFIRM, server.stall());
        final List<CompletableFuture<TransactionResult>> all = new ArrayList<>();
        await().until(() -> {
            all.add(push());
            return all.get(all.size() - 1).isCompletedExceptionally();
        });
        all.get(all.size() - 2).cancel(false);
        assertFalse(push().isCompletedExceptionally());
    }

    @Test
    void anUnusedConnectionIsClosedWithAGoodbye() throws Exception {
        try (Engine brief = new Engine(ConnectionOptions.DEFAULTS.withMaxIdleTime(Duration.ofMillis(200)))) {
            Outcomes.await(brief.push(server.remotePort(), List.of(packet("a"))));
            await().until(() -> brief.openConnections() == 0);
            await().until(() -> server.shutDowns.get() == 1 && server.openConnections() == 0);
            Outcomes.await(brief.push(server.remotePort(), List.of(packet("b"))));
        }
    }

    @Test
    void aPeerThatClosedAnUnusedConnectionIsConnectedToAgain() throws Exception {
        Outcomes.await(push());
        final int port = server.port();
        server.close();
        await().until(() -> engine.openConnections() == 0);
        server = new ScriptedServer(port, null);
        assertEquals(1, Outcomes.await(push()).packets());
    }

    @Test
    void wordsOfAPeerThatNobodyAskedForCloseAnUnusedConnection() throws Exception {
        server.at(Moment.FINISHED, wire -> {
            wire.say(ResponseCode.TRANSACTION_FINISHED);
            wire.say(ResponseCode.TRANSACTION_FINISHED);
            return true;
        });
        Outcomes.await(push());
        assertNothingIsLeft();
    }

    @Test
    void aPeerThatSendsFailuresForeverIsNotAskedWithoutPause() throws Exception {
        server.at(Moment.HANDSHAKE, ScriptedServer.answer(ResponseCode.UNKNOWN_PORT));
        for (int i = 0; i < 10; i++) {
            assertFails(push(), TransactionStep.HANDSHAKE, FailureReason.UNKNOWN_PORT);
        }
        assertEquals(10, server.accepted.get());
    }

    @Test
    void aPeerThatGivesNoListOfPeersSaysWhyNot() {
        final Endpoint withoutPort = Endpoint.of("127.0.0.1", server.port(), "");
        server.insteadOfPeers(ScriptedServer.garbage());
        assertFails(
                engine.peers(withoutPort, CallOptions.DEFAULTS),
                TransactionStep.REQUEST_PEER_LIST,
                FailureReason.PROTOCOL_VIOLATION);
        server.insteadOfPeers(ScriptedServer.hangUp());
        assertFails(
                engine.peers(withoutPort, CallOptions.DEFAULTS),
                TransactionStep.REQUEST_PEER_LIST,
                FailureReason.CONNECTION_LOST);
        server.insteadOfPeers(server.stall());
        assertFails(
                engine.peers(withoutPort, CallOptions.DEFAULTS.withDeadline(Outcomes.IMPATIENT)),
                TransactionStep.REQUEST_PEER_LIST,
                FailureReason.DEADLINE_EXCEEDED);
        assertNothingIsLeft();
    }

    @Test
    void aPeerListThatEndsInItsMiddleIsNotTaken() {
        final Endpoint withoutPort = Endpoint.of("127.0.0.1", server.port(), "");
        server.insteadOfPeers(wire -> {
            wire.out.writeInt(2);
            wire.out.writeUTF("node");
            wire.out.flush();
            throw new IOException("leaves");
        });
        assertFails(
                engine.peers(withoutPort, CallOptions.DEFAULTS),
                TransactionStep.REQUEST_PEER_LIST,
                FailureReason.CONNECTION_LOST);
    }

    /** As a listener does that confirms before it commits, and waits for room in between. */
    @Test
    void aPeerThatTakesPacketsOverMayNeedTwiceTheTimeThatItWasTold() throws Exception {
        final Duration told = Duration.ofSeconds(1);
        server.at(Moment.FINISHED, wire -> {
            Thread.sleep(told.multipliedBy(2).toMillis());
            return false;
        });
        final CallOptions idle = CallOptions.DEFAULTS.withIdleTimeout(told);
        assertEquals(
                1,
                Outcomes.await(engine.push(server.remotePort().withRequestExpiration(told), List.of(packet("a")), idle))
                        .packets());
    }
}
