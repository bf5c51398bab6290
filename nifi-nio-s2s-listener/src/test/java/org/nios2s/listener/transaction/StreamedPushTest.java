// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.provenance.ProvenanceReporter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.doubt.DoubtFile;
import org.nios2s.listener.doubt.DoubtRoom;
import org.nios2s.listener.doubt.DoubtRoom.Until;
import org.nios2s.listener.doubt.Fingerprint;
import org.nios2s.listener.doubt.PacketHash;
import org.nios2s.listener.doubt.Receipt;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.Holder;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.PeerKey;
import org.nios2s.listener.limits.PortLimits.TransactionLease;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.limits.TestHolder;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;
import org.nios2s.wire.AttributeMemory;

/** How transactions share content workers. Lives on the test's thread, which also does what a content worker would. */
class StreamedPushTest {
    private static final int PIECE_BYTES = 256 * 1024;
    private static final int PIECES = 20;
    /** What a buffer takes into which the least is read. */
    private static final int LEAST_READ_BYTES = 256;

    private static final long BUDGET_BYTES = 64 * 1024 * 1024;

    private final MemoryBudget budget = new MemoryBudget(BUDGET_BYTES, NanoClock.SYSTEM);
    private final Queue<Runnable> contentWorker = new ArrayDeque<>();
    private final ListenerMetrics metrics = new ListenerMetrics(0, NanoClock.SYSTEM);

    private TransactionLease newLease() {
        final Holder holder = new TestHolder("peer");
        final Grant place = new SharedResource("a place", 1, 0, NanoClock.SYSTEM)
                .commonPart()
                .request(holder, () -> {});
        return new TransactionLease(budget.newPart().open(holder), place);
    }

    private StreamedPush streamInto(final ByteArrayOutputStream content) {
        final StreamedPush transaction = stream(content, Receipt.NONE);
        transaction.packetBegins(new HashMap<>(), (long) PIECES * PIECE_BYTES);
        return transaction;
    }

    private StreamedPush stream(final ByteArrayOutputStream content, final Receipt receipt) {
        final ProcessSession session = mock(ProcessSession.class);
        when(session.create()).thenReturn(mock(FlowFile.class));
        when(session.write(any(FlowFile.class))).thenReturn(content);
        when(session.getProvenanceReporter()).thenReturn(mock(ProvenanceReporter.class));
        final TransactionLease hold = newLease();
        final HeldSession held = mock(HeldSession.class);
        when(held.session()).thenReturn(session);
        when(held.peer()).thenReturn(mock(TransactionPeer.class));
        return new StreamedPush(
                held,
                hold,
                contentWorker::add,
                metrics,
                fault -> {
                    throw new AssertionError(fault);
                },
                receipt);
    }

    private static void add(final StreamedPush transaction, final int pieces) {
        for (int i = 0; i < pieces; i++) {
            final ByteBuf piece = Unpooled.directBuffer(PIECE_BYTES).writeZero(PIECE_BYTES);
            transaction.content(piece, PIECE_BYTES);
            piece.release();
        }
    }

    @Test
    @DisplayName("a fast sender takes turns with the others that wait for a content worker")
    void takesTurns() {
        final ByteArrayOutputStream fast = new ByteArrayOutputStream();
        final ByteArrayOutputStream other = new ByteArrayOutputStream();
        add(streamInto(fast), PIECES);
        add(streamInto(other), 1);
        contentWorker.remove().run();
        assertTrue(fast.size() < PIECES * PIECE_BYTES, "the first turn ends before everything is written");
        contentWorker.remove().run();
        assertEquals(PIECE_BYTES, other.size());
        while (!contentWorker.isEmpty()) {
            contentWorker.remove().run();
        }
        assertEquals(PIECES * PIECE_BYTES, fast.size());
        assertEquals(0, budget.used());
    }

    @Test
    @DisplayName("a transaction that is abandoned at the end of a turn gives everything back in the next")
    void abandonedBetweenTurns() {
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        final StreamedPush transaction = streamInto(content);
        add(transaction, PIECES);
        contentWorker.remove().run();
        final int written = content.size();
        transaction.abandon();
        contentWorker.remove().run();
        assertEquals(written, content.size());
        assertEquals(0, budget.used());
        assertTrue(contentWorker.isEmpty());
    }

