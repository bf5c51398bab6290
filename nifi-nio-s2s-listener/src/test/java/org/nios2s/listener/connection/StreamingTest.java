// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.TestHolder;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.port.PortDispatcher;
import org.nios2s.listener.port.ReceivedFlowFile;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** A peer pushes more than a transaction may hold in memory. Lives on the test's thread. */
class StreamingTest extends OnePeer {
    @Override
    SteppedListener serve() throws Exception {
        return new SteppedListener("transaction.memory", "64 KB", "streaming.transactions", "1");
    }

    private static byte[] content(final int size) {
        final byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }

    private static TestPeer pushAll(final TestPeer sender, final int count, final byte[] content) throws Exception {
        sender.push();
        for (int i = 0; i < count; i++) {
            sender.packet(Map.of("uuid", "source-" + i, "index", String.valueOf(i)), content);
            sender.say(i < count - 1 ? ResponseCode.CONTINUE_TRANSACTION : ResponseCode.FINISH_TRANSACTION)
                    .flush();
        }
        return sender.expectConfirmation();
    }

    @ParameterizedTest
    @CsvSource({"1, 70000, false", "1, 5000000, false", "3, 1000000, false", "1000, 1000, false", "2, 1000000, true"})
    @DisplayName("what outgrows memory arrives whole and in order, and is committed by a port task")
    void streams(final int count, final int size, final boolean gzip) throws Exception {
        peer.open(INPUT_PORT, "GZIP", String.valueOf(gzip));
        pushAll(gzip ? peer.gzip() : peer, count, content(size)).confirm();
        peer.expect(ResponseCode.TRANSACTION_FINISHED);
        final List<ReceivedFlowFile> committed = listener.input().committed();
        assertEquals(count, committed.size());
        assertEquals(count, listener.input().receipts().size());
        for (int i = 0; i < count; i++) {
            assertEquals(String.valueOf(i), committed.get(i).getAttribute("index"));
            assertArrayEquals(content(size), committed.get(i).content());
        }
        listener.awaitNothingHeld();
        peer.pushPacket("small").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        pushAll(peer, 1, content(100_000)).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        listener.assertNoFault();
    }

    @Test
    @DisplayName("what inflates abnormally, and only that, has a writer of its own")
    void writerOfBombs() throws Exception {
        peer.open(INPUT_PORT, "GZIP", "true").gzip();
        pushAll(peer, 1, content(1_000_000)).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        assertEquals(0, listener.inflationTurns());
        assertEquals(0, listener.metrics().get(Counter.PUSHES_INFLATED_ABNORMALLY));
        pushAll(peer, 1, new byte[1_000_000]).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        assertTrue(listener.inflationTurns() > 0);
        assertEquals(1, listener.metrics().get(Counter.PUSHES_INFLATED_ABNORMALLY));
        listener.assertNoFault();
    }

