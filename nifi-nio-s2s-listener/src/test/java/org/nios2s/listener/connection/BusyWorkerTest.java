// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.mockito.Mockito.when;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.settings.TransportSelection.Choice;
import org.nios2s.listener.tls.TlsHandlerFactory.Provider;
import org.nios2s.peers.Message;
import org.nios2s.peers.OneGoSocket;
import org.nios2s.peers.TestPeer;

/** Our own delay is no silence of a peer's. Lives on the test's thread, with a clock that the test sets. */
@DisplayName("While the listener is busy")
class BusyWorkerTest {
    /** Longer than a handshake may stand still at the limit. */
    private static final Duration STANDSTILL = Duration.ofSeconds(4);

    private final AtomicLong clock = new AtomicLong(System.nanoTime());

    private SteppedListener listener(final Choice transport, final String... settings) throws Exception {
        return new SteppedListener(clock::get, with(transport, settings));
    }

    /** Makes a listener that trusts by a manager of the test's. */
    private SteppedListener listener(
            final HeldTrust trust, final Choice transport, final Provider provider, final String... settings)
            throws Exception {
        final String[] all = with(transport, settings);
        return new SteppedListener(clock::get, trust.listeners(), with(all, "tls.provider", provider.name()));
    }

    private static String[] with(final Choice transport, final String... settings) {
        return with(settings, "transport", transport.name());
    }

    private static String[] with(final String[] settings, final String key, final String value) {
        return Stream.concat(Arrays.stream(settings), Stream.of(key, value)).toArray(String[]::new);
    }

