// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

import io.netty.util.concurrent.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.nios2s.listener.doubt.DoubtRoom.Until;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;

/**
 * What one push transaction and its peer know of each other: whether it was committed, and whether the peer could be told.
 * Thread-safe: the thread that commits says the first, the connection's IO worker the second, in any order.
 *
 * <p>What was committed and could not be told is in doubt from then on. A packet that is found there is a repetition: it is not
 * written again, and is committed with the rest of its transaction. If that is rolled back, the packet is in doubt as before.
 */
public final class Receipt {
    /** Of a listener that remembers nothing. All its transactions share this one, so nothing locks it. */
    public static final Receipt NONE = new Receipt(null, null, null);

    /** Where the transaction stands; only forwards. */
    private enum State {
        /** Its packets arrive, or it waits for a port task. */
        OPEN,
        /** It is being written and committed. */
        CLAIMED,
        /** It was committed, and its peer does not know. */
        COMMITTED,
        /** The answer has left, and the peer has not shown that it has read it. */
        ANSWERED,
        /** The same, and its packets are in doubt. */
        UNHEARD,
        /** It was rolled back, or its peer was told, or its packets are in doubt. */
        SETTLED
    }

    private final DoubtRoom room;
    private final Sender sender;
    private final ListenerMetrics metrics;
    private State state = State.OPEN;
    private boolean isPeerLost;
    private boolean isUndecided;
    private List<Fingerprint> packets;
    /** Packets that were in doubt, by their indexes. */
    private final Map<Integer, DoubtRoom.Commit> repetitions = new HashMap<>();

    private long committedNanos;
    /** Where the packets are in the file; empty if none is kept. */
    private int[] slots = {};
    /** Where the answer is on its way, and what becomes of it will be told; null before. */
    private LastAnswer answer;

    Receipt(final DoubtRoom room, final Sender sender, final ListenerMetrics metrics) {
        this.room = room;
        this.sender = sender;
        this.metrics = metrics;
    }

    /** @return whether what can't be told is remembered */
    public boolean isKept() {
        return room != null;
    }

    /** @return what a peer that could not be told can do, for the log */
    public String consequence() {
        if (isKept()) {
            return " (what it sends again to this node within " + room.keptSeconds() + " s is not stored twice)";
        }
        return "";
    }

    /**
     * @param earlier packets of the transaction with the same fingerprint that may be repetitions
     * @return whether the packet has a like in doubt, as far as that is known before its transaction is complete
     */
    public boolean mayBeRepetition(final Fingerprint packet, final int earlier) {
        return isKept() && packet != null && earlier < room.count(sender, packet);
    }

    /**
     * The transaction is about to be written: its repetitions are found, and nobody else finds them now.
     *
     * @param received its packets, null for one that can't be recognized
     * @return why the transaction can't be committed yet, or null if it can
     */
    public ConnectionFault claim(final List<Fingerprint> received) {
        if (!isKept()) {
            return null;
        }
        synchronized (this) {
            if (state != State.OPEN) {
                return null;
            }
            packets = received;
            state = State.CLAIMED;
            return findRepetitions();
        }
    }

    private ConnectionFault findRepetitions() {
        final boolean mayHaveSome = room.knows(sender);
        if (mayHaveSome && packets.stream().anyMatch(packet -> room.isUndecided(sender, packet))) {
            settle();
            return Kind.POSSIBLE_DUPLICATES.fault(
                    "A packet was sent again while the transaction that had it first was still being committed; this one is"
                            + " rolled back, and the peer will send it again");
        }
        // First: what were neither in doubt nor undecided for a moment could be committed by another transaction.
        if (isPeerLost) {
            becomeUndecided();
        }
        if (mayHaveSome) {
            takeRepetitions();
        }
        return null;
    }

    private void takeRepetitions() {
        for (int i = 0; i < packets.size(); i++) {
            final Fingerprint packet = packets.get(i);
            final DoubtRoom.Commit taken = packet == null ? null : room.take(sender, packet);
            if (taken != null) {
                repetitions.put(i, taken);
            }
        }
    }

    private void becomeUndecided() {
        isUndecided = true;
        room.addUndecided(sender, packets);
    }

    /** @return whether the packet is not to be written, since it is committed already; on the thread that has claimed */
    public boolean isRepetition(final int index) {
        return repetitions.containsKey(index);
    }