    @Test
    @DisplayName("memory that comes and goes leaves nobody behind with its bytes unread")
    void memoryComesAndGoes() throws Exception {
        final PortDispatcher dispatcher =
                listener.dispatchers().acquire(listener.input().port());
        final SharedResource.Grant neighbour = dispatcher.limits().memory().open(new TestHolder("others"));
        final Thread comesAndGoes = Thread.ofPlatform().start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                neighbour.set(listener.budget().limit());
                neighbour.set(0);
            }
        });
        try {
            peer.open(INPUT_PORT);
            for (int i = 0; i < 2_000; i++) {
                pushAll(peer, 3, content(10)).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            }
        } finally {
            comesAndGoes.interrupt();
            comesAndGoes.join();
            neighbour.close();
            listener.dispatchers().release(dispatcher);
        }
        listener.assertNoFault();
    }

    @Test
    @DisplayName("beyond the permitted number a transaction waits, and streams when another has ended")
    void permits() throws Exception {
        pushAll(peer.open(INPUT_PORT), 1, content(100_000));
        try (TestPeer second = listener.connect().open(INPUT_PORT)) {
            second.push()
                    .packet(Map.of(), content(100_000))
                    .say(ResponseCode.FINISH_TRANSACTION)
                    .flush();
            listener.awaitStep("AwaitSessionStep");
            peer.confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            second.expectConfirmation().confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
        listener.assertNoFault();
    }

    @Test
    @DisplayName("while a transaction waits for its permit, others have the memory that it does not use")
    void waitsWithoutReservation() throws Exception {
        pushAll(peer.open(INPUT_PORT), 1, content(100_000));
        final long before = listener.budget().used();
        try (TestPeer second = listener.connect().open(INPUT_PORT)) {
            second.push().out().writeInt(0);
            second.out().writeLong(Long.MAX_VALUE);
            second.flush();
            listener.awaitStep("AwaitSessionStep");
            final long more = listener.budget().used() - before;
            assertTrue(more < MemoryBudget.SMALL_BYTES / 4, () -> more + " bytes");
            peer.confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            listener.awaitStep("ReceivePacketStep");
        }
    }

    @Test
    @DisplayName("what is held in memory takes little more than its bytes")
    void heldInMemory() throws Exception {
        try (SteppedListener own = new SteppedListener();
                TestPeer sender = own.connect().open(INPUT_PORT)) {
            final long before = own.budget().used();
            pushAll(sender, 5, content(20_000));
            final long more = own.budget().used() - before;
            assertTrue(more < 110_000, () -> more + " bytes");
            sender.confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
    }

    @Test
    @DisplayName("a peer that leaves while it waits for its permit takes nothing with it")
    void leavesWaitingForPermit() throws Exception {
        pushAll(peer.open(INPUT_PORT), 1, content(100_000));
        final TestPeer second = listener.connect().open(INPUT_PORT);
        second.push().packet(Map.of(), content(100_000)).flush();
        listener.awaitStep("AwaitSessionStep");
        second.reset();
        listener.checkDeadlinesAfter(Duration.ZERO);
        peer.confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        try (TestPeer third = listener.connect().open(INPUT_PORT)) {
            pushAll(third, 1, content(100_000)).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
    }

    @Test
    @DisplayName("a wait of ours is no sign of life from its peer")
    void silentDuringWait() throws Exception {
        listener.input().scheduled(false);
        peer.open(INPUT_PORT).push().out().writeInt(0);
        peer.out().writeLong(Long.MAX_VALUE);
        listener.awaitAllRead(0, peer.flush());
        listener.awaitStep("AwaitSessionStep");
        final Map<String, Long> before = listener.lastProgressNanos();
        listener.input().scheduled(true);
        listener.awaitStep("ReceivePacketStep");
        assertEquals(before, listener.lastProgressNanos());
    }

    @Test
    @DisplayName("a streaming transaction that is cancelled, refused or left is rolled back and gives its permit back")
    void rolledBack() throws Exception {
        peer.open(INPUT_PORT)
                .push()
                .packet(Map.of(), content(100_000))
                .say(ResponseCode.CANCEL_TRANSACTION, "no")
                .flush();
        pushAll(peer, 1, content(100_001)).say(ResponseCode.BAD_CHECKSUM).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.BAD_CHECKSUM);
        try (TestPeer second = listener.connect().open(INPUT_PORT)) {
            second.push().packet(Map.of(), content(100_000)).flush();
            listener.awaitStep("ReceiveIndicatorStep");
            second.reset();
        }
        try (TestPeer third = listener.connect().open(INPUT_PORT)) {
            pushAll(third, 1, content(100_000)).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
        assertEquals(1, listener.input().committed().size());
        listener.awaitNothingHeld();
    }

    @Test
    @DisplayName("a port that is stopped while a transaction streams cuts the peer off and commits nothing")
    void portStopped() throws Exception {
        peer.open(INPUT_PORT).push().packet(Map.of(), content(100_000)).flush();
        listener.awaitStep("ReceiveIndicatorStep");
        listener.input().running(false);
        listener.checkDeadlinesAfter(Duration.ZERO);
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PORT_NOT_RUNNING);
        listener.awaitNothingHeld();
        listener.input().running(true);
        try (TestPeer next = listener.connect().open(INPUT_PORT)) {
            pushAll(next, 1, content(100_000)).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
        assertEquals(1, listener.input().committed().size());
    }

    @Test
    @DisplayName("a commit that fails closes the connection and gives the permit back")
    void failedCommit() throws Exception {
        listener.input().failCommitsWith(flowFile -> flowFile.content().length == 100_000);
        pushAll(peer.open(INPUT_PORT), 1, content(100_000)).confirm().expectEnd();
        listener.awaitFault(ConnectionFault.Kind.COMMIT_FAILED);
        try (TestPeer next = listener.connect().open(INPUT_PORT)) {
            pushAll(next, 1, content(100_001)).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
    }

    @Test
    @DisplayName("a transaction that gets no session within its expiration is closed")
    void noSession() throws Exception {
        listener.input().scheduled(false);
        peer.open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", "10000")
                .push()
                .packet(Map.of(), content(100_000))
                .flush();
        listener.awaitStep("AwaitSessionStep");
        listener.checkDeadlinesAfter(Duration.ofSeconds(21));
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.REQUEST_EXPIRED);
        listener.input().scheduled(true);
        try (TestPeer next = listener.connect().open(INPUT_PORT)) {
            pushAll(next, 1, content(100_000)).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
    }

    /** Pushes while nothing can be written, until reading pauses for that; the rest goes on in the background. */
    private CompletableFuture<TestPeer> pushUntilPaused(final int count, final int size, final CountDownLatch mayWrite)
            throws Exception {
        listener.input().beforeWrite(() -> SteppedListener.awaiting().until(() -> mayWrite.getCount() == 0));
        peer.open(INPUT_PORT);
        final CompletableFuture<TestPeer> confirmed = CompletableFuture.supplyAsync(() -> {
            try {
                return pushAll(peer, count, content(size));
            } catch (final Exception e) {
                throw new CompletionException(e);
            }
        });
        listener.awaitPaused();
        return confirmed;
    }

    @Test
    @DisplayName("a peer is not silent while what it sent waits to be written, however long that takes")
    void slowRepository() throws Exception {
        final CountDownLatch mayWrite = new CountDownLatch(1);
        final CompletableFuture<TestPeer> confirmed = pushUntilPaused(1, 5_000_000, mayWrite);
        listener.checkDeadlinesAfter(Duration.ofMinutes(10));
        listener.assertNoFault();
        mayWrite.countDown();
        confirmed.get(20, TimeUnit.SECONDS).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        listener.assertNoFault();
    }

    @Test
    @DisplayName("while a full disk lets writers wait, others pull")
    void stuckWriters() throws Exception {
        final CountDownLatch mayWrite = new CountDownLatch(1);
        try (SteppedListener own = new SteppedListener("transaction.memory", "64 KB", "streaming.transactions", "8");
                TestPeer puller = own.connect().open(SteppedListener.OUTPUT_PORT)) {
            own.input().beforeWrite(() -> SteppedListener.awaiting()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> mayWrite.getCount() == 0));
            final List<TestPeer> stuck = new ArrayList<>();
            for (int i = 0; i < SteppedListener.BLOCKING_THREADS; i++) {
                stuck.add(own.connect()
                        .open(INPUT_PORT)
                        .push()
                        .packet(Map.of(), content(100_000))
                        .flush());
                own.awaitStep("ReceiveIndicatorStep");
            }
            own.output().queue(Map.of(), content(1_000_000));
            assertEquals(
                    ResponseCode.MORE_DATA.getCode(),
                    puller.request("RECEIVE_FLOWFILES").in().readNBytes(3)[2]);
            puller.in().readFully(new byte[1_000_000]);
            mayWrite.countDown();
            for (final TestPeer one : stuck) {
                one.close();
            }
        } finally {
            mayWrite.countDown();
        }
    }

    @Test
    @DisplayName("when the budget is spent transactions beyond the reserve stream, and none fails")
    void budgetSpent() throws Exception {
        try (SharedResource.Grant all = listener.budget().common().open(new TestHolder("others"))) {
            all.add(listener.budget().limit());
            peer.open(INPUT_PORT).pushPacket("small").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            pushAll(peer, 1, content(40_000)).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
        assertTrue(listener.input().committed().size() == 2);
        listener.assertNoFault();
    }

    /** Sends a thousand of many attributes. */
    private static void sendAttributes(final TestPeer endless) throws Exception {
        endless.push().out().writeInt(25_000);
        for (int i = 0; i < 1_000; i++) {
            endless.say(new byte[] {0, 0, 0, 4}).out().writeInt(i);
            endless.say(new byte[] {0, 0, 0, 4}).out().writeInt(i);
        }
        endless.flush();
    }

    @Test
    @DisplayName(
            "a peer whose attributes have no end takes one permit, as one whose content has none, and loses it to silence")
    void endlessAttributes() throws Exception {
        final AtomicLong clock = new AtomicLong(System.nanoTime());
        try (SteppedListener narrow =
                        new SteppedListener(clock::get, "buffer.memory", "1 MB", "streaming.transactions", "4");
                SharedResource.Grant all = narrow.budget().common().open(new TestHolder("others"));
                TestPeer withMemory = narrow.connect().open(INPUT_PORT);
                TestPeer endless = narrow.connectFrom("127.0.0.3").open(INPUT_PORT);
                TestPeer honest = narrow.connectFrom("127.0.0.2").open(INPUT_PORT)) {
            all.add(narrow.budget().limit() * 15 / 16);
            sendAttributes(withMemory);
            narrow.awaitAnyStep("ReceivePacketStep");
            sendAttributes(endless);
            narrow.awaitAnyStep("AwaitMemoryStep");
            assertTrue(narrow.budget().used() <= narrow.budget().bound(4));
            honest.push().packet(Map.of(), content(40_000)).say(ResponseCode.FINISH_TRANSACTION);
            honest.flush();
            narrow.awaitStep("AwaitSessionStep");
            narrow.passTime(clock, Duration.ofSeconds(4));
            honest.expectConfirmation().confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            narrow.awaitFault(ConnectionFault.Kind.SLOW_PEER);
            withMemory.expectEnd();
        }
    }

    @Test
    @DisplayName(
            "the memory for large attributes is back when its packet is written, however long the transaction goes on")
    void attributesOfOnePacket() throws Exception {
        final int contentBytes = 10;
        final Map<String, String> attributes = new HashMap<>();
        for (int i = 0; i < 40; i++) {
            attributes.put("name-" + i, "x".repeat(1_000));
        }
        final byte[] packet = Message.packet(attributes, content(contentBytes));
        try (SteppedListener narrow = new SteppedListener("buffer.memory", "1 MB", "streaming.transactions", "4");
                SharedResource.Grant all = narrow.budget().common().open(new TestHolder("others"));
                TestPeer first = narrow.connect().open(INPUT_PORT);
                TestPeer second = narrow.connectFrom("127.0.0.2").open(INPUT_PORT)) {
            all.add(narrow.budget().limit() * 15 / 16);
            first.push()
                    .say(Arrays.copyOf(packet, packet.length - contentBytes))
                    .flush();
            SteppedListener.awaiting()
                    .until(() -> narrow.budget().used() > narrow.budget().limit());
            first.say(content(contentBytes))
                    .say(ResponseCode.CONTINUE_TRANSACTION)
                    .flush();
            second.push()
                    .packet(attributes, content(contentBytes))
                    .say(ResponseCode.FINISH_TRANSACTION)
                    .expectConfirmation()
                    .confirm()
                    .expect(ResponseCode.TRANSACTION_FINISHED);
            narrow.awaitSteps("ReceivePacketStep", 1);
            narrow.assertNoFault();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 900000, false", "9, 100000, false", "1, 1100000, true", "11, 100000, true"})
    @DisplayName("what fits into the memory of a transaction stays there, and what does not is streamed")
    void threshold(final int count, final int size, final boolean streams) throws Exception {
        final AtomicBoolean streamed = new AtomicBoolean();
        try (SteppedListener larger = new SteppedListener("transaction.memory", "1 MB");
                TestPeer sender = larger.connect().open(INPUT_PORT)) {
            larger.input().beforeWrite(() -> streamed.set(true));
            pushAll(sender, count, content(size)).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            assertEquals(streams, streamed.get());
        }
    }

    @Test
    @DisplayName("reading pauses while the writer stands, however small the packets are")
    void smallPacketsPause() throws Exception {
        final CountDownLatch mayWrite = new CountDownLatch(1);
        final CompletableFuture<TestPeer> confirmed = pushUntilPaused(1_000, 1_000, mayWrite);
        mayWrite.countDown();
        confirmed.get(20, TimeUnit.SECONDS).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        assertEquals(1_000, listener.input().committed().size());
    }

    @Test
    @DisplayName("a write that fails late, when its transaction was cancelled, does no harm to the next one")
    void lateFailure() throws Exception {
        final CountDownLatch writing = new CountDownLatch(1);
        final CountDownLatch mayFail = new CountDownLatch(1);
        listener.input().beforeWrite(() -> {
            writing.countDown();
            SteppedListener.awaiting().until(() -> mayFail.getCount() == 0);
            throw new IllegalStateException("The repository is out of space");
        });
        peer.open(INPUT_PORT).push().packet(Map.of(), content(100_000)).flush();
        SteppedListener.awaiting().until(() -> writing.getCount() == 0);
        listener.awaitStep("ReceiveIndicatorStep");
        peer.say(ResponseCode.CANCEL_TRANSACTION, "no").push().packet(Map.of(), content(100_001));
        peer.say(ResponseCode.FINISH_TRANSACTION).flush();
        listener.awaitStep("AwaitSessionStep");
        listener.input().beforeWrite(() -> {});
        mayFail.countDown();
        peer.expectConfirmation().confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        listener.assertNoFault();
    }

    @Test
    @DisplayName("a peer that is cut off while it waits for its session is heard out until it leaves")
    void heardOut() throws Exception {
        listener.input().scheduled(false);
        peer.open(INPUT_PORT).push().packet(Map.of(), content(100_000)).flush();
        listener.awaitStep("AwaitSessionStep");
        listener.input().running(false);
        listener.checkDeadlinesAfter(Duration.ZERO);
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PORT_NOT_RUNNING);
        peer.halfClose();
        listener.awaitNoConnections();
    }

    @Test
    @DisplayName("a peer that holds all permits and drips makes room for another peer, and keeps what is its share")
    void hog() throws Exception {
        final AtomicLong clock = new AtomicLong(System.nanoTime());
        try (SteppedListener own =
                        new SteppedListener(clock::get, "transaction.memory", "64 KB", "streaming.transactions", "4");
                TestPeer first = own.connect().open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", "0");
                TestPeer second = own.connect().open(INPUT_PORT, "REQUEST_EXPIRATION_MILLIS", "0");
                TestPeer honest = own.connectFrom("127.0.0.2").open(INPUT_PORT)) {
            for (final TestPeer hog : List.of(first, second)) {
                hog.push().out().writeInt(0);
                hog.out().writeLong(Long.MAX_VALUE);
                hog.say(content(70_000)).flush();
            }
            final PortDispatcher dispatcher =
                    own.dispatchers().acquire(own.input().port());
            SteppedListener.awaiting()
                    .until(() -> dispatcher.limits().streaming().held() == 2);
            own.awaitSteps("ReceivePacketStep", 2);
            honest.push().packet(Map.of(), content(2_000_000)).say(ResponseCode.FINISH_TRANSACTION);
            honest.flush();
            SteppedListener.awaiting()
                    .until(() -> dispatcher.limits().streaming().waiting() == 1);
            for (int seconds = 0; seconds < 4; seconds++) {
                own.awaitAllRead(0, first.say(content(10)).flush());
                own.awaitAllRead(1, second.say(content(10)).flush());
                own.passTime(clock, Duration.ofSeconds(1));
            }
            honest.expectConfirmation().confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            assertEquals(1, own.metrics().get(Counter.FAULTS));
            own.dispatchers().release(dispatcher);
        }
    }
}
