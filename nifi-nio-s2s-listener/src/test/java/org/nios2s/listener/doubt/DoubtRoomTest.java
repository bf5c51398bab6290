// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.doubt.DoubtRoom.Until;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.PeerKey;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.time.NanoClock;

/** Transactions and what is in doubt of them, in any order of events. Lives on the test's thread. */
@DisplayName("Packets in doubt")
class DoubtRoomTest {
    private static final Duration KEPT = Duration.ofMinutes(10);

    @TempDir
    private Path directory;

    private final AtomicLong nanos = new AtomicLong();
    private final DoubtRoom room = new DoubtRoom(KEPT, Until.SENT, DoubtFile.none(), nanos::get);

    private Receipt open(final String peer) {
        return room.open("port", new PeerKey(peer), new ListenerMetrics(1, NanoClock.SYSTEM));
    }

    private static List<Fingerprint> packets(final long... numbers) {
        return LongStream.of(numbers)
                .mapToObj(number -> new Fingerprint("source-" + number, number, 0))
                .toList();
    }

    /** A transaction that is committed and whose peer can't be told. */
    private void loseAnswer(final String peer, final long... numbers) {
        final Receipt receipt = open(peer);
        assertNull(receipt.claim(packets(numbers)));
        receipt.ended(true);
        receipt.peerLost();
    }

    private boolean absorbs(final String peer, final long number) {
        final Receipt receipt = open(peer);
        assertNull(receipt.claim(packets(number)));
        receipt.ended(true);
        return receipt.isRepetition(0);
    }

    @Test
    @DisplayName("a peer that is lost before the commit, during it or after it leaves its packets in doubt")
    void lostAtAnyTime() {
        for (int moment = 0; moment < 3; moment++) {
            final Receipt receipt = open("peer");
            if (moment == 0) {
                receipt.peerLost();
            }
            assertNull(receipt.claim(packets(1)));
            if (moment == 1) {
                receipt.peerLost();
            }
            receipt.ended(true);
            if (moment == 2) {
                receipt.peerLost();
            }
            assertEquals(1, room.inDoubt());
            assertTrue(absorbs("peer", 1));
            assertEquals(0, room.inDoubt());
        }
    }

    @Test
    @DisplayName("what was not committed is not in doubt, whenever its peer is lost")
    void notCommitted() {
        final Receipt before = open("peer");
        before.peerLost();
        before.claim(packets(1));
        before.ended(false);
        final Receipt after = open("peer");
        after.claim(packets(2));
        after.ended(false);
        after.peerLost();
        assertEquals(0, room.inDoubt());
        assertFalse(absorbs("peer", 1));
        assertFalse(absorbs("peer", 2));
    }

    @Test
    @DisplayName("a repetition that overtakes the commit of the first transmission is sent back, and is found later")
    void overtaken() {
        final Receipt first = open("peer");
        first.claim(packets(1, 2));
        first.peerLost();
        final Receipt early = open("peer");
        assertNotNull(early.claim(packets(3, 2)));
        early.ended(false);
        assertNull(open("other").claim(packets(2)));
        assertNull(open("peer").claim(packets(4)));
        first.ended(true);
        assertTrue(absorbs("peer", 2));
        assertTrue(absorbs("peer", 1));
        assertEquals(0, room.inDoubt());
    }

    @Test
    @DisplayName("a repetition is written if the first transmission that it overtook is rolled back")
    void overtakenForNothing() {
        final Receipt first = open("peer");
        first.claim(packets(1));
        first.peerLost();
        assertNotNull(open("peer").claim(packets(1)));
        first.ended(false);
        assertFalse(absorbs("peer", 1));
    }

    /** Packets of one transaction, of which each is sent again just when the end, or the claim, of the first one needs it. */
    private final class SentAgainMeanwhile extends AbstractList<Fingerprint> {
        private final List<Fingerprint> packets;
        private final List<ConnectionFault> refusals = new ArrayList<>();
        private Predicate<Fingerprint> isSentAgain = packet -> false;

