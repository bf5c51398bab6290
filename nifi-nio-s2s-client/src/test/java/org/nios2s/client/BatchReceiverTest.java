// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.protocol.HandshakeProperty;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;
import org.slf4j.LoggerFactory;

/** Batches that are pulled until one has enough of them. */
class BatchReceiverTest {
    @RegisterExtension
    private final ScriptedNifi scripted = new ScriptedNifi();

    private final ScriptedServer server = scripted.server();
    private final SiteToSite nifi = scripted.client();

    private void offer(final String name) {
        server.offered.add(new Received(Map.of("filename", name), name.getBytes()));
    }

    @Test
    void batchesComeUntilTheReceiverIsClosed() {
        final List<String> received = new CopyOnWriteArrayList<>();
        final BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            for (final ReceivedPacket packet : batch) {
                received.add(new String(packet.content().readAllBytes()));
            }
        });
        offer("a");
        await().until(() -> received.contains("a") && server.offered.isEmpty());
        offer("b");
        await().until(() -> received.contains("b") && server.offered.isEmpty());
        receiver.close();
        assertTrue(receiver.whenEnded().isDone());
        assertEquals(List.of("a", "b"), received);
    }

    @Test
    void confirmComesBeforeThePeerForgetsAndCommitBetweenThem() throws Exception {
        final CompletableFuture<Boolean> keptAtCommit = new CompletableFuture<>();
        offer("a");
        try (BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            batch.skipRest();
            batch.confirm();
            keptAtCommit.complete(server.finishedPulls.get() == 0);
        })) {
            assertTrue(Outcomes.await(keptAtCommit));
            await().until(() -> server.finishedPulls.get() == 1);
            assertFalse(receiver.whenEnded().isDone());
        }
    }

    @Test
    void aHandlerThatThrowsBeforeOrAfterConfirmGetsTheBatchAgain() {
        final AtomicInteger times = new AtomicInteger();
        offer("a");
        try (BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            final int time = times.incrementAndGet();
            if (time == 1) {
                throw new IOException("before");
            }
            batch.skipRest();
            batch.confirm();
            if (time == 2) {
                throw new IllegalStateException("between confirm and commit");
            }
        })) {
            await().until(() -> server.finishedPulls.get() == 1);
            assertEquals(3, times.get());
            assertFalse(receiver.whenEnded().isDone());
        }
    }

    @Test
    void aPeerThatComesBackIsServedAgain() {
        final Set<String> received = ConcurrentHashMap.newKeySet();
        server.at(Moment.HANDSHAKE, ScriptedServer.hangUp());
        try (BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            for (final ReceivedPacket packet : batch) {
                received.add(packet.attributes().get("filename"));
            }
        })) {
            await().until(() -> server.accepted.get() > 3);
            server.asUsual(Moment.HANDSHAKE);
            offer("a");
            await().until(() -> received.contains("a"));
            assertFalse(receiver.whenEnded().isDone());
        }
    }

    @Test
    void aPeerThatServesAndThenFailsAgainAndAgainIsLoggedOnce() {
        final Logger logger = (Logger) LoggerFactory.getLogger("org.nios2s.client.internal.DefaultBatchReceiver");
        final ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        final AtomicInteger times = new AtomicInteger();
        server.at(Moment.CONFIRM, wire -> {
            times.incrementAndGet();
            throw new IOException("does not confirm");
        });
        offer("a");
        try (BatchReceiver receiver = nifi.outputPort("port-id").receive(ReceivedBatch::skipRest)) {
            await().until(() -> times.get() > 5);
            assertFalse(receiver.whenEnded().isDone());
        } finally {
            logger.detachAppender(lines);
        }
        assertEquals(
                1,
                lines.list.stream()
                        .filter(line -> line.getLevel() == Level.WARN)
                        .filter(line -> line.getFormattedMessage().contains("CONFIRM"))
                        .count());
    }

    @Test
    void aPortThatIsNotThereEndsTheReceiver() {
        server.at(Moment.HANDSHAKE, ScriptedServer.answer(ResponseCode.UNKNOWN_PORT));
        try (BatchReceiver receiver = nifi.outputPort("port-id").endOnRefusal().receive(batch -> {})) {
            assertEquals(
                    FailureReason.UNKNOWN_PORT,
                    Outcomes.failureOf(receiver.whenEnded()).reason());
        }
    }

    @Test
    void aRefusalThatIsTakenBackDoesNotEndTheReceiver() throws Exception {
        server.at(Moment.HANDSHAKE, wire -> {
            server.asUsual(Moment.HANDSHAKE);
            wire.say(ResponseCode.UNAUTHORIZED, "not yet");
            return true;
        });
        offer("a");
        try (BatchReceiver receiver = nifi.outputPort("port-id").receive(ReceivedBatch::skipRest)) {
            await().until(() -> server.offered.isEmpty());
            assertFalse(receiver.whenEnded().isDone());
        }
    }

    @Test
    void closingWaitsForTheBatchInHand() throws Exception {
        final CountDownLatch inHand = new CountDownLatch(1);
        final CountDownLatch hold = new CountDownLatch(1);
        offer("a");
        final BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            inHand.countDown();
            hold.await();
            batch.skipRest();
        });
        inHand.await();
        final CompletableFuture<Void> closing = CompletableFuture.runAsync(receiver::close);
        hold.countDown();
        Outcomes.await(closing);
        await().until(() -> server.finishedPulls.get() == 1);
    }

    @Test
    void asManyBatchesAreHandledAtATimeAsAllowed() throws Exception {
        final CountDownLatch three = new CountDownLatch(3);
        offer("a");
        try (BatchReceiver receiver = nifi.outputPort("port-id")
                .receive(
                        batch -> {
                            three.countDown();
                            three.await();
                        },
                        3)) {
            three.await();
            assertFalse(receiver.whenEnded().isDone());
        }
    }

    /** The packet that was offered is received, and so is another one. */
    private void assertGoesOn(final BatchReceiver receiver) {
        await().until(() -> server.finishedPulls.get() == 1);
        offer("b");
        await().until(() -> server.finishedPulls.get() == 2);
        assertFalse(receiver.whenEnded().isDone());
    }

    @Test
    void aHandlerThatLeavesTheInterruptFlagSetEndsNothing() {
        final AtomicInteger handled = new AtomicInteger();
        offer("a");
        try (BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            batch.skipRest();
            handled.incrementAndGet();
            Thread.currentThread().interrupt();
        })) {
            assertGoesOn(receiver);
        }
        assertEquals(2, handled.get());
    }

    @Test
    void aHandlerThatThrowsAndLeavesTheInterruptFlagSetEndsNothing() {
        final AtomicInteger handled = new AtomicInteger();
        offer("a");
        try (BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            if (handled.incrementAndGet() == 1) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted");
            }
            batch.skipRest();
        })) {
            await().until(() -> server.finishedPulls.get() == 1);
            assertFalse(receiver.whenEnded().isDone());
        }
    }

    @Test
    void closingWithinTheHandlerStopsAndDoesNotHang() throws Exception {
        final CompletableFuture<BatchReceiver> itself = new CompletableFuture<>();
        offer("a");
        itself.complete(nifi.outputPort("port-id").receive(batch -> {
            itself.join().close();
            batch.skipRest();
        }));
        Outcomes.await(itself.join().whenEnded());
        await().until(() -> server.finishedPulls.get() == 1);
    }

    @Test
    void closingTheClientWithinAHandlerWaitsForNoneOfItsOwn() throws Exception {
        final CompletableFuture<Duration> took = new CompletableFuture<>();
        offer("a");
        nifi.outputPort("port-id").receive(batch -> {
            final long started = System.nanoTime();
            nifi.close(Outcomes.NEVER.multipliedBy(2));
            took.complete(Duration.ofNanos(System.nanoTime() - started));
        });
        Outcomes.await(took);
    }

    @Test
    void closingTheClientWithinAPullsHandlerWaitsForNoneOfItsOwn() throws Exception {
        offer("a");
        final CompletableFuture<TransactionResult> pulled =
                nifi.outputPort("port-id").pull(batch -> nifi.close(Outcomes.NEVER.multipliedBy(2)));
        assertEquals(FailureReason.CLIENT_CLOSED, Outcomes.failureOf(pulled).reason());
        assertEquals(1, server.offered.size());
    }

    @Test
    void stoppingOnlyAsksAndTheBatchInHandIsFinished() throws Exception {
        final CountDownLatch inHand = new CountDownLatch(1);
        final CountDownLatch hold = new CountDownLatch(1);
        offer("a");
        final BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            inHand.countDown();
            hold.await();
            batch.skipRest();
        });
        inHand.await();
        receiver.stop();
        assertFalse(receiver.whenEnded().isDone());
        hold.countDown();
        Outcomes.await(receiver.whenEnded());
        await().until(() -> server.finishedPulls.get() == 1);
        assertTrue(receiver.close(Duration.ZERO));
    }

    @Test
    void closingInTimeLeavesNiFiWhatIsNotOverAndInterruptsItsHandler() throws Exception {
        final CountDownLatch inHand = new CountDownLatch(1);
        final CompletableFuture<Throwable> heard = new CompletableFuture<>();
        offer("a");
        final BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            inHand.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (final InterruptedException e) {
                heard.complete(e);
                throw e;
            }
        });
        inHand.await();
        assertFalse(receiver.close(Duration.ofMillis(10)));
        Outcomes.await(heard);
        Outcomes.await(receiver.whenEnded());
        assertEquals(0, server.finishedPulls.get());
        assertEquals(1, server.offered.size());
    }

    @Test
    void closingInTimeWaitsForNoPeerThatIsSilent() throws Exception {
        server.at(Moment.FIRST_PACKET, server.stall());
        final BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {});
        await().until(() -> nifi.statistics().inFlight() == 1);
        assertFalse(receiver.close(Duration.ofMillis(10)));
        Outcomes.await(receiver.whenEnded());
    }

    @Test
    void aBlockedHandlerIsInterruptedWhenItsTransactionEnds() throws Exception {
        final CompletableFuture<Throwable> heard = new CompletableFuture<>();
        server.at(Moment.FIRST_PACKET, wire -> {
            wire.say(ResponseCode.MORE_DATA);
            wire.out.writeInt(0);
            wire.out.writeLong(0);
            wire.say(ResponseCode.FINISH_TRANSACTION);
            throw new IOException("leaves");
        });
        try (BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            try {
                new CountDownLatch(1).await();
            } catch (final InterruptedException e) {
                heard.complete(e);
                throw e;
            }
        })) {
            Outcomes.await(heard);
            assertFalse(receiver.whenEnded().isDone());
        }
    }

    @Test
    void theReceiverEndsWhenItsLastHandlerHasReturned() throws Exception {
        final CountDownLatch inHand = new CountDownLatch(1);
        final CountDownLatch hold = new CountDownLatch(1);
        final SiteToSite closed = NioSiteToSite.builder()
                .address("127.0.0.1", server.port())
                .shutdownTimeout(Duration.ofMillis(1))
                .build();
        offer("a");
        final BatchReceiver receiver = closed.outputPort("port-id")
                .receive(
                        batch -> {
                            inHand.countDown();
                            awaitDeafly(hold);
                        },
                        2);
        inHand.await();
        // Ends the other thread, and the transaction of the one that goes on.
        closed.close();
        await().during(Duration.ofMillis(100)).until(() -> !receiver.whenEnded().isDone());
        hold.countDown();
        assertEquals(
                FailureReason.CLIENT_CLOSED,
                Outcomes.failureOf(receiver.whenEnded()).reason());
        assertEquals(0, server.finishedPulls.get());
    }

    private static void awaitDeafly(final CountDownLatch hold) {
        while (hold.getCount() > 0) {
            try {
                hold.await();
            } catch (final InterruptedException e) {
                // As a handler that does not care.
            }
        }
    }

    private static ScriptedServer.Action refuse(final ResponseCode code) {
        return ScriptedServer.portOnly(
                code.containsMessage() ? ScriptedServer.answer(code, "no") : ScriptedServer.answer(code));
    }

    @ParameterizedTest
    @EnumSource(
            value = ResponseCode.class,
            names = {"UNAUTHORIZED", "UNKNOWN_PORT", "MISSING_PROPERTY"})
    void oneNodeOfAClusterThatRefusesDoesNotEndTheReceiver(final ResponseCode refusal) throws Exception {
        try (ScriptedServer other = new ScriptedServer();
                ScriptedSite site = new ScriptedSite(server.port());
                SiteToSite cluster = NioSiteToSite.builder().url(site.url()).build()) {
            ScriptedServer.cluster(server, 5, other, 5);
            other.at(Moment.HANDSHAKE, refuse(refusal));
            try (BatchReceiver receiver =
                    cluster.outputPort("out").endOnRefusal().receive(ReceivedBatch::skipRest, 2)) {
                await().until(() -> other.handshakes.stream()
                        .anyMatch(said -> said.containsKey(HandshakeProperty.PORT_IDENTIFIER)));
                offer("a");
                await().until(() -> server.offered.isEmpty());
                assertFalse(receiver.whenEnded().isDone());
                server.at(Moment.HANDSHAKE, refuse(refusal));
                server.at(Moment.FIRST_PACKET, ScriptedServer.hangUp());
                Outcomes.failureOf(receiver.whenEnded());
            }
        }
    }

    @Test
    void aHandlerThatCompletesTheBatchItselfAndFailsThenGetsItOnce() {
        final AtomicInteger handled = new AtomicInteger();
        offer("a");
        try (BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            batch.skipRest();
            batch.complete();
            if (handled.incrementAndGet() == 1) {
                throw new IllegalStateException("too late");
            }
        })) {
            assertGoesOn(receiver);
        }
        assertEquals(2, handled.get());
    }

    @Test
    void aHandlerThatClosesItsBatchOrThrowsAnErrorGetsItAgain() {
        final AtomicInteger handled = new AtomicInteger();
        offer("a");
        try (BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            batch.skipRest();
            switch (handled.incrementAndGet()) {
                case 1 -> batch.close();
                case 2 -> throw new StackOverflowError("deep");
                default -> batch.confirm();
            }
        })) {
            await().until(() -> server.finishedPulls.get() == 1);
            assertFalse(receiver.whenEnded().isDone());
        }
        assertEquals(3, handled.get());
    }
}