    @Test
    @DisplayName("FlowFiles without content take turns, too")
    void emptyFlowFilesTakeTurns() {
        final StreamedPush transaction = streamInto(new ByteArrayOutputStream());
        transaction.packetEnds(0);
        for (int i = 0; i < 20_000; i++) {
            transaction.packetBegins(new HashMap<>(), 0);
            transaction.packetEnds(0);
        }
        final Runnable first = contentWorker.remove();
        contentWorker.add(() -> {});
        first.run();
        assertEquals(2, contentWorker.size(), "it goes on behind the other");
    }

    @Test
    @DisplayName("a peer that sends byte by byte is charged what the buffers and objects take, not what it sends")
    void smallPieces() {
        final StreamedPush transaction = streamInto(new ByteArrayOutputStream());
        final long before = budget.used();
        final int pieces = 1_000;
        for (int i = 0; i < pieces; i++) {
            final ByteBuf piece = Unpooled.directBuffer(LEAST_READ_BYTES).writeZero(1);
            transaction.content(piece, 1);
            piece.release();
        }
        assertTrue(budget.used() - before >= 2L * pieces * LEAST_READ_BYTES * 9 / 10, budget.used() + " bytes");
        transaction.abandon();
        contentWorker.remove().run();
        assertEquals(0, budget.used());
    }

    @Test
    @DisplayName("a byte out of a large buffer does not keep the buffer, of which only the byte is charged")
    void smallPiecesOfLargeBuffers() {
        final StreamedPush transaction = streamInto(new ByteArrayOutputStream());
        final ByteBuf buffer = Unpooled.directBuffer(PIECE_BYTES).writeZero(PIECE_BYTES);
        transaction.content(buffer, 1);
        assertEquals(1, buffer.refCnt());
        transaction.content(buffer, PIECE_BYTES - 1);
        assertEquals(2, buffer.refCnt());
        transaction.abandon();
        contentWorker.remove().run();
        assertEquals(1, buffer.refCnt());
        buffer.release();
        assertEquals(0, budget.used());
    }

    @Test
    @DisplayName("an outcome reaches the peer though it can't be counted")
    void outcomeThatCannotBeCounted() throws Exception {
        final ListenerMetrics broken = mock(ListenerMetrics.class);
        doThrow(new OutOfMemoryError("test")).when(broken).committed(anyInt(), anyInt(), anyLong());
        final List<Outcome> outcomes = new ArrayList<>();
        final StreamedPush transaction = committing(ImmediateEventExecutor.INSTANCE, broken, outcomes::add);
        transaction.completed(new Outcome(null, false));
        assertEquals(List.of(new Outcome(null, false)), outcomes);
        assertEquals(0, budget.used());
    }

    @Test
    @DisplayName("a transaction whose outcome no IO worker takes gives everything back")
    void outcomeThatNoWorkerTakes() throws Exception {
        final EventExecutor ended = mock(EventExecutor.class);
        doThrow(new RejectedExecutionException("test")).when(ended).execute(any());
        final StreamedPush transaction = committing(ended, metrics, outcome -> {});
        assertThrows(RejectedExecutionException.class, () -> transaction.completed(new Outcome(null, false)));
        assertEquals(0, budget.used());
    }

    private StreamedPush committing(
            final EventExecutor worker, final ListenerMetrics ofPort, final OutcomeListener listener) {
        final TransactionLease lease = newLease();
        final HeldSession held = mock(HeldSession.class);
        final TransactionPeer peer = mock(TransactionPeer.class);
        when(held.peer()).thenReturn(peer);
        when(peer.worker()).thenReturn(worker);
        final StreamedPush transaction =
                new StreamedPush(held, lease, Runnable::run, ofPort, fault -> {}, Receipt.NONE);
        transaction.commit(CommitDeadline.NONE, listener);
        verify(held).commit(CommitDeadline.NONE, transaction);
        return transaction;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "of many copies of a packet in doubt as many wait for the commit as were in doubt, and no more are charged")
    void copiesInDoubt(final boolean isDecided) {
        final Map<String, String> attributes = Map.of("uuid", "one", "large", "x".repeat(100_000));
        final DoubtRoom room = new DoubtRoom(Duration.ofMinutes(10), Until.SENT, DoubtFile.none(), NanoClock.SYSTEM);
        final PeerKey peer = new PeerKey("peer");
        final Fingerprint packet = new PacketHash().of(attributes, Unpooled.EMPTY_BUFFER, 0, 0);
        final Receipt lost = room.open("port", peer, metrics);
        lost.claim(List.of(packet, packet));
        lost.peerLost();
        if (isDecided) {
            lost.ended(true);
        }
        final StreamedPush transaction = stream(new ByteArrayOutputStream(), room.open("port", peer, metrics));
        for (int copy = 0; copy < 20; copy++) {
            transaction.packetBegins(new HashMap<>(attributes), 0);
            transaction.packetEnds(0);
            while (!contentWorker.isEmpty()) {
                contentWorker.remove().run();
            }
        }
        assertEquals(2 * AttributeMemory.of(attributes), budget.used());
        transaction.abandon();
        contentWorker.remove().run();
        assertEquals(0, budget.used());
    }

