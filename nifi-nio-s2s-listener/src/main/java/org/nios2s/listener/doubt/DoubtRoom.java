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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.limits.PeerKey;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The packets in doubt of all ports, by port and peer. Thread-safe: one lock, held for look-ups alone; where nothing is in doubt, it
 * is not taken.
 *
 * <p>A packet stays until it comes again, or for a time, or until there are too many. Each absorbs one repetition.
 */
public final class DoubtRoom implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(DoubtRoom.class);

    /** Maximum number of different packets, which take about 200 B of heap each. */
    public static final int MAX_PACKETS = 100_000;

    /** Beyond so many, all are forgotten and computed again. */
    private static final int MAX_KNOWN = 10_000;

    private final long keptNanos;
    private final Until until;
    private final NanoClock clock;
    private final Map<Sender, Memory> senders = new HashMap<>();
    private final Map<PeerOfPort, Sender> known = new ConcurrentHashMap<>();
    private final DoubtFile file;
    private int packets;

    /** Changed under the lock, and read without it. */
    private volatile boolean isEmpty = true;

    /**
     * A peer of a port.
     *
     * @param port its identifier
     * @param peer identity or address
     */
    private record PeerOfPort(String port, PeerKey peer) {}

    /** What is in doubt of one sender; guarded by the room's lock. */
    private static final class Memory {
        /** In the order in which they came here. */
        private final SequencedMap<Fingerprint, Doubt> packets = new LinkedHashMap<>();
        /** How many of these packets are being committed in transactions whose peers have left. */
        private final Map<Fingerprint, Integer> undecided = new HashMap<>();

        boolean isEmpty() {
            return packets.isEmpty() && undecided.isEmpty();
        }
    }

    /**
     * Packets of one fingerprint.
     *
     * @param count how often it was committed without its peer being told
     * @param last of them, the only one that the file has
     */
    private record Doubt(int count, Commit last) {}

    /**
     * Of one packet.
     *
     * @param sinceNanos when it was
     * @param slot where the packet is in the file, or {@link DoubtFile#NO_SLOT}
     */
    record Commit(long sinceNanos, int slot) {}

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

    /**
     * @param kept how long a packet stays in doubt; 0 if none is to be remembered
     * @param file keeps what a kill would have forgotten; closed with the room
     */
    public DoubtRoom(final Duration kept, final Until until, final DoubtFile file, final NanoClock clock) {
        this.keptNanos = kept.toNanos();
        this.until = until;
        this.file = file;
        this.clock = clock;
        final List<DoubtFile.Found> found = file.find(clock.nanoTime(), keptNanos);
        found.forEach(packet -> add(packet.sender(), packet.packet(), packet.commit()));
        if (!found.isEmpty()) {
            logger.info(
                    "{} packets were committed before NiFi ended, and their peers have not shown that they know. They are answered and not"
                            + " stored again if they come again",
                    found.size());
        }
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
        return new Receipt(this, sender(port, peer), metrics);
    }

    private Sender sender(final String port, final PeerKey peer) {
        if (known.size() > MAX_KNOWN) {
            known.clear();
        }
        return known.computeIfAbsent(new PeerOfPort(port, peer), ofPort -> Sender.of(ofPort.port, ofPort.peer));
    }

    DoubtFile file() {
        return file;
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
            final int undecided = memory.undecided.getOrDefault(packet, 0);
            final Doubt doubt = memory.packets.get(packet);
            if (doubt == null) {
                return undecided;
            }
            return undecided + doubt.count;
        }
    }

    synchronized boolean isUndecided(final Sender sender, final Fingerprint packet) {
        final Memory memory = senders.get(sender);
        return memory != null && memory.undecided.containsKey(packet);
    }

    synchronized void addUndecided(final Sender sender, final List<Fingerprint> some) {
        final Memory memory = senders.computeIfAbsent(sender, unknown -> new Memory());
        for (final Fingerprint packet : some) {
            if (packet != null) {
                memory.undecided.merge(packet, 1, Integer::sum);
            }
        }
        tidy(sender, memory);
    }

    synchronized void removeUndecided(final Sender sender, final List<Fingerprint> some) {
        final Memory memory = senders.computeIfAbsent(sender, unknown -> new Memory());
        for (final Fingerprint packet : some) {
            if (packet != null) {
                memory.undecided.computeIfPresent(packet, (same, count) -> count > 1 ? count - 1 : null);
            }
        }
        tidy(sender, memory);
    }

    /**
     * Takes a packet out, once. Its place in the file is the caller's from now on.
     *
     * @return null if it was not in doubt
     */
    synchronized Commit take(final Sender sender, final Fingerprint packet) {
        final Memory memory = senders.get(sender);
        if (memory == null) {
            return null;
        }
        final Doubt doubt = memory.packets.get(packet);
        if (doubt == null || hasPassed(doubt)) {
            return null;
        }
        if (doubt.count > 1) {
            memory.packets.put(packet, new Doubt(doubt.count - 1, doubt.last));
            return new Commit(doubt.last.sinceNanos, DoubtFile.NO_SLOT);
        }
        memory.packets.remove(packet);
        packets--;
        tidy(sender, memory);
        return doubt.last;
    }

    private boolean hasPassed(final Doubt doubt) {
        return clock.nanoTime() - doubt.last.sinceNanos > keptNanos;
    }

    long nowNanos() {
        return clock.nanoTime();
    }

    /** From now on a packet is in doubt once more. Its place in the file is given back here. */
    synchronized void add(final Sender sender, final Fingerprint packet, final Commit commit) {
        final Memory memory = senders.computeIfAbsent(sender, unknown -> new Memory());
        // Taken out first, so that it goes behind all others.
        final Doubt before = memory.packets.remove(packet);
        int count = 1;
        if (before == null) {
            makeRoom(memory);
        } else {
            forget(before);
            count += hasPassed(before) ? 0 : before.count;
        }
        memory.packets.put(packet, new Doubt(count, commit));
        packets++;
        isEmpty = false;
    }

    /** A packet was taken out, and nothing needs it. */
    private void forget(final Doubt doubt) {
        packets--;
        file.remove(doubt.last.slot);
    }

    private void forgetOldest(final Memory memory) {
        forget(memory.packets.pollFirstEntry().getValue());
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
        forgetOldest(from);
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
                    forgetOldest(memory);
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

    /** What is in doubt stays in the file. */
    @Override
    public void close() {
        file.close();
    }
}
