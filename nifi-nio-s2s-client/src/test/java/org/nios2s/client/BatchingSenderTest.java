// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.packet;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.nios2s.client.ScriptedServer.Moment;
import org.slf4j.LoggerFactory;

/** Packets that are gathered to transactions. */
class BatchingSenderTest {
    @RegisterExtension
    private final ScriptedNifi scripted = new ScriptedNifi();

    private final ScriptedServer server = scripted.server();
    private final SiteToSite nifi = scripted.client();

    private BatchingSender sender(final BatchingOptions options) {
        return nifi.inputPort("port-id").batching(options);
    }

    private List<String> names() {
        return server.committed.stream()
                .map(received -> received.attributes().get("filename"))
                .toList();
    }

    @Test
    void packetsGoTogetherAndClosingSendsTheRest() throws Exception {
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        try (BatchingSender sender = nifi.inputPort("port-id").batching(100, Duration.ofMinutes(1))) {
            for (int i = 0; i < 250; i++) {
                sent.add(sender.send(packet("p" + i)));
            }
        }
        assertEquals(
                List.of(100L, 100L, 50L),
                sent.stream().map(future -> future.join().packets()).distinct().count() == 2
                        ? List.of(
                                sent.get(0).join().packets(),
                                sent.get(100).join().packets(),
                                sent.get(249).join().packets())
                        : List.of());
        assertEquals(250, server.committed.size());
    }

    @Test
    void aPacketWaitsForCompanyNoLongerThanItLingers() throws Exception {
        try (BatchingSender sender = nifi.inputPort("port-id").batching(100, Duration.ofMillis(20))) {
            assertEquals(1, Outcomes.await(sender.send(packet("alone"))).packets());
        }
    }

    @Test
    void enoughBytesMakeATransactionToo() throws Exception {
        try (BatchingSender sender =
                sender(BatchingOptions.standard().withMaxBytes(10).withLinger(Duration.ofMinutes(1)))) {
            assertEquals(
                    1,
                    Outcomes.await(sender.send(Packet.of(Map.of(), new byte[10])))
                            .packets());
        }
    }

    @Test
    void aSenderThatTakesNoMoreSendsWhatItHas() throws Exception {
        final BatchingOptions two =
                BatchingOptions.standard().withLinger(Duration.ofMinutes(1)).withMaxPending(2, 1 << 20);
        try (BatchingSender sender = sender(two)) {
            sender.send(packet("a"));
            assertEquals(2, Outcomes.await(sender.send(packet("b"))).packets());
        }
    }

    @Test
    void aFlushWaitsForNothingButWhatWasGiven() throws Exception {
        try (BatchingSender sender = nifi.inputPort("port-id").batching(100, Duration.ofMinutes(1))) {
            final CompletableFuture<TransactionResult> sent = sender.send(packet("a"));
            Outcomes.await(sender.flush());
            assertTrue(sent.isDone());
            assertEquals(0, sender.pendingPackets());
            Outcomes.await(sender.flush());
        }
    }

    private static void assertOnlyFails(final List<CompletableFuture<TransactionResult>> sent, final int bad) {
        for (int i = 0; i < sent.size(); i++) {
            assertEquals(i == bad, sent.get(i).isCompletedExceptionally(), "packet " + i);
        }
    }

    @Test
    void aPacketThatThePeerRefusesTakesNoOthersWithIt() throws Exception {
        server.at(Moment.CONFIRM, wire -> {
            final boolean refused = server.arrived.stream()
                    .anyMatch(packet -> packet.attributes().containsKey("poison"));
            server.arrived.clear();
            if (refused) {
                throw new IOException("the peer does not like it");
            }
            return false;
        });
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        final InputPort port = nifi.inputPort("port-id")
                .withRetry(RetryPolicy.standard()
                        .withDeliveryTimeout(Duration.ofSeconds(6))
                        .withBackoff(Duration.ofMillis(1), Duration.ofMillis(5)));
        try (BatchingSender sender = port.batching(BatchingOptions.standard().inOrder())) {
            for (int i = 0; i < 500; i++) {
                sent.add(sender.send(i == 250 ? Packet.of(Map.of("poison", "x"), new byte[1]) : packet("p" + i)));
            }
        }
        assertOnlyFails(sent, 250);
        assertEquals(499, server.committed.size());
    }

