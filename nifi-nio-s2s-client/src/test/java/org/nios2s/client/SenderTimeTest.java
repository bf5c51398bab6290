// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.packet;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.ScriptedServer.Moment;

/** How long a record given to a batching sender, and the sender's close, take at most. */
class SenderTimeTest {
    private static final Duration DELIVERY = Duration.ofSeconds(2);

    /** What a busy machine may need beyond it; ten rounds of the delivery time-out, four transactions at a time, are more. */
    private static final Duration MARGIN = DELIVERY.multipliedBy(5);

    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static SiteToSite.Builder nothingAt(final int port) {
        return NioSiteToSite.builder().address("127.0.0.1", port).deliveryTimeout(DELIVERY);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 500, 20_000})
    void whileNiFiIsDownEachRecordIsOverWithinItsTimeAndSoIsTheClose(final int records) throws Exception {
        final AtomicLong last = new AtomicLong();
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        try (SiteToSite nifi = nothingAt(closedPort()).build()) {
            final BatchingSender sender = nifi.inputPort("port-id").batching(BatchingOptions.standard());
            for (int i = 0; i < records; i++) {
                final long given = System.nanoTime();
                final CompletableFuture<TransactionResult> future = sender.send(packet("p" + i));
                future.whenComplete((done, failure) -> last.accumulateAndGet(System.nanoTime() - given, Math::max));
                sent.add(future);
            }
            final long closing = System.nanoTime();
            sender.close();
            last.accumulateAndGet(System.nanoTime() - closing, Math::max);
        }
        for (final CompletableFuture<TransactionResult> future : sent) {
            assertFalse(Outcomes.failureOf(future).isOutcomeUnknown());
        }
        assertTrue(last.get() < MARGIN.toNanos(), last + " ns for " + DELIVERY);
    }

    @Test
    void theDeadlineOfARecordStartsWhenItIsGiven() throws Exception {
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        final long started = System.nanoTime();
        try (SiteToSite nifi = NioSiteToSite.builder()
                        .address("127.0.0.1", closedPort())
                        .deadline(DELIVERY)
                        .build();
                BatchingSender sender = nifi.inputPort("port-id")
                        .batching(BatchingOptions.standard().withMaxPackets(10).inOrder())) {
            for (int i = 0; i < 50; i++) {
                sent.add(sender.send(packet("p" + i)));
            }
        }
        assertTrue(System.nanoTime() - started < MARGIN.toNanos());
        for (final CompletableFuture<TransactionResult> future : sent) {
            assertFalse(Outcomes.failureOf(future).isOutcomeUnknown());
        }
    }

    @Test
    void aSendThatWaitsForRoomMayBeBounded() throws Exception {
        try (SiteToSite nifi = nothingAt(closedPort()).build();
                BatchingSender sender = nifi.inputPort("port-id")
                        .batching(BatchingOptions.standard().withMaxPending(1, 1 << 20))) {
            sender.send(packet("takes the room"));
            assertEquals(
                    FailureReason.TOO_MANY_PENDING,
                    Outcomes.failureOf(sender.send(packet("a"), Duration.ofMillis(10)))
                            .reason());
        }
    }

    @Test
    void aCloseThatIsBoundedLeavesTheRestWithAnOutcome() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                SiteToSite nifi = NioSiteToSite.builder()
                        .address("127.0.0.1", server.port())
                        .build()) {
            server.at(Moment.CONFIRM, server.stall());
            final BatchingSender sender = nifi.inputPort("port-id")
                    .batching(BatchingOptions.standard().withMaxPackets(1).inOrder());
            final CompletableFuture<TransactionResult> running = sender.send(packet("running"));
            final CompletableFuture<TransactionResult> waiting = sender.send(packet("waiting"));
            assertFalse(sender.close(Duration.ofMillis(300)));
            assertEquals(
                    FailureReason.CLIENT_CLOSED, Outcomes.failureOf(waiting).reason());
            assertEquals(
                    FailureReason.CLIENT_CLOSED, Outcomes.failureOf(running).reason());
            assertFalse(Outcomes.failureOf(running).isOutcomeUnknown());
            assertEquals(0, server.committed.size());
        }
    }

    @Test
    void aCloseWithoutATimeEndsWhatItsPeerNeverEnds() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                SiteToSite nifi = NioSiteToSite.builder()
                        .address("127.0.0.1", server.port())
                        .idleTimeout(Outcomes.NEVER)
                        .deliveryTimeout(Duration.ofMillis(500))
                        .shutdownTimeout(Duration.ofMillis(500))
                        .build()) {
            server.at(Moment.CONFIRM, server.stall());
            final BatchingSender sender = nifi.inputPort("port-id").batching(BatchingOptions.standard());
            final CompletableFuture<TransactionResult> running = sender.send(packet("running"));
            CompletableFuture.runAsync(sender::close).get(MARGIN.toSeconds(), TimeUnit.SECONDS);
            assertEquals(
                    FailureReason.CLIENT_CLOSED, Outcomes.failureOf(running).reason());
        }
    }

    @Test
    void aCloseWithNothingLeftSaysSo() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                SiteToSite nifi = NioSiteToSite.builder()
                        .address("127.0.0.1", server.port())
                        .build()) {
            final BatchingSender sender = nifi.inputPort("port-id").batching(BatchingOptions.standard());
            final CompletableFuture<TransactionResult> sent = sender.send(packet("a"));
            assertTrue(sender.close(Outcomes.NEVER));
            assertEquals(1, Outcomes.await(sent).packets());
        }
    }

    private static void awaitAge(final long sinceNanos, final Duration age) {
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Outcomes.NEVER)
                .until(() -> System.nanoTime() - sinceNanos >= age.toNanos());
    }

    private static RetryPolicy quick(final Duration deliveryTimeout) {
        return RetryPolicy.standard()
                .withDeliveryTimeout(deliveryTimeout)
                .withBackoff(Duration.ofMillis(1), Duration.ofMillis(20));
    }

    private static List<String> names(final ScriptedServer server) {
        return server.committed.stream()
                .map(received -> received.attributes().get("filename"))
                .toList();
    }

    @Test
    void aRecordIsNotFailedByTheTimeOfAnOlderOneOfItsTransaction() throws Exception {
        final Duration delivery = Duration.ofSeconds(6);
        final int port = closedPort();
        try (SiteToSite nifi = NioSiteToSite.builder()
                        .address("127.0.0.1", port)
                        .reconnectBackoff(Duration.ofMillis(1), Duration.ofMillis(20))
                        .retry(quick(delivery))
                        .build();
                BatchingSender sender = nifi.inputPort("port-id")
                        .batching(BatchingOptions.standard()
                                .withMaxPackets(3)
                                .withLinger(delivery)
                                .inOrder())) {
            final long started = System.nanoTime();
            final CompletableFuture<TransactionResult> old = sender.send(packet("old"));
            awaitAge(started, delivery.dividedBy(3));
            final List<CompletableFuture<TransactionResult>> young =
                    List.of(sender.send(packet("a")), sender.send(packet("b")));
            assertFalse(Outcomes.failureOf(old).isOutcomeUnknown());
            try (ScriptedServer server = new ScriptedServer(port, null)) {
                for (final CompletableFuture<TransactionResult> each : young) {
                    assertEquals(2, Outcomes.await(each).packets());
                }
                assertEquals(List.of("a.txt", "b.txt"), names(server));
            }
        }
    }

    @Test
    void theDeadlineOfAnOldRecordCutsNoFreshOne() throws Exception {
        final Duration deadline = Duration.ofSeconds(6);
        final CountDownLatch hold = new CountDownLatch(1);
        final AtomicInteger finished = new AtomicInteger();
        try (ScriptedServer server = new ScriptedServer();
                SiteToSite nifi = NioSiteToSite.builder()
                        .address("127.0.0.1", server.port())
                        .deadline(deadline)
                        .build();
                BatchingSender sender = nifi.inputPort("port-id")
                        .batching(BatchingOptions.standard()
                                .withLinger(Duration.ZERO)
                                .inOrder())) {
            server.at(Moment.CONFIRM, wire -> {
                hold.await();
                return false;
            });
            server.at(
                    Moment.FINISHED,
                    wire -> finished.incrementAndGet() == 2 && server.stall().happen(wire));
            final long started = System.nanoTime();
            final CompletableFuture<TransactionResult> first = sender.send(packet("first"));
            final CompletableFuture<TransactionResult> old = sender.send(packet("old"));
            awaitAge(started, deadline.multipliedBy(2).dividedBy(3));
            final CompletableFuture<TransactionResult> fresh = sender.send(packet("fresh"));
            hold.countDown();
            assertEquals(1, Outcomes.await(first).packets());
            assertTrue(Outcomes.failureOf(old).isOutcomeUnknown());
            assertEquals(1, Outcomes.await(fresh).packets());
        }
    }

    @Test
    void theTimeOfARecordStartsWhenThereIsRoomForIt() throws Exception {
        final CountDownLatch hold = new CountDownLatch(1);
        try (ScriptedServer server = new ScriptedServer();
                SiteToSite nifi = nothingAt(server.port()).build();
                BatchingSender sender = nifi.inputPort("port-id")
                        .batching(BatchingOptions.standard()
                                .withLinger(Duration.ZERO)
                                .withMaxPending(1, 1 << 20))) {
            server.at(Moment.CONFIRM, wire -> {
                hold.await();
                return false;
            });
            sender.send(packet("takes the room"));
            final long started = System.nanoTime();
            final CompletableFuture<TransactionResult> blocked = new CompletableFuture<>();
            final Thread sending = Thread.ofVirtual().start(() -> {
                try {
                    sender.send(packet("blocked")).whenComplete((done, failure) -> {
                        if (failure == null) {
                            blocked.complete(done);
                        } else {
                            blocked.completeExceptionally(failure);
                        }
                    });
                } catch (final IOException e) {
                    blocked.completeExceptionally(e);
                }
            });
            await().until(() ->
                    sending.getState() == Thread.State.WAITING || sending.getState() == Thread.State.TIMED_WAITING);
            awaitAge(started, DELIVERY.plusMillis(100));
            hold.countDown();
            assertEquals(1, Outcomes.await(blocked).packets());
        }
    }
}
