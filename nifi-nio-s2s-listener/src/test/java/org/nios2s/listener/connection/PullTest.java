// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import ch.qos.logback.classic.Level;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.io.CompressionInputStream;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.access.AccessLines;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.TestHolder;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.port.PortDispatcher;
import org.nios2s.peers.TestPeer;

/** A peer pulls FlowFiles, and reads them with NiFi's own codec. Lives on the test's thread. */
class PullTest extends OnePeer {

    private final AtomicLong clock = new AtomicLong(System.nanoTime());
    private final CRC32 checksum = new CRC32();

    private static byte[] content(final int size) {
        final byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }

    private TestPeer open(final String... others) throws IOException {
        final List<String> properties = new ArrayList<>(List.of("BATCH_COUNT", "1000"));
        properties.addAll(List.of(others));
        return peer.open(SteppedListener.OUTPUT_PORT, properties.toArray(String[]::new));
    }

    private TestPeer pull() throws IOException {
        checksum.reset();
        return peer.request("RECEIVE_FLOWFILES");
    }

    /** Reads all packets behind MORE_DATA, up to FINISH_TRANSACTION. */
    private List<byte[]> readPackets(final boolean gzip) throws Exception {
        final List<byte[]> contents = new ArrayList<>();
        final StandardFlowFileCodec codec = new StandardFlowFileCodec();
        ResponseCode next = ResponseCode.CONTINUE_TRANSACTION;
        while (next == ResponseCode.CONTINUE_TRANSACTION) {
            final InputStream packet = gzip ? new CompressionInputStream(peer.in()) : peer.in();
            final CheckedInputStream checked = new CheckedInputStream(packet, checksum);
            final DataPacket received = codec.decode(checked);
            assertEquals(
                    String.valueOf(contents.size()), received.getAttributes().get("index"));
            contents.add(received.getData().readAllBytes());
            if (gzip) {
                packet.close();
            }
            next = ResponseCode.fromCode(peer.in().readNBytes(3)[2]);
        }
        assertEquals(ResponseCode.FINISH_TRANSACTION, next);
        return contents;
    }

    private TestPeer receipt() throws IOException {
        return peer.say(ResponseCode.CONFIRM_TRANSACTION, String.valueOf(checksum.getValue()));
    }

    private void queue(final int count, final byte[] content) {
        for (int i = 0; i < count; i++) {
            listener.output().queue(Map.of("uuid", "source-" + i, "index", String.valueOf(i)), content);
        }
    }

    @Test
    @DisplayName("an empty queue is answered with no more data, without a port task, again and again")
    void nothingQueued() throws Exception {
        listener.output().scheduled(false);
        open();
        pull().expect(ResponseCode.NO_MORE_DATA);
        pull().expect(ResponseCode.NO_MORE_DATA);
        assertEquals(0, listener.output().mostInQueue());
    }

    @ParameterizedTest
    @CsvSource({"1, 0, false", "1, 10, true", "3, 1000, false", "500, 10, true", "2, 3000000, false", "2, 3000000, true"
    })
    @DisplayName("what is queued arrives whole and in order, and is committed when the peer has made it its own")
    void pulls(final int count, final int size, final boolean gzip) throws Exception {
        queue(count, content(size));
        open("GZIP", String.valueOf(gzip));
        pull().expect(ResponseCode.MORE_DATA);
        final List<byte[]> contents = readPackets(gzip);
        assertEquals(count, contents.size());
        contents.forEach(content -> assertArrayEquals(content(size), content));
        receipt().expect(ResponseCode.CONFIRM_TRANSACTION, "");
        assertEquals(0, listener.output().commits());
        peer.say(ResponseCode.TRANSACTION_FINISHED);
        pull().expect(ResponseCode.NO_MORE_DATA);
        assertEquals(1, listener.output().commits());
        assertEquals(count, listener.output().sent().size());
        listener.assertNoFault();
        listener.awaitNothingHeld();
    }

    @Test
    @DisplayName("a batch ends at the peer's count, and the next pull goes on behind it")
    void batchCount() throws Exception {
        queue(1, content(10));
        queue(1, content(20));
        peer.open(SteppedListener.OUTPUT_PORT, "BATCH_COUNT", "1");
        for (final int size : new int[] {10, 20}) {
            pull().expect(ResponseCode.MORE_DATA);
            assertArrayEquals(content(size), readPackets(false).get(0));
            receipt().expect(ResponseCode.CONFIRM_TRANSACTION, "");
            peer.say(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL);
        }
        pull().expect(ResponseCode.NO_MORE_DATA);
        assertEquals(2, listener.output().commits());
    }