        SentAgainMeanwhile(final List<Fingerprint> packets) {
            this.packets = packets;
        }

        @Override
        public int size() {
            return packets.size();
        }

        @Override
        public Fingerprint get(final int index) {
            if (isSentAgain.test(packets.get(index))) {
                refusals.add(open("peer").claim(packets));
            }
            return packets.get(index);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a repetition is sent back until the end of the first transmission is remembered, commit or rollback")
    void overtakesTheEnd(final boolean committed) {
        loseAnswer("peer", 1, 2);
        final SentAgainMeanwhile packets = new SentAgainMeanwhile(packets(1, 2));
        final Receipt first = open("peer");
        assertNull(first.claim(packets));
        first.peerLost();
        packets.isSentAgain = packet -> true;
        first.ended(committed);
        assertTrue(packets.refusals.size() >= 2);
        assertFalse(packets.refusals.contains(null));
        assertTrue(absorbs("peer", 1));
        assertTrue(absorbs("peer", 2));
        assertEquals(0, room.inDoubt());
    }

    @Test
    @DisplayName("a repetition is sent back while a transaction whose peer has left takes its like out of doubt")
    void overtakesTheClaim() {
        loseAnswer("peer", 1, 2);
        final SentAgainMeanwhile packets = new SentAgainMeanwhile(packets(1, 2));
        final Receipt first = open("peer");
        first.peerLost();
        packets.isSentAgain = packet -> room.isUndecided(Sender.of("port", new PeerKey("peer")), packet);
        assertNull(first.claim(packets));
        assertEquals(2, packets.refusals.size());
        assertFalse(packets.refusals.contains(null));
    }

    @Test
    @DisplayName("of two repetitions at once one is absorbed")
    void twoAtOnce() {
        loseAnswer("peer", 1);
        final Receipt one = open("peer");
        final Receipt other = open("peer");
        assertNull(one.claim(packets(1)));
        assertNull(other.claim(packets(1)));
        assertTrue(one.isRepetition(0));
        assertFalse(other.isRepetition(0));
        one.ended(false);
        assertTrue(absorbs("peer", 1));
    }

    @Test
    @DisplayName("are forgotten after their time, counted from their commit and not from a repetition")
    void forgotten() {
        loseAnswer("peer", 1, 2);
        nanos.addAndGet(KEPT.toNanos() / 2);
        loseAnswer("peer", 2, 3);
        nanos.addAndGet(KEPT.toNanos() / 2 + 1);
        room.forgetOld();
        assertEquals(1, room.inDoubt());
        assertFalse(absorbs("peer", 1));
        assertFalse(absorbs("peer", 2));
        assertTrue(absorbs("peer", 3));
    }

    @Test
    @DisplayName("are found no more after their time, even if nothing has been forgotten yet")
    void tooLate() {
        loseAnswer("peer", 1);
        nanos.addAndGet(KEPT.toNanos() + 1);
        assertFalse(absorbs("peer", 1));
    }

    @Test
    @DisplayName("of a peer that has too many make room by its own oldest, not by those of others")
    void ownOldestFirst() {
        loseAnswer("quiet", 1, 2);
        loseAnswer("noisy", LongStream.range(0, DoubtRoom.MAX_PACKETS).toArray());
        assertEquals(DoubtRoom.MAX_PACKETS, room.inDoubt());
        assertTrue(absorbs("quiet", 1));
        assertTrue(absorbs("quiet", 2));
        assertFalse(absorbs("noisy", 0));
        assertFalse(absorbs("noisy", 1));
        assertTrue(absorbs("noisy", 2));
    }

    @Test
    @DisplayName("of a peer that has few take the place of those of a peer that has most")
    void placeOfOthers() {
        loseAnswer("noisy", LongStream.range(0, DoubtRoom.MAX_PACKETS).toArray());
        loseAnswer("quiet", 1);
        assertEquals(DoubtRoom.MAX_PACKETS, room.inDoubt());
        assertTrue(absorbs("quiet", 1));
        assertFalse(absorbs("noisy", 0));
        assertTrue(absorbs("noisy", 1));
    }

    @Test
    @DisplayName("are not looked after where that is switched off")
    void off() {
        final Receipt receipt = new DoubtRoom(Duration.ZERO, Until.SENT, DoubtFile.none(), nanos::get)
                .open("port", new PeerKey("peer"), new ListenerMetrics(1, NanoClock.SYSTEM));
        assertSame(Receipt.NONE, receipt);
        receipt.peerLost();
        receipt.ended(true);
        assertFalse(receipt.isKept());
        assertFalse(receipt.isRepetition(0));
    }

    @Test
    @DisplayName("take no lock that all transactions share where they are not looked after")
    void offWithoutLock() {
        final Receipt receipt = Receipt.NONE;
        synchronized (receipt) {
            assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
                assertNull(receipt.claim(packets(1)));
                receipt.ended(true);
                receipt.answers(new LastAnswer(nanos::get));
                receipt.answered(ImmediateEventExecutor.INSTANCE.newSucceededFuture(null));
                receipt.peerLost();
            });
        }
    }