    private void pass(final Duration time) {
        clock.addAndGet(time.toNanos());
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "NIO"})
    @DisplayName("a handshake whose next step waits in the socket does not stand still")
    void handshake(final Choice transport) throws Exception {
        try (SteppedListener listener = listener(transport, "handshakes.max", "1");
                TestPeer peer = listener.connect()) {
            peer.magic().flush();
            listener.awaitStep("NegotiateProtocolStep");
            listener.checkDeadlinesBehind(() -> {
                pass(STANDSTILL);
                return peer.protocol(Message.NEWEST_VERSION).flush();
            });
            listener.assertNoFault();
            peer.expectResource();
            listener.passTime(clock, STANDSTILL.multipliedBy(2));
            listener.awaitFault(ConnectionFault.Kind.SLOW_PEER);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "IN_CODEC, 31",
        "IN_ATTRIBUTES, 31",
        "IN_CONTENT, 31",
        "BETWEEN_PACKETS, 31",
        "BEFORE_CONFIRMATION, 31",
    })
    @DisplayName("a peer whose bytes wait in the socket is not silent within its request")
    void request(final DepartureTest.Moment moment, final int seconds) throws Exception {
        try (SteppedListener listener = listener(Choice.EPOLL);
                TestPeer peer = listener.connect()) {
            moment.reach(peer);
            peer.flush();
            listener.awaitStep(moment.step());
            listener.awaitAllRead(0, peer);
            listener.checkDeadlinesBehind(() -> {
                pass(Duration.ofSeconds(seconds));
                return peer.say(new byte[] {(byte) 'R'}).flush();
            });
            listener.assertNoFault();
            pass(Duration.ofSeconds(seconds));
            listener.checkDeadlines();
            listener.awaitFault(ConnectionFault.Kind.IDLE_TIMEOUT);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "NIO"})
    @DisplayName("a peer whose next request waits in the socket is not idle")
    void idle(final Choice transport) throws Exception {
        try (SteppedListener listener = listener(transport, "idle.timeout", "10 mins");
                TestPeer peer = listener.connect().open(INPUT_PORT)) {
            listener.checkDeadlinesBehind(() -> {
                pass(Duration.ofMinutes(11));
                return peer.push().flush();
            });
            listener.assertNoFault();
            peer.packet(Map.of(), new byte[1])
                    .say(ResponseCode.FINISH_TRANSACTION)
                    .expectConfirmation()
                    .confirm()
                    .expect(ResponseCode.TRANSACTION_FINISHED);
            listener.assertNoFault();
        }
    }

    @Test
    @DisplayName("a peer is not slow whose bytes wait in the socket")
    void slowPeer() throws Exception {
        try (SteppedListener listener = listener(Choice.EPOLL, "request.queue.size", "1");
                TestPeer first = listener.connect();
                TestPeer second = listener.connect()) {
            DepartureTest.Moment.IN_CONTENT.reach(first);
            first.flush();
            listener.awaitAnyStep("ReceivePacketStep");
            listener.awaitAllRead(0, first);
            second.open(INPUT_PORT).push().flush();
            listener.awaitAnyStep("AdmitTransactionStep");
            pass(STANDSTILL);
            first.say(new byte[20_000]).flush();
            listener.awaitAllRead(0, first);
            listener.checkDeadlines();
            listener.checkDeadlinesBehind(() -> {
                pass(STANDSTILL);
                listener.dispatchers().sweep();
                return first.say(new byte[20_000]).flush();
            });
            listener.checkDeadlines();
            listener.assertNoFault();
            listener.passTime(clock, STANDSTILL);
            listener.awaitFault(ConnectionFault.Kind.SLOW_PEER);
        }
    }

    @Test
    @DisplayName("a handshake that waits for NiFi's decision does not stand still")
    void slowAuthorizer() throws Exception {
        try (SteppedListener listener = listener(Choice.EPOLL, "handshakes.max", "1");
                TestPeer peer = listener.connect()) {
            final CountDownLatch mayAnswer = new CountDownLatch(1);
            final PublicPort port = listener.input().port();
            when(listener.rootGroup().findInputPort(SteppedListener.INPUT_PORT)).thenAnswer(asked -> {
                mayAnswer.await();
                return port;
            });
            peer.magic()
                    .protocol(Message.NEWEST_VERSION)
                    .handshake(Message.properties(INPUT_PORT))
                    .flush();
            listener.awaitStep("ValidateHandshakeStep");
            pass(STANDSTILL);
            listener.checkDeadlines();
            listener.assertNoFault();
            mayAnswer.countDown();
            peer.expectResource().expect(ResponseCode.PROPERTIES_OK);
        }
    }

    /** With TLS 1.3 the peer is through before the listener has looked at its certificate. */
    private static TestPeer secured(final OneGoSocket below, final HeldTrust trust) throws IOException {
        return TestPeer.gathering(below.secured(trust.peers()));
    }

    @ParameterizedTest
    @CsvSource({"EPOLL, OPENSSL", "NIO, OPENSSL", "EPOLL, JDK", "NIO, JDK"})
    @DisplayName(
            "a TLS handshake does not stand still that waits for our threads, and the peer's time begins with our answer")
    void tlsTask(final Choice transport, final Provider provider) throws Exception {
        final HeldTrust trust = new HeldTrust();
        try (SteppedListener listener = listener(trust, transport, provider, "handshakes.max", "1");
                OneGoSocket below = OneGoSocket.connect(listener.address());
                TestPeer peer = secured(below, trust)) {
            trust.awaitAsked();
            pass(STANDSTILL);
            listener.checkDeadlines();
            listener.assertNoFault();
            trust.answer();
            SteppedListener.awaiting().until(() -> listener.metrics().get(Counter.TLS_HANDSHAKES) == 1);
            listener.checkDeadlines();
            listener.assertNoFault();
            peer.negotiate();
            listener.passTime(clock, STANDSTILL.multipliedBy(2));
            listener.awaitFault(ConnectionFault.Kind.SLOW_PEER);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"OPENSSL", "JDK"})
    @DisplayName("a TLS handshake does not stand still whose task has ended, and whose answer has yet to leave")
    void tlsAnswer(final Provider provider) throws Exception {
        final HeldTrust trust = new HeldTrust();
        try (SteppedListener listener = listener(trust, Choice.EPOLL, provider, "handshakes.max", "1");
                OneGoSocket below = OneGoSocket.connect(listener.address());
                TestPeer peer = secured(below, trust)) {
            trust.awaitAsked();
            pass(STANDSTILL);
            listener.checkDeadlinesAround(() -> {
                trust.answer();
                // The comparison, what follows from the task, and that it has ended.
                listener.awaitPendingTasks(3);
                return null;
            });
            listener.assertNoFault();
            peer.negotiate();
        }
    }

    @ParameterizedTest
    @CsvSource({"EPOLL, OPENSSL", "NIO, JDK"})
    @DisplayName("a peer is not silent whose TLS record has come in part")
    void partOfRecord(final Choice transport, final Provider provider) throws Exception {
        final HeldTrust trust = new HeldTrust();
        trust.answer();
        try (SteppedListener listener = listener(trust, transport, provider);
                OneGoSocket below = OneGoSocket.connect(listener.address());
                TestPeer peer = secured(below, trust)) {
            peer.open(INPUT_PORT).push().flush();
            listener.awaitStep("ReceivePacketStep");
            pass(Duration.ofSeconds(20));
            below.holdBack();
            peer.packet(Map.of(), new byte[1_000]).flush();
            listener.checkDeadlinesBehind(() -> {
                below.releaseHalf();
                return null;
            });
            pass(Duration.ofSeconds(20));
            listener.checkDeadlines();
            listener.assertNoFault();
            below.release();
            peer.say(ResponseCode.FINISH_TRANSACTION)
                    .expectConfirmation()
                    .confirm()
                    .expect(ResponseCode.TRANSACTION_FINISHED);
            listener.assertNoFault();
        }
    }
}
