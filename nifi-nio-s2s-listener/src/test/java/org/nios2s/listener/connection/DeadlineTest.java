// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.peers.TestPeer;

/** What a transaction may take, in time, and what a stopped port does to it. Lives on the test's thread. */
class DeadlineTest extends OnePeer {
    private void open(final DepartureTest.Moment moment) throws Exception {
        moment.reach(peer);
        peer.flush();
        listener.awaitStep(moment.step());
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "IN_CODEC",
                "BEFORE_FIRST_PACKET",
                "IN_ATTRIBUTES",
                "IN_CONTENT",
                "IN_COMPRESSED_CONTENT",
                "BEHIND_PACKET",
                "BETWEEN_PACKETS",
                "BEFORE_CONFIRMATION"
            })
    @DisplayName("a peer that is silent for its own request expiration within a request is closed")
    void silentWithinRequest(final DepartureTest.Moment moment) throws Exception {
        open(moment);
        listener.checkDeadlinesAfter(Duration.ofSeconds(29));
        listener.assertNoFault();
        listener.checkDeadlinesAfter(Duration.ofSeconds(31));
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.IDLE_TIMEOUT);
        assertEquals(0, listener.input().commits());
    }

    @Test
    @DisplayName(
            "a peer without an expiration that is silent between requests for longer than the setting allows is closed")
    void silentBetweenRequests() throws Exception {
        try (SteppedListener strict = new SteppedListener("idle.timeout", "10 mins");
                TestPeer idle = strict.connect().open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", "0")) {
            strict.checkDeadlinesAfter(Duration.ofMinutes(9));
            strict.assertNoFault();
            strict.checkDeadlinesAfter(Duration.ofMinutes(11));
            idle.expectEnd();
            strict.awaitFault(ConnectionFault.Kind.IDLE_TIMEOUT);
        }
    }

    @Test
    @DisplayName("a peer that is silent between requests is never closed where the setting is 0")
    void silentForEver() throws Exception {
        try (SteppedListener patient = new SteppedListener("idle.timeout", "0");
                TestPeer idle = patient.connect().open(INPUT_PORT)) {
            patient.checkDeadlinesAfter(Duration.ofDays(365));
            patient.assertNoFault();
            idle.pushPacket("a").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "BEFORE_FIRST_PACKET",
                "IN_ATTRIBUTES",
                "IN_CONTENT",
                "IN_COMPRESSED_CONTENT",
                "BEHIND_PACKET",
                "BETWEEN_PACKETS",
                "BEFORE_CONFIRMATION"
            })
    @DisplayName("a port that is stopped in mid-transaction cuts the peer off")
    void portStopped(final DepartureTest.Moment moment) throws Exception {
        open(moment);
        listener.input().running(false);
        listener.checkDeadlinesAfter(Duration.ZERO);
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PORT_NOT_RUNNING);
        assertEquals(0, listener.input().commits());
    }

    @Test
    @DisplayName("a port that is stopped and started again between two looks at it keeps its transactions")
    void portRestarted() throws Exception {
        open(DepartureTest.Moment.BEHIND_PACKET);
        listener.input().running(false);
        listener.input().running(true);
        listener.checkDeadlinesAfter(Duration.ZERO);
        peer.say(ResponseCode.FINISH_TRANSACTION)
                .expectConfirmation()
                .confirm()
                .expect(ResponseCode.TRANSACTION_FINISHED);
        listener.assertNoFault();
    }

    @Test
    @DisplayName("a port that is stopped while a transaction waits for it cuts the peer off, and starts empty")
    void portStoppedBeforeCommit() throws Exception {
        listener.input().scheduled(false);
        peer.open(INPUT_PORT).pushPacket("a").confirm().flush();
        listener.awaitStep("AwaitCommitStep");
        SteppedListener.awaiting().until(() -> listener.input().inPort() == 1);
        listener.input().running(false);
        listener.checkDeadlinesAfter(Duration.ZERO);
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PORT_NOT_RUNNING);
        listener.input().running(true);
        listener.input().scheduled(true);
        try (TestPeer next = listener.connect()) {
            next.open(INPUT_PORT).pushPacket("b").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
        assertEquals(1, listener.input().committed().size());
    }

    @Test
    @DisplayName("a port that is stopped during a commit finishes that transaction")
    void portStoppedDuringCommit() throws Exception {
        final CountDownLatch committing = new CountDownLatch(1);
        final CountDownLatch mayCommit = new CountDownLatch(1);
        listener.input().beforeCommit(flowFiles -> {
            committing.countDown();
            SteppedListener.awaiting().until(() -> mayCommit.getCount() == 0);
        });
        peer.open(INPUT_PORT).pushPacket("a").confirm().flush();
        SteppedListener.awaiting().until(() -> committing.getCount() == 0);
        listener.input().running(false);
        listener.checkDeadlinesAfter(Duration.ZERO);
        mayCommit.countDown();
        peer.expect(ResponseCode.TRANSACTION_FINISHED);
        listener.assertNoFault();
    }

    @ParameterizedTest
    @ValueSource(longs = {30_000, 2_000})
    @DisplayName("a confirmed transaction that no port task takes expires just before its peer stops waiting")
    void expires(final long expirationMillis) throws Exception {
        listener.input().scheduled(false);
        peer.open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", String.valueOf(expirationMillis));
        peer.pushPacket("a").confirm().flush();
        listener.awaitStep("AwaitCommitStep");
        listener.checkDeadlinesAfter(Duration.ofMillis(expirationMillis / 2));
        listener.assertNoFault();
        listener.checkDeadlinesAfter(Duration.ofMillis(expirationMillis));
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.REQUEST_EXPIRED);
        assertEquals(0, listener.dispatchers().waiting());
    }

    @Test
    @DisplayName("a confirmed transaction of a peer that waits for ever does not expire")
    void neverExpires() throws Exception {
        listener.input().scheduled(false);
        peer.open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", "0");
        peer.pushPacket("a").confirm().flush();
        listener.awaitStep("AwaitCommitStep");
        listener.checkDeadlinesAfter(Duration.ofDays(1));
        listener.input().scheduled(true);
        peer.expect(ResponseCode.TRANSACTION_FINISHED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5_000_000})
    @DisplayName(
            "a peer whose line is lost behind its confirmation sends again: what it stopped waiting for is not committed")
    void lostLine(final int bytes) throws Exception {
        final long expirationMillis = 400;
        stop();
        final AtomicLong clock = new AtomicLong();
        listener = new SteppedListener(clock::get);
        peer = listener.connect();
        peer.open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", String.valueOf(expirationMillis));
        peer.push()
                .packet(Map.of(), new byte[bytes])
                .say(ResponseCode.FINISH_TRANSACTION)
                .expectConfirmation();
        listener.input().scheduled(false);
        peer.confirm().flush();
        listener.awaitStep("AwaitCommitStep");
        // No look at deadlines comes in between: the port task itself must not take what is too late.
        clock.set(TimeUnit.MILLISECONDS.toNanos(expirationMillis) + 1);
        listener.input().scheduled(true);
        SteppedListener.awaiting().until(() -> listener.input().inPort() == 0);
        listener.checkDeadlinesAfter(Duration.ZERO);
        listener.awaitFault(ConnectionFault.Kind.REQUEST_EXPIRED);
        assertEquals(0, listener.input().commits());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5_000_000})
    @DisplayName("a transaction that a port task has does not expire, whether it was held in memory or streamed")
    void doesNotExpireInService(final int bytes) throws Exception {
        final CountDownLatch committing = new CountDownLatch(1);
        final CountDownLatch mayCommit = new CountDownLatch(1);
        listener.input().beforeCommit(flowFiles -> {
            committing.countDown();
            SteppedListener.awaiting().until(() -> mayCommit.getCount() == 0);
        });
        peer.open(INPUT_PORT)
                .push()
                .packet(Map.of(), new byte[bytes])
                .say(ResponseCode.FINISH_TRANSACTION)
                .expectConfirmation()
                .confirm()
                .flush();
        SteppedListener.awaiting().until(() -> committing.getCount() == 0);
        listener.checkDeadlinesAfter(Duration.ofDays(1));
        mayCommit.countDown();
        peer.expect(ResponseCode.TRANSACTION_FINISHED);
    }

    @Test
    @DisplayName("a full queue of the port lets no further transaction begin, and lets it begin when there is room")
    void fullQueue() throws Exception {
        try (SteppedListener narrow = new SteppedListener("request.queue.size", "1");
                TestPeer first = narrow.connect().open(INPUT_PORT);
                TestPeer second = narrow.connect().open(INPUT_PORT)) {
            narrow.input().scheduled(false);
            first.pushPacket("a").confirm().flush();
            SteppedListener.awaiting().until(() -> narrow.input().inPort() == 1);
            second.push()
                    .packet(Map.of(), new byte[1])
                    .say(ResponseCode.FINISH_TRANSACTION)
                    .flush();
            narrow.awaitStep("AdmitTransactionStep");
            narrow.input().scheduled(true);
            first.expect(ResponseCode.TRANSACTION_FINISHED);
            second.expectConfirmation().confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            narrow.assertNoFault();
        }
    }

    @Test
    @DisplayName("a peer that gives up its place in the queue's waiting line does not hold up those behind it")
    void leavesWaitingLine() throws Exception {
        try (SteppedListener narrow = new SteppedListener("request.queue.size", "1");
                TestPeer first = narrow.connect().open(INPUT_PORT);
                TestPeer second = narrow.connect().open(INPUT_PORT)) {
            narrow.input().scheduled(false);
            first.pushPacket("a").confirm().flush();
            SteppedListener.awaiting().until(() -> narrow.input().inPort() == 1);
            final TestPeer quitter = narrow.connect().open(INPUT_PORT);
            quitter.push().flush();
            narrow.awaitStep("AdmitTransactionStep");
            quitter.reset();
            second.push()
                    .packet(Map.of(), new byte[1])
                    .say(ResponseCode.FINISH_TRANSACTION)
                    .flush();
            SteppedListener.awaiting().until(() -> narrow.metrics().openConnections() == 2);
            narrow.input().scheduled(true);
            first.expect(ResponseCode.TRANSACTION_FINISHED);
            second.expectConfirmation().confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
    }

    @Test
    @DisplayName("a peer that waits in a line gives way where there are too many connections")
    void givesWay() throws Exception {
        final String[] patient = {"REQUEST_EXPIRATION_MILLIS", "0"};
        try (SteppedListener narrow = new SteppedListener("request.queue.size", "1", "connections.max", "3");
                TestPeer first = narrow.connect().open(INPUT_PORT, patient);
                TestPeer second = narrow.connect().open(INPUT_PORT, patient);
                TestPeer third = narrow.connect().open(INPUT_PORT, patient)) {
            narrow.input().scheduled(false);
            first.pushPacket("a").confirm().flush();
            SteppedListener.awaiting().until(() -> narrow.input().inPort() == 1);
            second.push().flush();
            narrow.awaitAnyStep("AdmitTransactionStep");
            third.push().flush();
            narrow.awaitStep("AdmitTransactionStep");
            try (TestPeer newcomer = narrow.connect().open(INPUT_PORT)) {
                second.expectEnd();
                narrow.awaitFault(ConnectionFault.Kind.TOO_MANY_CONNECTIONS);
                narrow.input().scheduled(true);
                first.expect(ResponseCode.TRANSACTION_FINISHED);
                third.packet(Map.of(), new byte[1])
                        .say(ResponseCode.FINISH_TRANSACTION)
                        .expectConfirmation();
                newcomer.push().flush();
            }
        }
    }

    @Test
    @DisplayName("of connections that come all at once no more stay than there may be")
    void burst() throws Exception {
        final int most = 2;
        final int burst = 10;
        final List<TestPeer> peers = new ArrayList<>();
        try (SteppedListener narrow = new SteppedListener("connections.max", String.valueOf(most))) {
            for (int i = 0; i < most; i++) {
                peers.add(narrow.connect().open(INPUT_PORT));
            }
            narrow.whileWorkerRests(() -> {
                for (int i = 0; i < burst; i++) {
                    peers.add(narrow.connect());
                }
                return null;
            });
            SteppedListener.awaiting().until(() -> narrow.metrics().get(Counter.CONNECTIONS_ACCEPTED) == most + burst);
            SteppedListener.awaiting().until(() -> narrow.metrics().openConnections() == most);
        } finally {
            for (final TestPeer each : peers) {
                each.close();
            }
        }
    }

    @Test
    @DisplayName("a push that pauses is not too slow for being one of as many connections as there may be")
    void pausesBesideIdle() throws Exception {
        try (SteppedListener narrow = new SteppedListener("connections.max", "2");
                TestPeer idle = narrow.connect().open(INPUT_PORT);
                TestPeer honest = narrow.connect().open(INPUT_PORT)) {
            honest.push().packet(Map.of(), new byte[1]).flush();
            narrow.awaitStep("ReceiveIndicatorStep");
            narrow.checkDeadlinesAfter(Duration.ofSeconds(4));
            narrow.checkDeadlinesAfter(Duration.ofSeconds(8));
            honest.say(ResponseCode.FINISH_TRANSACTION)
                    .expectConfirmation()
                    .confirm()
                    .expect(ResponseCode.TRANSACTION_FINISHED);
            narrow.assertNoFault();
            idle.push().flush();
        }
    }
}