    @Test
    void aPolicyOfOneAttemptSendsNoPacketTwice() throws Exception {
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
        final InputPort port = nifi.inputPort("port-id").withRetry(RetryPolicy.never());
        try (BatchingSender sender = port.batching(BatchingOptions.standard().withMaxPackets(4))) {
            final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                sent.add(sender.send(packet("p" + i)));
            }
            for (final CompletableFuture<TransactionResult> each : sent) {
                assertEquals(1, Outcomes.failureOf(each).attempts());
            }
        }
        assertEquals(4, server.arrived.size());
    }

    @Test
    void noPacketHasMoreAttemptsThanThePolicyAllows() throws Exception {
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
        final InputPort port = nifi.inputPort("port-id")
                .withRetry(RetryPolicy.standard()
                        .withMaxAttempts(3)
                        .withBackoff(Duration.ofMillis(1), Duration.ofMillis(5)));
        try (BatchingSender sender = port.batching(BatchingOptions.standard().withMaxPackets(8))) {
            for (int i = 0; i < 8; i++) {
                sender.send(packet("p" + i));
            }
        }
        final Map<String, Long> attempts = server.arrived.stream()
                .collect(Collectors.groupingBy(packet -> packet.attributes().get("filename"), Collectors.counting()));
        assertEquals(Set.of(3L), Set.copyOf(attempts.values()));
        assertEquals(8, attempts.size());
    }

    @Test
    void aPacketThatHadAllItsAttemptsEndsNoFreshOne() throws Exception {
        final AtomicInteger times = new AtomicInteger();
        server.at(Moment.CONFIRM, wire -> {
            if (times.incrementAndGet() <= 3) {
                throw new IOException("planned");
            }
            return false;
        });
        final InputPort port = nifi.inputPort("port-id")
                .withRetry(RetryPolicy.standard()
                        .withMaxAttempts(3)
                        .withBackoff(Duration.ofMillis(1), Duration.ofMillis(5)));
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        try (BatchingSender sender = port.batching(BatchingOptions.standard()
                .withMaxPackets(2)
                .withLinger(Duration.ofMinutes(1))
                .inOrder())) {
            for (int i = 0; i < 3; i++) {
                sent.add(sender.send(packet("p" + i)));
            }
        }
        // Two attempts of both, one of the first alone, then the second and the third.
        assertOnlyFails(sent, 0);
    }

    @Test
    void aPacketWhoseContentFailsTakesNeitherStreamsNorConnectionsWithIt() throws Exception {
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        try (BatchingSender sender = sender(BatchingOptions.standard().withLinger(Duration.ofMinutes(1)))) {
            for (int i = 0; i < 500; i++) {
                sent.add(sender.send(
                        i == 250
                                ? Packet.ofStream(Map.of(), new ByteArrayInputStream(new byte[4]), 5)
                                : Packet.ofStream(Map.of(), new ByteArrayInputStream(new byte[5]), 5)));
            }
        }
        assertOnlyFails(sent, 250);
        final TransactionException failure = Outcomes.failureOf(sent.get(250));
        assertEquals(250, failure.failedPacket());
        assertEquals(499, server.committed.size());
        assertEquals(1, server.accepted.get());
    }

    @Test
    void whatHearsOfFailuresHearsOfEachPacket() throws Exception {
        final List<String> heard = new CopyOnWriteArrayList<>();
        server.at(Moment.FINISHED, ScriptedServer.hangUp());
        try (BatchingSender sender = sender(BatchingOptions.standard()
                .onFailure((packet, failure) -> heard.add(packet.attributes().get("filename") + " " + failure.reason()
                        + " " + failure.isOutcomeUnknown())))) {
            sender.send(packet("a"));
            sender.send(packet("b"));
        }
        await().until(() -> heard.size() == 2);
        assertEquals(
                List.of("a.txt CONNECTION_LOST true", "b.txt CONNECTION_LOST true"),
                heard.stream().sorted().toList());
    }

    @Test
    void inOrderMeansInOrderAlsoWhenTransactionsFail() throws Exception {
        final AtomicInteger times = new AtomicInteger();
        server.at(Moment.CONFIRM, wire -> {
            if (times.incrementAndGet() % 3 == 1) {
                throw new IOException("every third");
            }
            return false;
        });
        try (BatchingSender sender =
                sender(BatchingOptions.standard().withMaxPackets(7).inOrder())) {
            for (int i = 0; i < 100; i++) {
                sender.send(packet("p" + i));
            }
        }
        assertEquals(IntStream.range(0, 100).mapToObj(i -> "p" + i + ".txt").toList(), names());
    }

    @Test
    void whoSendsTooMuchWaitsOrIsToldTo() throws Exception {
        final CountDownLatch hold = new CountDownLatch(1);
        server.at(Moment.CONFIRM, wire -> {
            hold.await();
            return false;
        });
        final BatchingSender sender = sender(
                BatchingOptions.standard().withMaxPackets(1).withMaxInFlight(1).withMaxPending(2, 1 << 20));
        final CompletableFuture<TransactionResult> first = sender.send(packet("a"));
        sender.send(packet("b"));
        assertEquals(
                FailureReason.TOO_MANY_PENDING,
                Outcomes.failureOf(sender.sendAsync(packet("refused"))).reason());
        final CompletableFuture<Void> room = sender.whenWritable();
        assertFalse(room.isDone());
        final CompletableFuture<Void> blocked = CompletableFuture.runAsync(() -> {
            try {
                sender.send(packet("c"));
            } catch (final IOException e) {
                throw new IllegalStateException(e);
            }
        });
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, () -> sender.send(packet("interrupted")));
        assertTrue(Thread.interrupted());
        assertFalse(blocked.isDone());
        hold.countDown();
        Outcomes.await(first);
        Outcomes.await(room);
        Outcomes.await(blocked);
        sender.close();
        assertEquals(List.of("a.txt", "b.txt", "c.txt"), names());
        assertEquals(
                FailureReason.CLIENT_CLOSED,
                Outcomes.failureOf(sender.send(packet("late"))).reason());
    }

    @Test
    void aPacketWhoseContentFailsDoesNotTakeItsNeighboursAlong() throws Exception {
        final CompletableFuture<TransactionResult> bad;
        final List<CompletableFuture<TransactionResult>> good = new ArrayList<>();
        final AtomicInteger closed = new AtomicInteger();
        try (BatchingSender sender = nifi.inputPort("port-id").batching(10, Duration.ofMinutes(1))) {
            good.add(sender.send(packet("a")));
            bad = sender.send(Packet.ofSupplier(Map.of(), () -> new ByteArrayInputStream(new byte[1]), 5));
            good.add(sender.send(packet("b")));
            good.add(sender.send(Packet.ofStream(
                    Map.of("filename", "stream.txt"),
                    new ByteArrayInputStream(new byte[3]) {
                        @Override
                        public void close() {
                            closed.incrementAndGet();
                        }
                    },
                    3)));
        }
        assertEquals(FailureReason.CONTENT_FAILED, Outcomes.failureOf(bad).reason());
        for (final CompletableFuture<TransactionResult> sent : good) {
            assertEquals(3, Outcomes.await(sent).packets());
        }
        assertEquals(List.of("a.txt", "b.txt", "stream.txt"), names());
        assertEquals(1, closed.get());
    }

    @Test
    void everyFutureEndsWhenTheClientIsClosedFirst() throws Exception {
        server.at(Moment.CONFIRM, server.stall());
        final SiteToSite other = NioSiteToSite.builder()
                .address("127.0.0.1", server.port())
                .completionExecutor(Runnable::run)
                .shutdownTimeout(Duration.ofMillis(1))
                .build();
        final BatchingSender sender =
                other.inputPort("port-id").batching(BatchingOptions.standard().withMaxPackets(1));
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            sent.add(sender.send(packet("p")));
        }
        other.close();
        sender.close();
        await().until(() -> sent.stream().allMatch(CompletableFuture::isCompletedExceptionally));
        assertEquals(0, sender.pendingPackets());
    }

    @Test
    void aRecordInTheLingerFailsWhenTheClientIsClosedAndLaterOnesAreRefused() throws Exception {
        final BatchingSender sender =
                sender(BatchingOptions.standard().withMaxPackets(10).withLinger(Duration.ofMinutes(10)));
        final CompletableFuture<TransactionResult> waiting = sender.send(packet("a"));
        nifi.close();
        for (final CompletableFuture<TransactionResult> each :
                List.of(waiting, sender.sendAsync(packet("b")), sender.send(packet("c")))) {
            final ExecutionException failure =
                    assertThrows(ExecutionException.class, () -> each.get(20, TimeUnit.SECONDS));
            assertEquals(FailureReason.CLIENT_CLOSED, ((TransactionException) failure.getCause()).reason());
        }
        assertEquals(0, sender.pendingPackets());
        assertEquals(List.of(), names());
        sender.close();
    }

    @Test
    void theLogHasEachRecordThatFailsWhenTheClientIsClosed() throws Exception {
        final BatchingSender sender = sender(BatchingOptions.standard().withLinger(Duration.ofMinutes(10)));
        final Logger logger = (Logger) LoggerFactory.getLogger("org.nios2s.client.internal.FailureLog");
        final ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            for (int i = 0; i < 5; i++) {
                sender.send(packet("p" + i));
            }
            nifi.close();
            await().until(() -> List.copyOf(lines.list).stream()
                            .filter(line -> line.getFormattedMessage().contains(":" + server.port() + " "))
                            .mapToLong(line -> (Long) line.getArgumentArray()[0])
                            .sum()
                    == 5);
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void aSenderOfAClientThatIsClosedRefuses() throws Exception {
        final InputPort port = nifi.inputPort("port-id");
        nifi.close();
        final BatchingSender late = port.batching(10, Duration.ofMinutes(10));
        final ExecutionException failure = assertThrows(
                ExecutionException.class, () -> late.sendAsync(packet("a")).get(20, TimeUnit.SECONDS));
        assertEquals(FailureReason.CLIENT_CLOSED, ((TransactionException) failure.getCause()).reason());
    }

    @Test
    void whatDependsOnAPacketMayWaitForItsNeighbour() throws Exception {
        final CompletableFuture<CompletableFuture<TransactionResult>> other = new CompletableFuture<>();
        final BatchingSender sender = nifi.inputPort("port-id").batching(2, Duration.ofMinutes(1));
        final CompletableFuture<Void> one =
                sender.send(packet("a")).thenAccept(done -> other.join().join());
        other.complete(sender.send(packet("b")));
        Outcomes.await(one);
        sender.close();
        assertEquals(2, server.committed.size());
    }

    @Test
    void whatDependsOnPacketsAndNeverReturnsHoldsUpNothing() throws Exception {
        final CountDownLatch never = new CountDownLatch(1);
        final BatchingSender sender = sender(
                BatchingOptions.standard().withMaxPackets(10).withMaxInFlight(1).withMaxPending(10, 1 << 20));
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            final CompletableFuture<TransactionResult> result = sender.send(packet("p" + i));
            sent.add(result);
            result.thenRun(() -> awaitUninterruptibly(never));
        }
        Outcomes.await(sender.flush());
        assertTrue(sent.stream().allMatch(CompletableFuture::isDone));
        sender.close();
        never.countDown();
        assertEquals(100, server.committed.size());
    }

    @Test
    void whatDependsOnAPacketMayWaitForTheOneBehindIt() throws Exception {
        final CompletableFuture<TransactionResult> behind = new CompletableFuture<>();
        try (BatchingSender sender = sender(BatchingOptions.standard().withMaxPackets(2))) {
            final CompletableFuture<Void> first = sender.send(packet("a")).thenRun(behind::join);
            sender.send(packet("b")).thenAccept(behind::complete);
            Outcomes.await(first);
        }
    }

    private static void awaitUninterruptibly(final CountDownLatch latch) {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theBooksNeedNoThreadOfACallersExecutor() throws Exception {
        final ExecutorService own = Executors.newFixedThreadPool(2);
        try (SiteToSite other = NioSiteToSite.builder()
                .address("127.0.0.1", server.port())
                .completionExecutor(own)
                .build()) {
            final BatchingSender sender = other.inputPort("port-id")
                    .batching(BatchingOptions.standard()
                            .withMaxPackets(1)
                            .withLinger(Duration.ZERO)
                            .withMaxPending(4, 1 << 20));
            final AtomicInteger begun = new AtomicInteger(1);
            final CountDownLatch over = new CountDownLatch(200);
            sendTwoMoreWhenSent(sender, begun, over);
            assertTrue(over.await(Outcomes.NEVER.toSeconds(), TimeUnit.SECONDS), over + " of 200");
            sender.close();
        } finally {
            own.shutdownNow();
        }
        assertEquals(200, server.committed.size());
    }

    /** What depends on a packet blocks until there is room for the next ones. */
    private static void sendTwoMoreWhenSent(
            final BatchingSender sender, final AtomicInteger begun, final CountDownLatch over) {
        try {
            sender.send(packet("p")).thenRun(() -> {
                for (int i = 0; i < 2 && begun.getAndUpdate(n -> Math.min(200, n + 1)) < 200; i++) {
                    sendTwoMoreWhenSent(sender, begun, over);
                }
                over.countDown();
            });
        } catch (final InterruptedIOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void futuresOfATransactionAreCompletedInOneTaskInTheirOrder() throws Exception {
        final List<Integer> order = new CopyOnWriteArrayList<>();
        final AtomicInteger tasks = new AtomicInteger();
        try (SiteToSite other = NioSiteToSite.builder()
                .address("127.0.0.1", server.port())
                .completionExecutor(task -> {
                    tasks.incrementAndGet();
                    task.run();
                })
                .build()) {
            final BatchingSender sender = other.inputPort("port-id").batching(50, Duration.ofMinutes(1));
            for (int i = 0; i < 50; i++) {
                final int number = i;
                sender.send(packet("p" + i)).thenRun(() -> order.add(number));
            }
            await().until(() -> order.size() == 50);
            assertEquals(IntStream.range(0, 50).boxed().toList(), order);
            assertEquals(1, tasks.get());
            sender.close();
        }
    }

    @Test
    void aLingerForEverWaitsForCompanyAndTheRestForNothing() throws Exception {
        for (final Duration forEver : List.of(Duration.ofMillis(Long.MAX_VALUE), Duration.ofSeconds(Long.MAX_VALUE))) {
            final BatchingSender sender = nifi.inputPort("port-id").batching(10, forEver);
            final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
            for (int i = 0; i < 15; i++) {
                sent.add(sender.send(packet("p")));
            }
            Outcomes.await(sent.get(9));
            assertFalse(sent.get(10).isDone());
            Outcomes.await(sender.flush());
            sender.send(packet("p"));
            sender.close();
            assertEquals(0, sender.pendingPackets());
        }
        assertEquals(32, server.committed.size());
    }

    @Test
    void attributesCountAsMemory() throws Exception {
        final CountDownLatch hold = new CountDownLatch(1);
        server.at(Moment.CONFIRM, wire -> {
            hold.await();
            return false;
        });
        final BatchingSender sender = sender(BatchingOptions.standard().withMaxPending(20_000, 1 << 20));
        int taken = 0;
        while (!sender.sendAsync(Packet.of(Map.of("long", "v".repeat(20_000)), new byte[0]))
                .isCompletedExceptionally()) {
            taken++;
        }
        assertTrue(taken > 10 && taken < 60, taken + " packets with 20,000 characters each were taken as 1 MiB");
        hold.countDown();
        sender.close();
    }

    @Test
    void nullIsAFailureOfItsOwn() throws Exception {
        try (BatchingSender sender = sender(BatchingOptions.standard())) {
            assertEquals(
                    FailureReason.CONTENT_FAILED,
                    Outcomes.failureOf(sender.send(null)).reason());
            assertEquals(
                    FailureReason.CONTENT_FAILED,
                    Outcomes.failureOf(sender.sendAsync(null)).reason());
            assertEquals(0, sender.pendingPackets());
        }
    }

    @Test
    void closingInWhatDependsOnAPacketDoesNotHang() throws Exception {
        final BatchingSender sender = nifi.inputPort("port-id").batching(2, Duration.ofMinutes(1));
        final CompletableFuture<Void> closed = sender.send(packet("a")).thenRun(sender::close);
        sender.send(packet("b")).thenCompose(done -> sender.flush());
        Outcomes.await(closed);
        assertEquals(2, server.committed.size());
    }

    @Test
    void anExecutorThatRefusesOrThrowsEndsNoFutureLess() throws Exception {
        final AtomicInteger tasks = new AtomicInteger();
        try (SiteToSite other = NioSiteToSite.builder()
                .address("127.0.0.1", server.port())
                .completionExecutor(task -> {
                    throw tasks.incrementAndGet() % 2 == 0
                            ? new IllegalStateException("not now")
                            : new RejectedExecutionException("not any more");
                })
                .build()) {
            final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
            final BatchingSender sender = other.inputPort("port-id").batching(10, Duration.ofMinutes(1));
            for (int i = 0; i < 15; i++) {
                sent.add(sender.send(packet("p" + i)));
            }
            Outcomes.await(sender.flush());
            assertTrue(sent.stream().allMatch(CompletableFuture::isDone));
            sender.close();
        }
        assertEquals(15, server.committed.size());
    }

    private InputPort withAttempts(final int most) {
        return nifi.inputPort("port-id")
                .withRetry(RetryPolicy.standard()
                        .withMaxAttempts(most)
                        .withBackoff(Duration.ofMillis(1), Duration.ofMillis(5)));
    }

    @Test
    void whatFillsTheMemoryOfThePortRefusesNoBatch() throws Exception {
        final CountDownLatch hold = new CountDownLatch(1);
        server.at(Moment.CONFIRM, wire -> {
            hold.await();
            return false;
        });
        try (SiteToSite small = NioSiteToSite.builder()
                .address("127.0.0.1", server.port())
                .maxPendingBytes(1_000)
                .build()) {
            final InputPort port = small.inputPort("port-id");
            final CompletableFuture<TransactionResult> big = port.send(Packet.of(Map.of(), new byte[1_000]));
            try (BatchingSender sender =
                    port.batching(BatchingOptions.standard().withMaxPackets(1))) {
                final CompletableFuture<TransactionResult> gathered = sender.send(packet("a"));
                Outcomes.assertFails(port.send(packet("b")), TransactionStep.FIND_PEER, FailureReason.TOO_MANY_PENDING);
                hold.countDown();
                assertEquals(1, Outcomes.await(gathered).packets());
            }
            Outcomes.await(big);
        }
    }

    @Test
    void aFullDestinationUsesUpNoAttemptsOfAPacket() throws Exception {
        final AtomicInteger handshakes = new AtomicInteger();
        final AtomicInteger confirms = new AtomicInteger();
        server.at(Moment.HANDSHAKE, wire -> {
            // The first attempt, then one of both, and one of the first half.
            final int time = handshakes.incrementAndGet();
            final boolean full = time % 2 == 1 && time < 12;
            if (full) {
                wire.say(ResponseCode.PORTS_DESTINATION_FULL);
            }
            return full;
        });
        server.at(Moment.CONFIRM, wire -> {
            if (confirms.incrementAndGet() <= 2) {
                throw new IOException("planned");
            }
            return false;
        });
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        try (BatchingSender sender = withAttempts(3)
                .batching(BatchingOptions.standard()
                        .withMaxPackets(2)
                        .withLinger(Duration.ofMinutes(1))
                        .inOrder())) {
            sent.add(sender.send(packet("a")));
            sent.add(sender.send(packet("b")));
        }
        assertOnlyFails(sent, -1);
        assertEquals(List.of("a.txt", "b.txt"), names());
        assertTrue(handshakes.get() > 4, handshakes + " handshakes");
    }

    @Test
    void aContentThatFailsUsesUpNoAttemptsOfItsNeighbours() throws Exception {
        final int large = 200_000;
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        final InputPort port = nifi.inputPort("port-id").withRetry(RetryPolicy.never());
        try (BatchingSender sender = port.batching(BatchingOptions.standard()
                .withMaxPackets(3)
                .withMaxBytes(1 << 20)
                .withLinger(Duration.ofMinutes(1)))) {
            sent.add(sender.send(packet("a")));
            sent.add(sender.send(
                    Packet.ofSupplier(Map.of(), () -> new ByteArrayInputStream(new byte[large - 1]), large)));
            sent.add(sender.send(packet("b")));
        }
        assertOnlyFails(sent, 1);
        assertEquals(
                FailureReason.CONTENT_FAILED, Outcomes.failureOf(sent.get(1)).reason());
        assertEquals(List.of("a.txt", "b.txt"), names());
    }

    @Test
    void nothingIsSentAgainAfterACloseThatDidNotWaitLonger() throws Exception {
        final CountDownLatch failed = new CountDownLatch(1);
        final CountDownLatch closed = new CountDownLatch(1);
        final ClientObserver late = new ClientObserver() {
            @Override
            public void transactionFailed(final Direction direction, final TransactionException failure) {
                failed.countDown();
                awaitUninterruptibly(closed);
            }
        };
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
        try (SiteToSite other = NioSiteToSite.builder()
                .address("127.0.0.1", server.port())
                .retry(RetryPolicy.standard().withBackoff(Duration.ofMillis(1), Duration.ofMillis(5)))
                .observer(late)
                .build()) {
            final BatchingSender sender = other.inputPort("port-id").batching(2, Duration.ofMinutes(1));
            final List<CompletableFuture<TransactionResult>> sent =
                    List.of(sender.send(packet("a")), sender.send(packet("b")));
            failed.await();
            server.asUsual(Moment.CONFIRM);
            assertFalse(sender.close(Duration.ofMillis(1)));
            closed.countDown();
            for (final CompletableFuture<TransactionResult> each : sent) {
                Outcomes.failureOf(each);
            }
        }
        assertEquals(List.of(), names());
    }

    @Test
    void noTransactionThatBeginsDuringACloseOutlivesIt() throws Exception {
        server.at(Moment.CONFIRM, server.stall());
        for (int round = 0; round < 200; round++) {
            final BatchingSender sender = sender(BatchingOptions.standard().withMaxPackets(1));
            final CompletableFuture<TransactionResult> sent = new CompletableFuture<>();
            final Thread sending = Thread.ofPlatform().start(() -> sender.sendAsync(packet("p"))
                    .whenComplete((done, failure) -> sent.completeExceptionally(failure)));
            while (sender.pendingPackets() == 0) {
                Thread.onSpinWait();
            }
            sender.close(Duration.ZERO);
            sending.join();
            assertEquals(FailureReason.CLIENT_CLOSED, Outcomes.failureOf(sent).reason());
        }
    }
}
