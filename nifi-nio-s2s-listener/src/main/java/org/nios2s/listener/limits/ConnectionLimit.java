// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.time.NanoClock;

/**
 * How many connections there may be, in all and from one address. Thread-safe.
 *
 * <p>A newcomer that finds the limit reached takes the place of the longest idle connection, from any address. Before
 * those come the idle ones of an address that has many times as many connections as others, so that one address can't push out
 * the rest; after them those that wait in a queue of ours. A newcomer is refused only where all are busy. All of this takes the
 * same time with a million connections as with ten.
 *
 * <p>An address is a {@link PeerKey}: with IPv6 a network of 64 bits. A connection from a load balancer has no address
 * before its PROXY header has come, and the limit for each address does not apply to it so long.
 */
public final class ConnectionLimit {
    /** An address has many connections if it has so many times as many as there are for each address. */
    private static final int HEAVY_TIMES = 4;

    /** For so long after a newcomer was refused a connection is scarce. */
    private static final long CONTENDED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final int max;
    private final int maxPerAddress;
    private final String remedy;
    private final NanoClock clock;

    private final Map<Evictable, Slot> slots = new IdentityHashMap<>();
    private final Map<PeerKey, Integer> ofAddresses = new HashMap<>();
    private final SequencedSet<Slot> idleOfHeavyAddresses = new LinkedHashSet<>();
    private final SequencedSet<Slot> idle = new LinkedHashSet<>();
    private final SequencedSet<Slot> waiting = new LinkedHashSet<>();
    /** Those that give way in this order, the longest idle one first in each. */
    private final List<SequencedSet<Slot>> evictionOrder = List.of(idleOfHeavyAddresses, idle, waiting);

    /** Those that were told to give way and have not left yet. */
    private int leaving;

    private boolean hasRefused;
    private long lastRefusedNanos;

    /** What a connection does. */
    public enum Activity {
        /** It is in the middle of something. */
        BUSY,
        /** Nothing is lost but the connection if it is cut off. */
        IDLE,
        /** It waits in a queue of ours, and loses its place there if it is cut off. */
        WAITING
    }

    /** A connection that counts. */
    public interface Evictable {
        /** Another one takes its place: closes, if it is not busy. From any thread. */
        void evict(ConnectionFault fault);
    }

    /** A connection and what it does. Guarded by the limit's lock. */
    private static final class Slot {
        private final Evictable member;
        private PeerKey address;
        private boolean isLeaving;

        Slot(final Evictable member, final PeerKey address) {
            this.member = member;
            this.address = address;
        }
    }

    /**
     * @param maxPerAddress 0 for no limit
     * @param remedy what to do if there are too few, for the log
     */
    public ConnectionLimit(final int max, final int maxPerAddress, final String remedy, final NanoClock clock) {
        this.max = max;
        this.maxPerAddress = maxPerAddress;
        this.remedy = remedy;
        this.clock = clock;
    }

    /** Counts a connection, busy for now, or throws if it is one too many; then it is not counted. */
    public void add(final InetAddress address, final Evictable member) throws ConnectionFault {
        final PeerKey key = PeerKey.of(address);
        final Slot victim;
        synchronized (this) {
            requirePlaceFor(key);
            victim = admit(key, member);
        }
        evict(victim);
    }

    /** As {@link #add}, for a connection whose PROXY header has yet to come: see {@link #setAddress}. */
    public void addProxied(final InetAddress balancer, final Evictable member) throws ConnectionFault {
        final Slot victim;
        synchronized (this) {
            victim = admit(new PeerKey("behind " + PeerKey.of(balancer).name()), member);
        }
        evict(victim);
    }

    /** The PROXY header has come. Throws if its address has one connection too many: the caller then closes this one. */
    public synchronized void setAddress(final Evictable member, final InetAddress address) throws ConnectionFault {
        final Slot slot = slots.get(member);
        if (slot == null) {
            return;
        }
        final PeerKey key = PeerKey.of(address);
        uncount(slot.address);
        try {
            requirePlaceFor(key);
            slot.address = key;
        } finally {
            ofAddresses.merge(slot.address, 1, Integer::sum);
        }
    }

    private void requirePlaceFor(final PeerKey address) throws ConnectionFault {
        if (maxPerAddress > 0 && ofAddresses.getOrDefault(address, 0) >= maxPerAddress) {
            throw Kind.TOO_MANY_CONNECTIONS.fault("There are " + maxPerAddress + " connections from " + address.name()
                    + " already; raise nifi.remote.input.nio.connections.max.per.address");
        }
    }

    private void uncount(final PeerKey address) {
        ofAddresses.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
    }

    /** @return the connection that has to leave for it, or null */
    private Slot admit(final PeerKey address, final Evictable member) throws ConnectionFault {
        final Slot victim = chooseVictim(1);
        if (victim == null && slots.size() - leaving >= max) {
            hasRefused = true;
            lastRefusedNanos = clock.nanoTime();
            throw tooManyConnections();
        }
        slots.put(member, new Slot(member, address));
        ofAddresses.merge(address, 1, Integer::sum);
        return victim;
    }

    private ConnectionFault tooManyConnections() {
        return Kind.TOO_MANY_CONNECTIONS.fault("There are more than " + max + " connections; " + remedy);
    }

    /** @return who is to give way so that so many more may come, and is leaving from now on; null if nobody has to, or can */
    private Slot chooseVictim(final int newcomers) {
        if (slots.size() - leaving + newcomers <= max) {
            return null;
        }
        for (final SequencedSet<Slot> candidates : evictionOrder) {
            if (!candidates.isEmpty()) {
                final Slot victim = candidates.removeFirst();
                victim.isLeaving = true;
                leaving++;
                return victim;
            }
        }
        return null;
    }

    private void evict(final Slot victim) {
        if (victim != null) {
            victim.member.evict(tooManyConnections());
        }
    }

    /** A connection does something else, or the same once more: it is idle only from now on. */
    public void set(final Evictable member, final Activity activity) {
        final Slot victim;
        synchronized (this) {
            final Slot slot = slots.get(member);
            if (slot == null) {
                return;
            }
            evictionOrder.forEach(candidates -> candidates.remove(slot));
            if (slot.isLeaving) {
                // It was busy before it heard that it has to leave, so it stays, and somebody else has to.
                slot.isLeaving = false;
                leaving--;
            }
            switch (activity) {
                case IDLE -> idleOf(slot).addLast(slot);
                case WAITING -> waiting.addLast(slot);
                default -> {}
            }
            victim = chooseVictim(0);
        }
        evict(victim);
    }

    private SequencedSet<Slot> idleOf(final Slot slot) {
        final long fair = slots.size() / ofAddresses.size();
        if (ofAddresses.get(slot.address) > HEAVY_TIMES * Math.max(1, fair)) {
            return idleOfHeavyAddresses;
        }
        return idle;
    }

    public synchronized int count() {
        return slots.size();
    }

    /** @return whether a newcomer was refused a moment ago, and would be again */
    public synchronized boolean isContended() {
        return hasRefused
                && clock.nanoTime() - lastRefusedNanos < CONTENDED_NANOS
                && slots.size() - leaving >= max
                && evictionOrder.stream().allMatch(SequencedSet::isEmpty);
    }

    /** A connection that was counted counts no longer; it does no harm to say so twice. */
    public void remove(final Evictable member) {
        synchronized (this) {
            final Slot slot = slots.remove(member);
            if (slot == null) {
                return;
            }
            evictionOrder.forEach(candidates -> candidates.remove(slot));
            if (slot.isLeaving) {
                leaving--;
            }
            uncount(slot.address);
        }
    }
}
