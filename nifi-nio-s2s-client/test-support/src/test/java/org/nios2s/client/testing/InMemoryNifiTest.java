// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.BatchReceiver;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Packet;
import org.nios2s.client.ReceivedBatch;
import org.nios2s.client.ReceivedPacket;
import org.nios2s.client.RecordFraming;
import org.nios2s.client.RecordSender;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.TransactionException;

/** What tests of users' code may count on. Lives on the test's thread. */
@DisplayName("A NiFi in memory")
class InMemoryNifiTest {
    private static final long PATIENCE_SECONDS = 30;
    private static final int ROUNDS = 50;

    private final InMemoryNifi nifi = new InMemoryNifi();

    @AfterEach
    void close() {
        nifi.close();
    }

    private static Packet packet(final String text) {
        return Packet.of(Map.of("name", text), text.getBytes());
    }

    private static TransactionException failure(final CompletableFuture<?> future) {
        return assertInstanceOf(
                TransactionException.class,
                assertThrows(ExecutionException.class, () -> future.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                        .getCause());
    }

    private List<String> received() {
        return nifi.received("in").stream().map(StoredPacket::text).toList();
    }

    @Test
    @DisplayName("collects what is sent")
    void collects() throws Exception {
        assertEquals(
                2,
                nifi.inputPort("in")
                        .send(List.of(packet("a"), packet("b")))
                        .get()
                        .packets());
        nifi.inputPort("in").send(packet("c")).get();
        assertEquals(List.of("a", "b", "c"), received());
        assertEquals("a", nifi.received("in").getFirst().attributes().get("name"));
    }

    @Test
    @DisplayName("loses an answer on demand: the packets are there, and the outcome is unknown")
    void losesAnAnswer() {
        nifi.inputPort("in").loseNextAnswer();
        assertTrue(failure(nifi.inputPort("in").send(packet("a"))).isOutcomeUnknown());
        assertEquals(List.of("a"), received());
    }

    @Test
    @DisplayName("says on demand that it is full after what it took")
    void full() throws Exception {
        nifi.inputPort("in").fullAfterNext();
        assertTrue(nifi.inputPort("in").send(packet("a")).get().destinationFull());
        assertFalse(nifi.inputPort("in").send(packet("b")).get().destinationFull());
    }

    @Test
    @DisplayName("refuses content that is shorter or longer than declared, and names the packet")
    void lengths() {
        final Packet tooShort = Packet.ofStream(Map.of(), new ByteArrayInputStream(new byte[1]), 2);
        final TransactionException failure = failure(nifi.inputPort("in").send(List.of(packet("a"), tooShort)));
        assertEquals(FailureReason.CONTENT_FAILED, failure.reason());
        assertEquals(1, failure.failedPacket());
        final Packet tooLong = Packet.ofSupplier(Map.of(), () -> new ByteArrayInputStream(new byte[2]), 1);
        assertEquals(
                FailureReason.CONTENT_FAILED,
                failure(nifi.inputPort("in").send(tooLong)).reason());
        assertEquals(List.of(), received());
    }

    @Test
    @DisplayName("has a batching sender that blocks, refuses and tells when to go on as the real one does")
    void batching() throws Exception {
        nifi.inputPort("in").hold();
        try (BatchingSender sender =
                nifi.inputPort("in").batching(BatchingOptions.standard().withMaxPending(1, 1_000))) {
            final CompletableFuture<?> first = sender.send(packet("a"));
            assertEquals(
                    FailureReason.TOO_MANY_PENDING,
                    failure(sender.sendAsync(packet("b"))).reason());
            final CompletableFuture<Void> writable = sender.whenWritable();
            assertFalse(writable.isDone());
            nifi.inputPort("in").release();
            writable.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            first.get();
            sender.send(packet("c")).get();
            assertEquals(0, sender.pendingPackets());
        }
        assertEquals(List.of("a", "c"), received());
    }

    @Test
    @DisplayName("gives what was offered, in batches, and forgets it when a batch is complete")
    void polls() throws IOException {
        nifi.offer("out", StoredPacket.of("a"), StoredPacket.of("b"), StoredPacket.of("c"));
        final InMemoryOutputPort byTwo =
                nifi.outputPort("out").withBatchLimits(BatchLimits.none().withMaxPackets(2));
        try (ReceivedBatch batch = byTwo.poll(Duration.ZERO).orElseThrow()) {
            final List<String> texts = new ArrayList<>();
            for (final ReceivedPacket packet : batch) {
                texts.add(new String(packet.bytes()));
            }
            assertEquals(List.of("a", "b"), texts);
            assertEquals(2, batch.complete().packets());
        }
        assertEquals(2, nifi.outputPort("out").delivered().size());
        assertEquals("c", nifi.outputPort("out").remaining().getFirst().text());
    }

    @Test
    @DisplayName("keeps a batch that was closed, or not read to its end")
    void keeps() throws IOException {
        nifi.offer("out", StoredPacket.of("a"), StoredPacket.of("b"));
        try (ReceivedBatch batch = nifi.outputPort("out").poll(Duration.ZERO).orElseThrow()) {
            batch.iterator().next();
            assertThrows(IllegalStateException.class, batch::complete);
        }
        assertEquals(
                List.of("a", "b"),
                nifi.outputPort("out").remaining().stream()
                        .map(StoredPacket::text)
                        .toList());
        assertTrue(nifi.outputPort("empty").poll(Duration.ZERO).isEmpty());
    }

    @Test
    @DisplayName("gives a batch again that its handler refused")
    void receives() throws Exception {
        final AtomicInteger calls = new AtomicInteger();
        final ConcurrentLinkedQueue<String> texts = new ConcurrentLinkedQueue<>();
        final CountDownLatch handled = new CountDownLatch(1);
        nifi.outputPort("out").failNext(FailureReason.CONNECTION_LOST).offer(StoredPacket.of("a"));
        try (BatchReceiver receiver = nifi.outputPort("out").receive(batch -> {
            if (calls.incrementAndGet() == 1) {
                throw new IOException("the database is away");
            }
            for (final ReceivedPacket packet : batch) {
                texts.add(new String(packet.bytes()));
            }
            handled.countDown();
        })) {
            assertTrue(handled.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
            assertTrue(receiver.close(Duration.ofSeconds(PATIENCE_SECONDS)));
            receiver.whenEnded().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        assertEquals(List.of("a"), List.copyOf(texts));
        assertEquals(1, nifi.outputPort("out").delivered().size());
    }

    @Test
    @DisplayName("ends a receiver that can't go on, and says why")
    void receiverEnds() {
        nifi.outputPort("out").failNext(FailureReason.UNAUTHORIZED);
        try (BatchReceiver receiver = nifi.outputPort("out").endOnRefusal().receive(ReceivedBatch::skipRest)) {
            assertEquals(
                    FailureReason.UNAUTHORIZED, failure(receiver.whenEnded()).reason());
        }
    }

    @Test
    @DisplayName("pulls one batch, and completes with nothing where there is none")
    void pulls() throws Exception {
        assertEquals(
                0, nifi.outputPort("out").pull(ReceivedBatch::skipRest).get().packets());
        nifi.offer("out", StoredPacket.of("a"));
        assertEquals(
                1, nifi.outputPort("out").pull(ReceivedBatch::skipRest).get().packets());
        nifi.offer("out", StoredPacket.of("b"));
        assertEquals(
                FailureReason.HANDLER_FAILED,
                failure(nifi.outputPort("out").pull(batch -> {
                            throw new IllegalStateException("refused");
                        }))
                        .reason());
        assertArrayEquals(
                "b".getBytes(), nifi.outputPort("out").remaining().getFirst().content());
    }

    @Test
    @DisplayName("keeps a batch whose handler did not return in time, also when it returns later")
    void closedTooEarly() throws Exception {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch mayReturn = new CountDownLatch(1);
        nifi.offer("out", StoredPacket.of("a"));
        try (BatchReceiver receiver = nifi.outputPort("out").receive(batch -> {
            batch.skipRest();
            entered.countDown();
            while (mayReturn.getCount() > 0) {
                // As a handler does that hears of no interrupt.
                LockSupport.parkNanos(1_000_000);
                Thread.interrupted();
            }
        })) {
            assertTrue(entered.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
            assertFalse(receiver.close(Duration.ZERO));
            mayReturn.countDown();
            receiver.whenEnded().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        assertEquals(List.of(), nifi.outputPort("out").delivered());
        assertEquals("a", nifi.outputPort("out").remaining().getFirst().text());
    }

    @Test
    @DisplayName("fails on demand, once, and takes nothing then, whether or not the client has a connection")
    void fails() throws Exception {
        final List<FailureReason> reasons = List.of(
                FailureReason.DESTINATION_FULL,
                FailureReason.UNAUTHORIZED,
                FailureReason.UNKNOWN_PORT,
                FailureReason.PORT_NOT_RUNNING,
                FailureReason.REFUSED,
                FailureReason.CONNECTION_LOST);
        for (int i = 0; i < ROUNDS; i++) {
            for (final FailureReason reason : reasons) {
                nifi.inputPort("in").failNext(reason);
                final TransactionException failure =
                        failure(nifi.inputPort("in").send(packet("a")));
                assertEquals(reason, failure.reason());
                assertEquals("in", failure.port());
                assertFalse(failure.isOutcomeUnknown());
                nifi.inputPort("in").send(packet("b")).get();
            }
        }
        assertEquals(Collections.nCopies(ROUNDS * reasons.size(), "b"), received());
    }

    @Test
    @DisplayName("tries again what it fails on demand, if the port says so")
    void retries() throws Exception {
        nifi.inputPort("in").failNext(FailureReason.DESTINATION_FULL);
        nifi.inputPort("in").withRetry(RetryPolicy.standard()).send(packet("a")).get();
        assertEquals(List.of("a"), received());
    }

    @Test
    @DisplayName("knows at once which packets are delivered, however often a batch ends")
    void settles() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            nifi.offer("out", StoredPacket.of("a"));
            try (ReceivedBatch batch =
                    nifi.outputPort("out").poll(Duration.ZERO).orElseThrow()) {
                batch.skipRest();
            }
            assertEquals(1, nifi.outputPort("out").remaining().size());
            try (ReceivedBatch batch =
                    nifi.outputPort("out").poll(Duration.ZERO).orElseThrow()) {
                batch.skipRest();
                batch.complete();
            }
            assertEquals(i + 1, nifi.outputPort("out").delivered().size());
            assertEquals(List.of(), nifi.outputPort("out").remaining());
        }
    }

    @Test
    @DisplayName("holds transactions until they are released; one that was cancelled does not arrive")
    void holds() throws Exception {
        nifi.inputPort("in").hold();
        final CompletableFuture<?> first = nifi.inputPort("in").send(packet("a"));
        final CompletableFuture<?> cancelled = nifi.inputPort("in").send(packet("b"));
        assertFalse(first.isDone());
        cancelled.cancel(false);
        await().until(() -> nifi.statistics().inFlight() == 1);
        nifi.inputPort("in").release();
        first.get();
        assertEquals(List.of("a"), received());
    }

    @Test
    @DisplayName("joins records to FlowFiles")
    void joining() throws Exception {
        try (RecordSender sender = nifi.inputPort("in").joining(RecordFraming.lines(), Map.of("a", "b"))) {
            sender.send("r1".getBytes());
            sender.send("r2".getBytes());
        }
        assertEquals(List.of("r1\nr2\n"), received());
        assertEquals("2", nifi.received("in").getFirst().attributes().get("record.count"));
    }

    @Test
    @DisplayName("refuses what no NiFi does, and a name for two ports")
    void refusals() {
        assertThrows(IllegalArgumentException.class, () -> nifi.inputPort(" "));
        final InMemoryInputPort in = nifi.inputPort("in");
        assertThrows(IllegalArgumentException.class, () -> nifi.outputPort("in"));
        assertThrows(IllegalArgumentException.class, () -> in.failNext(FailureReason.CONTENT_FAILED));
        assertThrows(NullPointerException.class, () -> nifi.outputPort("out").receive(null, 1));
    }

    @Test
    @DisplayName("refuses transactions after it was closed")
    void closed() {
        nifi.close();
        assertEquals(
                FailureReason.CLIENT_CLOSED,
                failure(nifi.inputPort("in").send(packet("a"))).reason());
        assertThrows(TransactionException.class, () -> nifi.outputPort("out").poll(Duration.ZERO));
    }
}
