// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.limits.PeerKey;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.time.NanoClock;

/**
 * The packets in doubt of all ports, by port and peer. Thread-safe: one lock, held for look-ups alone; where nothing is in doubt, it
 * is not taken.
 *
 * <p>A packet stays until it comes again, or for a time, or until there are too many. Each absorbs one repetition.
 */
public final class DoubtRoom {
    /** Maximum number of different packets, which take about 200 B of heap each. */
    public static final int MAX_PACKETS = 100_000;

    private final long keptNanos;
    private final Until until;
    private final NanoClock clock;
    private final Map<Sender, Memory> senders = new HashMap<>();
    private int packets;

    /** Changed under the lock, and read without it. */
    private volatile boolean isEmpty = true;

    /**
     * Who sent packets to which port.
     *
     * @param port its identifier
     * @param peer identity or address
     */
    record Sender(String port, PeerKey peer) {}

    /** What is in doubt of one sender; guarded by the room's lock. */
    private static final class Memory {
        /** In the order in which they came here. */
        private final SequencedMap<Fingerprint, Doubt> packets = new LinkedHashMap<>();
        /** How many packets of this identifier are being committed in transactions whose peers have left. */
        private final Map<String, Integer> undecided = new HashMap<>();

        boolean isEmpty() {
            return packets.isEmpty() && undecided.isEmpty();
        }
    }

    /**
     * Packets of one fingerprint.
     *
     * @param count how often it was committed without its peer being told
     * @param sinceNanos when it was committed, the last time
     */
    private record Doubt(int count, long sinceNanos) {}

    /** The end of the doubt about a transaction that was committed. */
    public enum Until {
        /** The answer has left. A packet that is found afterwards was never answered, whatever its sender does. */
        SENT,
        /**
         * The peer has said something, or has closed in good order. A packet that is found afterwards may have been answered: it is a
         * repetition if its sender gives no other packet the same identifier, attributes and content.
         */
        HEARD
    }

    /** @param kept how long a packet stays in doubt; 0 if none is to be remembered */
    public DoubtRoom(final Duration kept, final Until until, final NanoClock clock) {
        this.keptNanos = kept.toNanos();
        this.until = until;
        this.clock = clock;
    }

    /**
     * @param port identifier of the port to which the transaction goes
     * @param metrics of that port
     * @return for one push transaction that begins
     */
    public Receipt open(final String port, final PeerKey peer, final ListenerMetrics metrics) {
        if (keptNanos == 0) {
            return Receipt.NONE;
        }
        return new Receipt(this, new Sender(port, peer), metrics);
    }

    Until until() {
        return until;
    }

    long keptSeconds() {
        return TimeUnit.NANOSECONDS.toSeconds(keptNanos);
    }

    /** @return whether there may be something to find for the sender */
    boolean knows(final Sender sender) {
        if (isEmpty) {
            return false;
        }
        synchronized (this) {
            return senders.containsKey(sender);
        }
    }

    /** @return how many packets of the fingerprint are in doubt at most once all commits that are undecided have ended */
    int count(final Sender sender, final Fingerprint packet) {
        if (isEmpty) {
            return 0;
        }
        synchronized (this) {
            final Memory memory = senders.get(sender);
            if (memory == null) {
                return 0;
            }
            final int undecided = memory.undecided.getOrDefault(packet.uuid(), 0);
            final Doubt doubt = memory.packets.get(packet);
            if (doubt == null) {
                return undecided;
            }
            return undecided + doubt.count;
        }
    }

    synchronized boolean isUndecided(final Sender sender, final String uuid) {
        final Memory memory = senders.get(sender);
        return memory != null && memory.undecided.containsKey(uuid);
    }

    synchronized void addUndecided(final Sender sender, final List<String> uuids) {
        final Memory memory = senders.computeIfAbsent(sender, unknown -> new Memory());
        for (final String uuid : uuids) {
            if (uuid != null) {
                memory.undecided.merge(uuid, 1, Integer::sum);
            }
        }
        tidy(sender, memory);
    }

    synchronized void removeUndecided(final Sender sender, final List<String> uuids) {
        final Memory memory = senders.computeIfAbsent(sender, unknown -> new Memory());
        for (final String uuid : uuids) {
            if (uuid != null) {
                memory.undecided.computeIfPresent(uuid, (same, count) -> count > 1 ? count - 1 : null);
            }
        }
        tidy(sender, memory);
    }

    /**
     * Takes a packet out, once.
     *
     * @return since when it was in doubt, or null if it was not
     */
    synchronized Long take(final Sender sender, final Fingerprint packet) {
        final Memory memory = senders.get(sender);
        if (memory == null) {
            return null;
        }
        final Doubt doubt = memory.packets.get(packet);
        if (doubt == null || hasPassed(doubt)) {
            return null;
        }
        if (doubt.count > 1) {
            memory.packets.put(packet, new Doubt(doubt.count - 1, doubt.sinceNanos));
        } else {
            memory.packets.remove(packet);
            packets--;
            tidy(sender, memory);
        }
        return doubt.sinceNanos;
    }

    private boolean hasPassed(final Doubt doubt) {
        return clock.nanoTime() - doubt.sinceNanos > keptNanos;
    }

    long nowNanos() {
        return clock.nanoTime();
    }

    /** From now on a packet is in doubt once more. */
    synchronized void add(final Sender sender, final Fingerprint packet, final long committedNanos) {
        final Memory memory = senders.computeIfAbsent(sender, unknown -> new Memory());
        // Taken out first, so that it goes behind all others.
        final Doubt before = memory.packets.remove(packet);
        if (before == null) {
            makeRoom(memory);
            packets++;
        }
        final int count = before == null || hasPassed(before) ? 1 : before.count + 1;
        memory.packets.put(packet, new Doubt(count, committedNanos));
        isEmpty = false;
    }

    /** At the limit the oldest packet goes: the sender's own if it has its share, otherwise that of the one that has most. */
    private void makeRoom(final Memory adding) {
        if (packets < MAX_PACKETS) {
            return;
        }
        Memory from = adding;
        if (adding.packets.size() < Math.max(1, MAX_PACKETS / senders.size())) {
            from = senders.values().stream()
                    .max(Comparator.comparingInt(memory -> memory.packets.size()))
                    .orElse(adding);
        }
        from.packets.pollFirstEntry();
        packets--;
    }

    private void tidy(final Sender sender, final Memory memory) {
        if (memory.isEmpty()) {
            senders.remove(sender);
        }
        isEmpty = senders.isEmpty();
    }

    /** Forgets what was in doubt long enough; to be called now and then. */
    public void forgetOld() {
        if (isEmpty) {
            return;
        }
        synchronized (this) {
            final Iterator<Memory> memories = senders.values().iterator();
            while (memories.hasNext()) {
                final Memory memory = memories.next();
                while (!memory.packets.isEmpty()
                        && hasPassed(memory.packets.firstEntry().getValue())) {
                    memory.packets.pollFirstEntry();
                    packets--;
                }
                if (memory.isEmpty()) {
                    memories.remove();
                }
            }
            isEmpty = senders.isEmpty();
        }
    }

    /** @return different packets in doubt */
    public synchronized int inDoubt() {
        return packets;
    }
}
