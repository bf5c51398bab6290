// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.nios2s.listener.doubt.DoubtRoom.Sender;
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
    private ReceivedPackets packets;
    /** Indexes of packets that were in doubt, with the times of their commits. */
    private Map<Integer, Long> repetitions = Map.of();
    /** The answer is on its way, and what becomes of it will be told. */
    private boolean isAnswered;

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
     * @param received its packets, released with the end of the receipt
     * @return why the transaction can't be committed yet, or null if it can
     */
    public ConnectionFault claim(final ReceivedPackets received) {
        if (!isKept()) {
            received.release();
            return null;
        }
        synchronized (this) {
            if (state != State.OPEN) {
                received.release();
                return null;
            }
            packets = received;
            state = State.CLAIMED;
            return findRepetitions();
        }
    }

    private ConnectionFault findRepetitions() {
        final boolean mayHaveSome = room.knows(sender);
        if (mayHaveSome
                && IntStream.range(0, packets.count()).anyMatch(i -> room.isUndecided(sender, packets.uuid(i)))) {
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
            repetitions = takeRepetitions();
        }
        return null;
    }

    private Map<Integer, Long> takeRepetitions() {
        final Map<Integer, Long> taken = new HashMap<>();
        for (int i = 0; i < packets.count(); i++) {
            final Fingerprint packet = packets.fingerprint(i);
            if (packet != null) {
                // Without a value for a packet that was not in doubt.
                taken.computeIfAbsent(i, index -> room.take(sender, packet));
            }
        }
        return taken;
    }

    private void becomeUndecided() {
        isUndecided = true;
        room.addUndecided(sender, uuids());
    }

    private List<String> uuids() {
        return IntStream.range(0, packets.count()).mapToObj(packets::uuid).toList();
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
        synchronized (this) {
            if (state != State.CLAIMED) {
                return;
            }
            try {
                rememberEnd(committed);
            } finally {
                // Last, for the same reason as in the claim; and in any case, so that no packet is refused for ever.
                if (isUndecided) {
                    room.removeUndecided(sender, uuids());
                }
                if (!committed || isPeerLost) {
                    settle();
                }
            }
        }
    }

    private void rememberEnd(final boolean committed) {
        if (!committed) {
            repetitions.forEach(this::remember);
            return;
        }
        metrics.add(Counter.FLOW_FILES_ABSORBED, repetitions.size());
        state = State.COMMITTED;
        if (isPeerLost) {
            rememberAll();
        }
    }

    /** The answer was given to the socket of a connection: {@link #answered} will tell whether it could leave. */
    public void isAnswered(final LastAnswer ofConnection) {
        if (!isKept()) {
            return;
        }
        synchronized (this) {
            isAnswered = true;
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
            } else if (room.until() == Until.HEARD) {
                shrink();
                state = State.ANSWERED;
            } else {
                settle();
            }
        }
    }

    /** The peer has read the answer. */
    synchronized void heard() {
        if (state == State.UNHEARD) {
            for (int i = 0; i < packets.count(); i++) {
                final Fingerprint packet = packets.fingerprint(i);
                if (packet != null) {
                    room.take(sender, packet);
                }
            }
        }
        if (state == State.ANSWERED || state == State.UNHEARD) {
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
            } else if (state == State.COMMITTED && !isAnswered) {
                rememberAll();
                settle();
            }
        }
    }

    /** The peer does not take its answer yet: from now on fingerprints stand for the packets, whose memory is given back. */
    public void shrink() {
        if (!isKept()) {
            return;
        }
        synchronized (this) {
            if (state == State.COMMITTED) {
                final List<Fingerprint> known = new ArrayList<>(packets.count());
                for (int i = 0; i < packets.count(); i++) {
                    known.add(packets.fingerprint(i));
                }
                packets.release();
                packets = new KnownPackets(known);
            }
        }
    }

    private void rememberAll() {
        final long now = room.nowNanos();
        for (int i = 0; i < packets.count(); i++) {
            // A repetition was committed when it came first: it does not stay in doubt for ever by coming again and
            // again.
            remember(i, repetitions.getOrDefault(i, now));
        }
    }

    private void remember(final int index, final long committedNanos) {
        final Fingerprint packet = packets.fingerprint(index);
        if (packet != null) {
            room.add(sender, packet, committedNanos);
        }
    }

    private void settle() {
        state = State.SETTLED;
        packets.release();
        packets = null;
    }
}