    @Test
    @DisplayName(
            "a transaction whose repetitions can't be looked for is rolled back, and its packets are not waited for")
    void repetitionsThatCannotBeLookedFor() {
        final Receipt receipt = mock(Receipt.class);
        when(receipt.isKept()).thenReturn(true);
        when(receipt.claim(any())).thenThrow(new OutOfMemoryError("test"));
        final List<ConnectionFault> faults = new ArrayList<>();
        final HeldSession held = mock(HeldSession.class);
        final StreamedPush transaction =
                new StreamedPush(held, newLease(), Runnable::run, metrics, faults::add, receipt);
        transaction.commit(CommitDeadline.NONE, outcome -> {});
        assertEquals(1, faults.size());
        verify(held).rollback();
        verify(receipt).ended(false);
        assertEquals(0, budget.used());
    }

    @Test
    @DisplayName("a piece that can't be kept is released")
    void pieceThatCantBeKept() {
        final TransactionLease hold = mock(TransactionLease.class);
        when(hold.charge()).thenThrow(new OutOfMemoryError("test"));
        final StreamedPush transaction =
                new StreamedPush(mock(HeldSession.class), hold, contentWorker::add, metrics, fault -> {}, Receipt.NONE);
        final ByteBuf piece = Unpooled.directBuffer(PIECE_BYTES).writeZero(PIECE_BYTES);
        assertThrows(OutOfMemoryError.class, () -> transaction.content(piece, PIECE_BYTES));
        assertEquals(1, piece.refCnt());
        piece.release();
    }

    @Test
    @DisplayName("a transaction for which no content worker can be had is rolled back, and gives everything back")
    void noContentWorker() {
        final TransactionLease hold = newLease();
        final HeldSession held = mock(HeldSession.class);
        final List<ConnectionFault> faults = new ArrayList<>();
        final StreamedPush transaction = new StreamedPush(
                held,
                hold,
                task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                },
                metrics,
                faults::add,
                Receipt.NONE);
        transaction.packetBegins(Map.of(), 1);
        assertEquals(1, faults.size());
        verify(held).rollback();
        assertEquals(0, budget.used());
    }

    @Test
    @DisplayName(
            "a connection that can't be told to read on, since its IO worker has ended, keeps nothing from its end")
    void noIoWorker() {
        final StreamedPush transaction = streamInto(new ByteArrayOutputStream());
        add(transaction, 2);
        transaction.awaitCaughtUp(() -> {
            throw new RejectedExecutionException("The IO worker has ended");
        });
        transaction.abandon();
        contentWorker.remove().run();
        assertEquals(0, budget.used());
        assertTrue(contentWorker.isEmpty());
    }

    @Test
    @DisplayName("what is passed on to a stream is no longer held in memory, even where passing it on fails midway")
    void passedOn() {
        final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        final TransactionLease hold = newLease();
        final BufferedPush inMemory = new BufferedPush(mock(TransactionPeer.class), hold, allocator, Receipt.NONE);
        inMemory.packetBegins(new HashMap<>(), 1);
        inMemory.content(Unpooled.wrappedBuffer(new byte[1]), 1);
        inMemory.packetEnds(0);
        hold.charge().add(inMemory.bytes());
        final StreamedPush streaming = mock(StreamedPush.class);
        doThrow(new OutOfMemoryError("test")).when(streaming).packetEnds(0);
        assertThrows(OutOfMemoryError.class, () -> inMemory.moveTo(streaming));
        assertEquals(0, allocator.metric().usedDirectMemory());
        assertEquals(0, budget.used());
        assertEquals(List.of(), inMemory.packets());
    }
}
