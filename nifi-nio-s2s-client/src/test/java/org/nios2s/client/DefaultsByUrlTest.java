// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.assertFails;
import static org.nios2s.client.Outcomes.packet;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nios2s.client.ScriptedServer.Moment;

/** One NiFi that is known by its URL, with the settings that a user has who sets none. */
class DefaultsByUrlTest {
    private static final int RECORDS = 1_000;

    private ScriptedServer server;
    private ScriptedSite site;
    private SiteToSite nifi;
    private final List<FailureReason> retried = new CopyOnWriteArrayList<>();

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        server.peers.put("127.0.0.1", new int[] {server.port(), 5});
        site = new ScriptedSite(server.port());
        nifi = site().build();
    }

    private SiteToSite.Builder site() {
        return NioSiteToSite.builder().url(site.url()).observer(new ClientObserver() {
            @Override
            public void retrying(
                    final Direction direction,
                    final TransactionException failure,
                    final int attempts,
                    final Duration pause) {
                retried.add(failure.reason());
            }
        });
    }

    @AfterEach
    void stop() throws IOException {
        nifi.close();
        site.close();
        server.close();
    }

    private InputPort in() {
        return nifi.inputPort("in");
    }

    private void atFirst(final Moment moment, final ScriptedServer.Action action) {
        final AtomicBoolean happened = new AtomicBoolean();
        server.at(moment, wire -> happened.compareAndSet(false, true) && action.happen(wire));
    }

    @Test
    void oneLostConnectionFailsNobody() throws Exception {
        Outcomes.await(in().send(packet("warm")));
        atFirst(Moment.CONFIRM, ScriptedServer.hangUp());
        final CompletableFuture<TransactionResult> hit = in().send(packet("a"));
        await().until(() -> retried.contains(FailureReason.CONNECTION_LOST));
        assertEquals(1, Outcomes.await(in().send(packet("b"))).packets());
        assertEquals(1, Outcomes.await(hit).packets());
        assertEquals(3, server.committed.size());
        assertEquals(List.of(FailureReason.CONNECTION_LOST), retried);
    }

    @Test
    void aDestinationThatIsFullAfterATransactionFailsNoRecord() throws Exception {
        atFirst(Moment.FINISHED, ScriptedServer.answer(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL));
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        try (BatchingSender sender = in().batching(100, Duration.ofMillis(20))) {
            for (int i = 0; i < RECORDS; i++) {
                sent.add(sender.send(packet("x" + i)));
            }
        }
        for (final CompletableFuture<TransactionResult> each : sent) {
            Outcomes.await(each);
        }
        assertEquals(RECORDS, server.committed.size());
    }

    @Test
    void aFullDestinationIsWaitedOutAndCountsAsNoAttempt() throws Exception {
        final AtomicInteger refusals = new AtomicInteger();
        server.at(Moment.HANDSHAKE, ScriptedServer.portOnly(wire -> {
            if (refusals.incrementAndGet() > 4) {
                return false;
            }
            wire.say(ResponseCode.PORTS_DESTINATION_FULL);
            return true;
        }));
        final InputPort twice = in().withRetry(RetryPolicy.standard()
                .withMaxAttempts(2)
                .withBackoff(Duration.ofMillis(1), Duration.ofMillis(5)));
        assertEquals(1, Outcomes.await(twice.send(packet("a"))).packets());
        assertTrue(refusals.get() > 4);
    }

    /** They share a pool, whose pauses are longer than a third of what one of them waits. */
    @Test
    void aFullDestinationIsWaitedOutByManySendsAtATime() throws Exception {
        nifi.close();
        nifi = site().idleTimeout(Duration.ofSeconds(5))
                .reconnectBackoff(Duration.ofSeconds(2), Duration.ofSeconds(2))
                .build();
        final int together = 10;
        final AtomicInteger refusals = new AtomicInteger();
        server.at(Moment.HANDSHAKE, ScriptedServer.portOnly(wire -> {
            if (refusals.incrementAndGet() > together + 2) {
                return false;
            }
            wire.say(ResponseCode.PORTS_DESTINATION_FULL);
            return true;
        }));
        final InputPort once = in().withRetry(RetryPolicy.standard()
                .withMaxAttempts(2)
                .withBackoff(Duration.ofMillis(1), Duration.ofMillis(5)));
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        for (int i = 0; i < together; i++) {
            sent.add(once.send(packet("a" + i)));
        }
        for (final CompletableFuture<TransactionResult> each : sent) {
            assertEquals(1, Outcomes.await(each).packets());
        }
        assertEquals(Set.of(FailureReason.DESTINATION_FULL), Set.copyOf(retried));
    }

    @Test
    void aPortThatIsStoppedIsSaidToBe() {
        server.at(
                Moment.HANDSHAKE,
                ScriptedServer.portOnly(ScriptedServer.answer(ResponseCode.PORT_NOT_IN_VALID_STATE, "is stopped")));
        final TransactionException failure = assertFails(
                in().withRetry(RetryPolicy.standard().withMaxAttempts(3)).send(packet("a")),
                TransactionStep.HANDSHAKE,
                FailureReason.PORT_NOT_RUNNING);
        assertEquals(3, failure.attempts());
        assertEquals(
                List.of(FailureReason.PORT_NOT_RUNNING, FailureReason.PORT_NOT_RUNNING),
                Arrays.stream(failure.getSuppressed())
                        .map(each -> ((TransactionException) each).reason())
                        .toList());
    }

    @Test
    void theDeliveryTimeoutEndsTheAttemptsWithTheLastFailure() {
        nifi.close();
        nifi = site().deliveryTimeout(Duration.ofSeconds(2))
                .retry(RetryPolicy.standard().withBackoff(Duration.ofMillis(10), Duration.ofMillis(100)))
                .build();
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
        final TransactionException failure =
                assertFails(in().send(packet("a")), TransactionStep.CONFIRM, FailureReason.CONNECTION_LOST);
        assertTrue(failure.attempts() > 1, "attempts: " + failure.attempts());
    }

    @Test
    void aNodeThatRestartsIsWaitedFor() throws Exception {
        Outcomes.await(in().send(packet("warm")));
        final int port = server.port();
        server.close();
        final CompletableFuture<TransactionResult> sent = in().send(packet("a"));
        await().until(() -> retried.size() > 2);
        server = new ScriptedServer(port, null);
        assertEquals(1, Outcomes.await(sent).packets());
    }

    /** Blocks as a source does that waits for something else. */
    private static Packet neverReady() {
        return Packet.ofSupplier(
                Map.of(),
                () -> new InputStream() {
                    @Override
                    public int read() throws IOException {
                        try {
                            new CountDownLatch(1).await();
                        } catch (final InterruptedException e) {
                            throw new InterruptedIOException();
                        }
                        throw new EOFException();
                    }
                },
                10);
    }

    @Test
    void theDeadlineOfOneCallerDoesNotSetThePeerAsideForOthers() throws Exception {
        nifi.close();
        nifi = site().retry(RetryPolicy.never()).build();
        Outcomes.await(in().send(packet("warm")));
        assertEquals(
                FailureReason.DEADLINE_EXCEEDED,
                Outcomes.failureOf(in().withDeadline(Duration.ofMillis(200)).send(neverReady()))
                        .reason());
        assertEquals(1, Outcomes.await(in().send(packet("b"))).packets());
    }

    @Test
    void aPoolWithoutAFreeConnectionDoesNotSetThePeerAside() throws Exception {
        nifi.close();
        nifi = site().maxConnections(1).retry(RetryPolicy.never()).build();
        Outcomes.await(in().send(packet("warm")));
        final CompletableFuture<TransactionResult> holding = in().send(neverReady());
        await().until(() -> nifi.statistics().inFlight() == 1);
        assertFails(
                in().withIdleTimeout(Duration.ofMillis(100)).send(packet("a")),
                TransactionStep.WAIT_FOR_CONNECTION,
                FailureReason.IDLE_TIMEOUT);
        holding.cancel(false);
        assertEquals(1, Outcomes.await(in().send(packet("b"))).packets());
    }
}