    /** Answers that have left, of peers that have not shown that they read them. */
    private final class Heard {
        private final DoubtRoom room = new DoubtRoom(KEPT, Until.HEARD, DoubtFile.none(), nanos::get);
        private final LastAnswer answer = new LastAnswer(nanos::get);

        private Receipt open() {
            return room.open("port", new PeerKey("peer"), new ListenerMetrics(1, NanoClock.SYSTEM));
        }

        private Heard answered(final long... numbers) {
            final Receipt receipt = open();
            receipt.claim(packets(numbers));
            receipt.ended(true);
            receipt.answers(answer);
            receipt.answered(ImmediateEventExecutor.INSTANCE.newSucceededFuture(null));
            return this;
        }

        private Heard after(final Duration time, final boolean isUnacknowledged) {
            nanos.addAndGet(time.toNanos());
            answer.check(nanos.get(), () -> isUnacknowledged);
            return this;
        }
    }

    @Test
    @DisplayName("include those whose answer left just before the connection was reset, if that is wanted")
    void resetBehindAnswer() {
        final Heard heard = new Heard().answered(1, 2);
        assertEquals(0, heard.room.inDoubt());
        heard.answer.reset();
        assertEquals(2, heard.room.inDoubt());
        final Receipt again = heard.open();
        again.claim(packets(2));
        again.ended(true);
        assertTrue(again.isRepetition(0));
    }

    @Test
    @DisplayName(
            "exclude those of a peer that has sent something since, has ended in good order, or is still connected")
    void read() {
        final Heard continued = new Heard().answered(1);
        continued.answer.peerContinues();
        continued.answer.reset();
        assertEquals(0, continued.room.inDoubt());
        final Heard ended = new Heard().answered(1);
        ended.answer.peerEnds(() -> false);
        assertEquals(0, ended.room.inDoubt());
        final Heard connected = new Heard().answered(1).after(Duration.ofSeconds(5), false);
        connected.answer.reset();
        assertEquals(0, connected.room.inDoubt());
    }

    @Test
    @DisplayName(
            "include those of a peer that ended, or does not move, before its kernel had the answer, until it sends something")
    void notAcknowledged() {
        final Heard ended = new Heard().answered(1);
        ended.answer.peerEnds(() -> true);
        assertEquals(1, ended.room.inDoubt());
        final Heard slow = new Heard().answered(1).after(Duration.ofMillis(999), true);
        assertEquals(0, slow.room.inDoubt());
        slow.after(Duration.ofMillis(1), true);
        assertEquals(1, slow.room.inDoubt());
        slow.answer.peerContinues();
        assertEquals(0, slow.room.inDoubt());
    }

    /** A room with a file, and what the next process finds there. */
    private final class Kept {
        private final LastAnswer answer = new LastAnswer(nanos::get);
        private DoubtRoom room;