    @Test
    @DisplayName("a checksum that differs is answered with bad checksum, rolls back and closes")
    void badChecksum() throws Exception {
        queue(1, content(10));
        open();
        pull().expect(ResponseCode.MORE_DATA);
        readPackets(false);
        peer.say(ResponseCode.CONFIRM_TRANSACTION, "4711")
                .expect(ResponseCode.BAD_CHECKSUM)
                .expectEnd();
        listener.awaitFault(ConnectionFault.Kind.BAD_CHECKSUM);
        assertRolledBack();
    }

    private void assertRolledBack() {
        SteppedListener.awaiting().until(() -> listener.output().queued() == 1);
        assertEquals(0, listener.output().commits());
    }

    @ParameterizedTest
    @EnumSource(names = {"TRANSACTION_FINISHED", "PROPERTIES_OK", "BAD_CHECKSUM"})
    @DisplayName("another response in place of the checksum rolls back and closes")
    void unexpectedReceipt(final ResponseCode code) throws Exception {
        queue(1, content(10));
        open();
        pull().expect(ResponseCode.MORE_DATA);
        readPackets(false);
        peer.say(code).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNEXPECTED_RESPONSE);
        assertRolledBack();
    }

    @Test
    @DisplayName("cancelling in place of finishing rolls back and closes")
    void unexpectedFinish() throws Exception {
        queue(1, content(10));
        open();
        pull().expect(ResponseCode.MORE_DATA);
        readPackets(false);
        receipt().expect(ResponseCode.CONFIRM_TRANSACTION, "");
        peer.say(ResponseCode.CANCEL_TRANSACTION, "no").expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNEXPECTED_RESPONSE);
        assertRolledBack();
    }

    @ParameterizedTest
    @CsvSource({"10", "30000000"})
    @DisplayName("a peer that leaves in the middle of a pull gives everything back")
    void leaves(final int size) throws Exception {
        queue(1, content(size));
        open();
        pull().expect(ResponseCode.MORE_DATA);
        peer.reset();
        listener.awaitNoConnections();
        assertRolledBack();
        listener.awaitNothingHeld();
    }

    @Test
    @DisplayName("a peer that leaves behind the receipt gives everything back")
    void leavesBeforeFinish() throws Exception {
        queue(1, content(10));
        open();
        pull().expect(ResponseCode.MORE_DATA);
        readPackets(false);
        receipt().expect(ResponseCode.CONFIRM_TRANSACTION, "");
        peer.reset();
        listener.awaitFault(ConnectionFault.Kind.CONNECTION_LOST);
        assertRolledBack();
    }

    @Test
    @DisplayName("a peer that leaves behind its finish has its FlowFiles, and they are committed")
    void leavesBehindFinish() throws Exception {
        queue(1, content(10));
        open();
        pull().expect(ResponseCode.MORE_DATA);
        readPackets(false);
        receipt().expect(ResponseCode.CONFIRM_TRANSACTION, "");
        peer.say(ResponseCode.TRANSACTION_FINISHED).flush();
        peer.close();
        SteppedListener.awaiting().until(() -> listener.output().commits() == 1);
        listener.awaitNoConnections();
        assertEquals(0, listener.output().queued());
    }

    @Test
    @DisplayName("a peer that reads nothing of a large pull for its request expiration is closed")
    void readsNothing() throws Exception {
        queue(1, content(30_000_000));
        open("REQUEST_EXPIRATION_MILLIS", "10000");
        pull().flush();
        listener.awaitStep("SendStep");
        SteppedListener.awaiting().until(() -> {
            // While a content worker makes the next piece it is not the peer's turn.
            listener.checkDeadlinesAfter(Duration.ofMinutes(10));
            return listener.metrics().get(ListenerMetrics.Counter.FAULTS) > 0;
        });
        listener.awaitFault(ConnectionFault.Kind.IDLE_TIMEOUT);
        assertRolledBack();
    }

    @Test
    @DisplayName("a port that is stopped before the peer has confirmed cuts it off and gives everything back")
    void portStopped() throws Exception {
        queue(1, content(10));
        open();
        pull().expect(ResponseCode.MORE_DATA);
        readPackets(false);
        listener.awaitStep("AwaitChecksumStep");
        listener.output().running(false);
        listener.checkDeadlinesAfter(Duration.ZERO);
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PORT_NOT_RUNNING);
        assertRolledBack();
    }

    @Test
    @DisplayName("a pull that no port task takes expires")
    void expires() throws Exception {
        queue(1, content(10));
        listener.output().scheduled(false);
        open("REQUEST_EXPIRATION_MILLIS", "10000");
        pull().flush();
        listener.awaitStep("AwaitFlowFilesStep");
        listener.checkDeadlinesAfter(Duration.ofSeconds(21));
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.REQUEST_EXPIRED);
        assertRolledBack();
    }

    /** @return two peers that have their FlowFiles and have not finished; a third one waits for a permit, and is the peer */
    private List<TestPeer> takeAllPermits() throws Exception {
        stop();
        listener = new SteppedListener(clock::get, "streaming.transactions", "1", "connections.max", "3");
        final List<TestPeer> unfinished = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            peer = listener.connect();
            pullUpToFinish();
            unfinished.add(peer);
        }
        queue(1, content(10));
        peer = listener.connect();
        open();
        pull().flush();
        listener.awaitStep("AwaitFlowFilesStep");
        return unfinished;
    }

    private void pullUpToFinish() throws Exception {
        queue(1, content(10));
        open("REQUEST_EXPIRATION_MILLIS", "0");
        pull().expect(ResponseCode.MORE_DATA);
        readPackets(false);
        receipt().expect(ResponseCode.CONFIRM_TRANSACTION, "");
    }

    @Test
    @DisplayName("beyond the permitted number a pull waits, and goes on when another has ended")
    void permits() throws Exception {
        final List<TestPeer> unfinished = takeAllPermits();
        assertEquals(1, listener.output().queued());
        unfinished.get(0).say(ResponseCode.TRANSACTION_FINISHED).flush();
        peer.expect(ResponseCode.MORE_DATA);
        readPackets(false);
        for (final TestPeer other : unfinished) {
            other.close();
        }
    }

    @Test
    @DisplayName("where order counts, the next peer gets what a broken pull had before anything later")
    void inOrder() throws Exception {
        stop();
        listener = new SteppedListener("pulls.in.order", "true");
        queue(2, content(10));
        final TestPeer broken = listener.connect();
        broken.open(SteppedListener.OUTPUT_PORT, "BATCH_COUNT", "1")
                .request("RECEIVE_FLOWFILES")
                .expect(ResponseCode.MORE_DATA);
        peer = listener.connect();
        open();
        pull().flush();
        listener.awaitStep("AwaitFlowFilesStep");
        broken.reset();
        peer.expect(ResponseCode.MORE_DATA);
        assertEquals(2, readPackets(false).size());
    }

    @Test
    @DisplayName("a pull that waits for its permit gives way where there are too many connections")
    void givesWay() throws Exception {
        final List<TestPeer> unfinished = takeAllPermits();
        try (TestPeer newcomer = listener.connect()) {
            newcomer.open(INPUT_PORT);
            peer.expectEnd();
            listener.awaitFault(ConnectionFault.Kind.TOO_MANY_CONNECTIONS);
        }
        for (final TestPeer other : unfinished) {
            other.close();
        }
    }

    @Test
    @DisplayName(
            "a peer that never says that it has finished has half a minute, then those go on who wait for its permit")
    void neverFinishes() throws Exception {
        final List<TestPeer> unfinished = takeAllPermits();
        listener.passTime(clock, Duration.ofSeconds(29));
        listener.assertNoFault();
        listener.passTime(clock, Duration.ofSeconds(5));
        peer.expect(ResponseCode.MORE_DATA);
        unfinished.getFirst().expectEnd();
        // The second one stays if the first one's permit was back, and nobody waited, when its deadline was looked at.
        for (final TestPeer other : unfinished) {
            other.close();
        }
    }

    @Test
    @DisplayName("a peer that takes its time to finish is not blamed for memory that others lack")
    void finishesLate() throws Exception {
        pullUpToFinish();
        listener.awaitStep("AwaitFinishedStep");
        final PortDispatcher dispatcher =
                listener.dispatchers().acquire(listener.output().port());
        try (SharedResource.Grant other = dispatcher.limits().memory().open(new TestHolder("others"))) {
            other.add(listener.budget().limit() / 2);
            final SharedResource.Grant waits = dispatcher
                    .limits()
                    .memory()
                    .request(new TestHolder("waits"), MemoryBudget.SMALL_BYTES, 0, () -> {});
            assertEquals(1, dispatcher.limits().memory().waiting());
            listener.checkDeadlinesAfter(Duration.ofSeconds(31));
            listener.assertNoFault();
            waits.close();
        } finally {
            listener.dispatchers().release(dispatcher);
        }
    }

    @Test
    @DisplayName("a peer that has not finished when its port stops has half a minute, then everything is given back")
    void portStoppedBeforeFinish() throws Exception {
        pullUpToFinish();
        listener.awaitStep("AwaitFinishedStep");
        listener.output().running(false);
        listener.checkDeadlinesAfter(Duration.ofSeconds(29));
        listener.assertNoFault();
        listener.checkDeadlinesAfter(Duration.ofSeconds(31));
        peer.expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PORT_NOT_RUNNING);
        assertRolledBack();
    }

    @Test
    @DisplayName(
            "a peer that leaves before it has finished may have the FlowFiles, which others get now: one line says so")
    void possibleDuplicates() throws Exception {
        try (AccessLines log = new AccessLines("Transactions", Level.DEBUG)) {
            pullUpToFinish();
            listener.awaitStep("AwaitFinishedStep");
            peer.reset();
            listener.awaitFault(ConnectionFault.Kind.CONNECTION_LOST);
            assertRolledBack();
            assertEquals(1, listener.possibleDuplicates());
            assertTrue(
                    log.lines().get(0).contains(" rolled back: sent 1 FlowFiles with 10 bytes in N ms at "),
                    log.lines()::toString);
        }
    }

    @Test
    @DisplayName("a pull is told of when it was committed")
    void told() throws Exception {
        try (AccessLines log = new AccessLines("Transactions", Level.DEBUG)) {
            pullUpToFinish();
            peer.say(ResponseCode.TRANSACTION_FINISHED).flush();
            SteppedListener.awaiting().until(() -> log.lines().size() == 1);
            assertTrue(
                    log.lines().get(0).contains(" committed: sent 1 FlowFiles with 10 bytes in N ms at "),
                    log.lines()::toString);
            assertEquals(0, listener.possibleDuplicates());
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 262144", "15, 16384"})
    @DisplayName("a large content is sent in pieces, small ones while memory is short")
    void pieces(final int thirtySecondsInUse, final int mostBytes) throws Exception {
        final PortDispatcher dispatcher =
                listener.dispatchers().acquire(listener.output().port());
        try (SharedResource.Grant others = dispatcher.limits().memory().open(new TestHolder("others"))) {
            others.add(listener.budget().limit() * thirtySecondsInUse / 32);
            queue(1, content(3_000_000));
            open();
            listener.budget().peakSinceLastCall();
            pull().expect(ResponseCode.MORE_DATA);
            readPackets(false);
            assertEquals(mostBytes, listener.budget().peakSinceLastCall() - others.used());
        } finally {
            listener.dispatchers().release(dispatcher);
        }
    }

    @Test
    @DisplayName("a peer of a pull whose content is read slowly is not the one who is slow")
    void slowRepository() throws Exception {
        final AtomicInteger reads = new AtomicInteger();
        final CountDownLatch mayRead = new CountDownLatch(1);
        listener.output().beforeRead(() -> {
            // The second FlowFile is behind the first piece: a content worker reads it.
            if (reads.incrementAndGet() == 2) {
                SteppedListener.awaiting().until(() -> mayRead.getCount() == 0);
            }
        });
        queue(2, content(300_000));
        open();
        pull().expect(ResponseCode.MORE_DATA);
        final CompletableFuture<List<byte[]>> received = CompletableFuture.supplyAsync(() -> {
            try {
                return readPackets(false);
            } catch (final Exception e) {
                throw new CompletionException(e);
            }
        });
        SteppedListener.awaiting().until(() -> reads.get() == 2);
        listener.checkDeadlinesAfter(Duration.ofMinutes(10));
        listener.assertNoFault();
        mayRead.countDown();
        assertEquals(2, received.get(20, TimeUnit.SECONDS).size());
        receipt().expect(ResponseCode.CONFIRM_TRANSACTION, "");
    }

    @Test
    @DisplayName("an Error while a content is read closes the connection and gives everything back")
    void errorInRead() throws Exception {
        listener.output().beforeRead(() -> {
            throw new OutOfMemoryError("test");
        });
        queue(1, content(10));
        open();
        pull().expectEnd();
        listener.awaitFault(ConnectionFault.Kind.COMMIT_FAILED);
        assertRolledBack();
        listener.awaitNothingHeld();
    }
}
