// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
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
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;

/** What tests of users' code may count on. Lives on the test's thread. */
@DisplayName("A NiFi in memory")
class InMemoryNifiTest {
    private static final long PATIENCE_SECONDS = 30;

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
        assertEquals(Map.of("name", "a"), nifi.received("in").getFirst().attributes());
    }

    @Test
    @DisplayName("fails on demand, once, and takes nothing then")
    void fails() throws Exception {
        nifi.inputPort("in").failNext(FailureReason.DESTINATION_FULL);
        final TransactionException failure = failure(nifi.inputPort("in").send(packet("a")));
        assertEquals(FailureReason.DESTINATION_FULL, failure.reason());
        assertEquals("in", failure.port());
        assertFalse(failure.isOutcomeUnknown());
        nifi.inputPort("in").send(packet("b")).get();
        assertEquals(List.of("b"), received());
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
    @DisplayName("holds transactions until they are released; one that was cancelled does not arrive")
    void holds() throws Exception {
        nifi.inputPort("in").hold();
        final CompletableFuture<?> first = nifi.inputPort("in").send(packet("a"));
        final CompletableFuture<?> cancelled = nifi.inputPort("in").send(packet("b"));
        assertFalse(first.isDone());
        cancelled.cancel(false);
        nifi.inputPort("in").release();
        first.get();
        assertEquals(List.of("a"), received());
    }

    @Test
    @DisplayName("makes a FlowFile of each record, and refuses what the real one refuses")
    void joining() throws Exception {
        final BatchingOptions small = BatchingOptions.ofRecords().withMaxBytes(3);
        try (RecordSender sender = nifi.inputPort("in").joining(RecordFraming.lines(), Map.of("a", "b"), small)) {
            assertEquals(1, sender.send("r1".getBytes()).get().packets());
            assertEquals(1, sender.sendAsync("r2".getBytes()).get().packets());
            for (final CompletableFuture<TransactionResult> refused : List.of(
                    sender.send("\n".getBytes()), sender.send("long".getBytes(), Duration.ZERO), sender.send(null))) {
                assertEquals(FailureReason.CONTENT_FAILED, failure(refused).reason());
            }
        }
        final Map<String, String> attributes = Map.of("a", "b", "record.count", "1", "mime.type", "text/plain");
        assertEquals(List.of("r1\n", "r2\n"), received());
        assertEquals(attributes, nifi.received("in").getFirst().attributes());
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
    @DisplayName("has senders that take no more bytes than may be pending")
    void pendingBytes() throws Exception {
        nifi.inputPort("in").hold();
        final BatchingOptions small = BatchingOptions.ofRecords().withMaxPending(100, 1_500);
        final BatchingSender packets = nifi.inputPort("in").batching(small);
        packets.send(Packet.of(Map.of(), new byte[2_000]));
        assertEquals(
                FailureReason.TOO_MANY_PENDING,
                failure(packets.sendAsync(packet("b"))).reason());
        // A record is counted with its copy in the FlowFile.
        final RecordSender records = nifi.inputPort("in").joining(RecordFraming.lines(), Map.of(), small);
        records.send(new byte[1_000]);
        assertEquals(
                FailureReason.TOO_MANY_PENDING,
                failure(records.sendAsync(new byte[1])).reason());
        nifi.inputPort("in").release();
        packets.close();
        records.close();
        assertEquals(2, nifi.received("in").size());
    }

    @Test
    @DisplayName("gives what was offered, in batches, and forgets it when a batch is complete")
    void polls() throws IOException {
        nifi.offer("out", StoredPacket.of("a"), StoredPacket.of("b"), StoredPacket.of("c"));
        nifi.outputPort("out").withBatchLimits(BatchLimits.none().withMaxPackets(2));
        try (ReceivedBatch batch = nifi.outputPort("out").poll(Duration.ZERO).orElseThrow()) {
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
    @DisplayName("does not let content be read when the next packet was asked for")
    void lateContent() throws IOException {
        nifi.offer("out", StoredPacket.of("a"), StoredPacket.of("b"));
        final List<InputStream> contents = new ArrayList<>();
        try (ReceivedBatch batch = nifi.outputPort("out").poll(Duration.ZERO).orElseThrow()) {
            batch.forEach(packet -> contents.add(packet.content()));
        }
        assertThrows(IOException.class, contents.getFirst()::read);
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
    @DisplayName("has a batch that its handler completed, whatever the handler throws afterwards")
    void completedBeforeTheFailure() throws Exception {
        nifi.offer("out", StoredPacket.of("a"));
        final TransactionResult done = nifi.outputPort("out")
                .pull(batch -> {
                    batch.skipRest();
                    batch.complete();
                    throw new IllegalStateException("too late");
                })
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertEquals(1, done.packets());
        assertEquals(1, nifi.outputPort("out").delivered().size());
    }

    @Test
    @DisplayName("goes on receiving after a handler that restored its thread's interrupt flag")
    void interruptFlag() throws Exception {
        final CountDownLatch first = new CountDownLatch(1);
        final CountDownLatch second = new CountDownLatch(2);
        nifi.offer("out", StoredPacket.of("a"));
        try (BatchReceiver receiver = nifi.outputPort("out").receive(batch -> {
            batch.skipRest();
            Thread.currentThread().interrupt();
            first.countDown();
            second.countDown();
        })) {
            assertTrue(first.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
            nifi.offer("out", StoredPacket.of("b"));
            assertTrue(second.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
            assertTrue(receiver.close(Duration.ofSeconds(PATIENCE_SECONDS)));
        }
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
    @DisplayName("tells everybody who waits for room, and refuses no packet of a sender that blocks")
    void manyProducers() throws Exception {
        final int producers = 8;
        final int each = 500;
        final List<CompletableFuture<?>> told = new CopyOnWriteArrayList<>();
        final List<Throwable> failures = new CopyOnWriteArrayList<>();
        try (BatchingSender sender =
                nifi.inputPort("in").batching(BatchingOptions.standard().withMaxPending(1, 1_000))) {
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < producers; i++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    for (int j = 0; j < each; j++) {
                        try {
                            sender.send(packet("a")).whenComplete((done, failure) -> {
                                if (failure != null) {
                                    failures.add(failure);
                                }
                            });
                            told.add(sender.whenWritable());
                        } catch (final IOException e) {
                            failures.add(e);
                        }
                    }
                }));
            }
            for (final Thread thread : threads) {
                thread.join();
            }
            CompletableFuture.allOf(told.toArray(CompletableFuture[]::new)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        assertEquals(List.of(), failures);
        assertEquals(producers * each, received().size());
    }

    @Test
    @DisplayName("refuses names and numbers that the real one refuses")
    void refusals() {
        assertThrows(IllegalArgumentException.class, () -> nifi.inputPort(" "));
        assertThrows(IllegalArgumentException.class, () -> nifi.outputPort(""));
        final InMemoryOutputPort out = nifi.outputPort("out");
        assertThrows(IllegalArgumentException.class, () -> out.receive(ReceivedBatch::skipRest, 0));
        assertThrows(NullPointerException.class, () -> out.receive(null, 1));
        assertThrows(NullPointerException.class, () -> out.pull(null));
        assertThrows(NullPointerException.class, () -> nifi.inputPort("in").batching(null));
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