        Kept() {
            start();
        }

        private void start() {
            final Path bootId = directory.resolve("boot_id");
            assertDoesNotThrow(() -> Files.writeString(bootId, "one"));
            room = new DoubtRoom(KEPT, Until.HEARD, DoubtFile.open(directory.resolve("file"), bootId), nanos::get);
        }

        private Kept startAgain() {
            room.close();
            start();
            return this;
        }

        private Receipt claimed(final String peer, final long... numbers) {
            final Receipt receipt = room.open("port", new PeerKey(peer), new ListenerMetrics(1, NanoClock.SYSTEM));
            assertNull(receipt.claim(packets(numbers)));
            return receipt;
        }

        private Receipt committed(final String peer, final long... numbers) {
            final Receipt receipt = claimed(peer, numbers);
            receipt.ended(true);
            return receipt;
        }

        private void answered(final long... numbers) {
            final Receipt receipt = committed("peer", numbers);
            receipt.answers(answer);
            receipt.answered(ImmediateEventExecutor.INSTANCE.newSucceededFuture(null));
        }
    }

    @Test
    @DisplayName("are known to the next process until their peer has shown that it was told")
    void restarted() {
        final Kept kept = new Kept();
        kept.committed("peer", 1);
        kept.answered(2, 3);
        assertEquals(3, kept.startAgain().room.inDoubt());
        kept.answered(4);
        kept.answer.peerContinues();
        kept.answered(5);
        kept.answered(6);
        kept.answer.ended();
        assertEquals(3, kept.startAgain().room.inDoubt());
    }

    @Test
    @DisplayName("are known to the next process if their answer could not leave, or was lost until the peer goes on")
    void restartedBehindLostAnswer() {
        final Kept kept = new Kept();
        final Receipt lost = kept.committed("peer", 1);
        lost.answers(kept.answer);
        lost.answered(ImmediateEventExecutor.INSTANCE.newFailedFuture(new IOException("reset")));
        kept.answer.ended();
        kept.answered(2);
        kept.answer.peerEnds(() -> true);
        kept.answer.ended();
        kept.answered(3);
        kept.answer.peerEnds(() -> true);
        kept.answer.peerContinues();
        assertEquals(2, kept.room.inDoubt());
        assertEquals(2, kept.startAgain().room.inDoubt());
    }

    @Test
    @DisplayName("stay known to the next process while a repetition is committed, and after its rollback")
    void restartedInRepetition() {
        final Kept kept = new Kept();
        kept.committed("peer", 1);
        assertTrue(kept.startAgain().claimed("peer", 1).isRepetition(0));
        kept.startAgain();
        assertEquals(1, kept.room.inDoubt());
        kept.claimed("peer", 1).ended(false);
        assertEquals(1, kept.startAgain().room.inDoubt());
        final Receipt told = kept.committed("peer", 1);
        assertTrue(told.isRepetition(0));
        assertEquals(1, kept.startAgain().room.inDoubt());
        kept.answered(1);
        kept.answer.peerContinues();
        assertEquals(0, kept.startAgain().room.inDoubt());
    }

    @Test
    @DisplayName("have a place in the file, as many as they may be")
    void placeInFile() {
        final Kept kept = new Kept();
        final int many = 1_000;
        for (int first = 0; first < DoubtRoom.MAX_PACKETS; first += many) {
            kept.committed("noisy", LongStream.range(first, first + many).toArray())
                    .peerLost();
        }
        kept.committed("quiet", 1).peerLost();
        assertEquals(DoubtRoom.MAX_PACKETS, kept.room.inDoubt());
        assertEquals(DoubtRoom.MAX_PACKETS, kept.startAgain().room.inDoubt());
        assertTrue(kept.committed("quiet", 1).isRepetition(0));
        assertFalse(kept.committed("noisy", 0).isRepetition(0));
        assertTrue(kept.committed("noisy", 1).isRepetition(0));
    }
}