    /** The commit has returned, or there will be none. To be called before the peer can be told. */
    public void ended(final boolean committed) {
        if (!isKept()) {
            return;
        }
        if (!isClaimed()) {
            return;
        }
        int[] written = {};
        try {
            if (committed) {
                committedNanos = room.nowNanos();
                // Without the lock: the connection's IO worker must not wait for the disk.
                written = room.file().add(sender, packets, this::commit);
            }
        } finally {
            remember(committed, written);
        }
    }

    private synchronized boolean isClaimed() {
        return state == State.CLAIMED;
    }

    private synchronized void remember(final boolean committed, final int... written) {
        try {
            rememberEnd(committed, written);
        } finally {
            // Last, for the same reason as in the claim; and in any case, so that no packet is refused for ever.
            if (isUndecided) {
                room.removeUndecided(sender, packets);
            }
            if (!committed || isPeerLost) {
                settle();
            }
        }
    }

    private void rememberEnd(final boolean committed, final int... written) {
        if (!committed) {
            repetitions.forEach((index, taken) -> room.add(sender, packets.get(index), taken));
            return;
        }
        state = State.COMMITTED;
        slots = written;
        metrics.add(Counter.FLOW_FILES_ABSORBED, repetitions.size());
        if (isPeerLost) {
            rememberAll();
        }
    }

    /** A repetition was committed when it came first: it does not stay in doubt for ever by coming again and again. */
    private DoubtRoom.Commit commit(final int index) {
        final DoubtRoom.Commit repetition = repetitions.get(index);
        return repetition == null ? new DoubtRoom.Commit(committedNanos, DoubtFile.NO_SLOT) : repetition;
    }

    /** The answer will be given to the socket of a connection: {@link #answered} will tell whether it could leave. */
    public void answers(final LastAnswer ofConnection) {
        if (!isKept()) {
            return;
        }
        synchronized (this) {
            answer = ofConnection;
            if (room.until() == Until.HEARD) {
                ofConnection.sent(this);
            }
        }
    }

    /** The answer has left for the peer, or could not leave. */
    public void answered(final Future<?> sent) {
        if (!isKept()) {
            return;
        }
        synchronized (this) {
            if (state != State.COMMITTED) {
                return;
            }
            if (!sent.isSuccess()) {
                rememberAll();
                settle();
            } else if (answer != null && answer.isOf(this)) {
                state = State.ANSWERED;
            } else {
                settle();
            }
        }
    }

    /** The peer has read the answer. */
    synchronized void heard() {
        if (state == State.UNHEARD) {
            packets.stream().filter(Objects::nonNull).forEach(this::forget);
        }
        if (state == State.ANSWERED || state == State.UNHEARD) {
            settle();
        }
    }

    private void forget(final Fingerprint packet) {
        final DoubtRoom.Commit taken = room.take(sender, packet);
        if (taken != null) {
            room.file().remove(taken.slot());
        }
    }

    /** Nothing more will be known of the answer, which has left. */
    synchronized void notDoubted() {
        if (state == State.ANSWERED) {
            settle();
        }
    }

    /** The peer may not have read the answer. */
    synchronized void unheard() {
        if (state == State.ANSWERED) {
            rememberAll();
            state = State.UNHEARD;
        }
    }

    /** The connection ended without the answer, or will: the peer can't be told. */
    public void peerLost() {
        if (!isKept()) {
            return;
        }
        synchronized (this) {
            isPeerLost = true;
            if (state == State.CLAIMED && !isUndecided) {
                becomeUndecided();
            } else if (state == State.COMMITTED && answer == null) {
                rememberAll();
                settle();
            }
        }
    }

    private void rememberAll() {
        for (int i = 0; i < packets.size(); i++) {
            if (packets.get(i) != null) {
                room.add(sender, packets.get(i), new DoubtRoom.Commit(commit(i).sinceNanos(), takeSlot(i)));
            }
        }
    }

    /** @return the place of a packet in the file, which is the room's from now on */
    private int takeSlot(final int index) {
        if (slots.length == 0) {
            return DoubtFile.NO_SLOT;
        }
        final int slot = slots[index];
        slots[index] = DoubtFile.NO_SLOT;
        return slot;
    }

    private void settle() {
        state = State.SETTLED;
        packets = null;
        room.file().remove(slots);
        slots = new int[0];
    }
}
