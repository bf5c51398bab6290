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
 * The limit of connections, in all and from one address. Thread-safe.
 *
 * <p>At the limit a newcomer evicts another connection, the longest idle one first: (1) an idle one of an address that has many
 * times as many connections as others, so that one address can't push out the rest; (2) an idle one of any address; (3) one that
 * waits in a queue of ours. A newcomer is refused only if all connections are busy. Then {@link Revocation} ends one of the peer that
 * has most, or one that is silent, so that the next newcomer finds room. Each call but {@link #sweep} takes the same time with a
 * million connections as with ten.
 *
 * <p>An address is a {@link PeerKey}: with IPv6 a network of 64 bits. A connection from a load balancer has no address before its
 * PROXY header has arrived; until then the limit for each address does not apply to the connection.
 */
public final class ConnectionLimit {
    /** Times the average number of connections for each address at which an address counts as heavy. */
    private static final int HEAVY_TIMES = 4;

    /** Time after the refusal of a newcomer during which connections count as contended. */
    private static final long CONTENDED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final int max;
    private final int maxPerAddress;
    private final String remedy;
    private final NanoClock clock;
    private final Revocation revocation;
    private final SharedResource ofPeers;
    private final SharedResource.Part connections;

    private final Map<Evictable, Slot> slots = new IdentityHashMap<>();
    private final Map<PeerKey, Integer> ofAddresses = new HashMap<>();
    private final SequencedSet<Slot> idleOfHeavyAddresses = new LinkedHashSet<>();
    private final SequencedSet<Slot> idle = new LinkedHashSet<>();
    private final SequencedSet<Slot> waiting = new LinkedHashSet<>();
    /** The candidates for eviction, set by set; in each the longest idle one comes first. */
    private final List<SequencedSet<Slot>> evictionOrder = List.of(idleOfHeavyAddresses, idle, waiting);

    /** Connections that were told to close and are still open. */
    private int leaving;

    private boolean hasRefused;
    private long lastRefusedNanos;

    /** The activity of a connection. */
    public enum Activity {
        /** In the middle of a message, a transaction or a handshake. */
        BUSY,
        /** Between two requests: closing it costs the peer a reconnect, and nothing else. */
        IDLE,
        /** Waiting in a queue of ours: closing it costs the peer its place there. */
        WAITING
    }

    /** A connection that counts, and that can be evicted. */
    public interface Evictable {
        /** Closes the connection, unless it has become busy: another one takes its place. From any thread. */
        void evict(ConnectionFault fault);
    }

    /** A connection and its activity. Guarded by the limit's lock. */
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
     * @param remedy what an operator can do if the limit is too low, for the log
     */
    public ConnectionLimit(final int max, final int maxPerAddress, final String remedy, final NanoClock clock) {
        this.max = max;
        this.maxPerAddress = maxPerAddress;
        this.remedy = remedy;
        this.clock = clock;
        this.revocation = new Revocation(clock);
        this.ofPeers = new SharedResource("a connection", SharedResource.UNLIMITED, 0, clock);
        this.connections = ofPeers.commonPart();
    }

    /** @return what a peer holds by a connection whose handshake is over, to be closed with the connection */
    public SharedResource.Grant hold(final Holder peer) {
        return connections.request(peer, () -> {});
    }

    /** Ends one busy connection if newcomers are refused; called a few times a second, without the lock of this limit. */
    public void sweep() {
        if (isContended()) {
            revocation.makeRoom(ofPeers, 1);
        }
    }

    /** Counts a connection, busy for now; throws, and does not count it, if it is one too many. */
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

    /** Sets the address that a PROXY header gave. Throws if that address has one connection too many: the caller then closes this one. */
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
            throw Kind.TOO_MANY_CONNECTIONS.fault(address.name() + " has " + maxPerAddress
                    + " connections already, which is the limit; raise nifi.remote.input.nio.connections.max.per.address, or look why"
                    + " that peer opens so many");
        }
    }

    private void uncount(final PeerKey address) {
        ofAddresses.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
    }

    /** @return the connection that has to close for the newcomer, or null */
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
        return Kind.TOO_MANY_CONNECTIONS.fault("The limit of " + max + " connections is reached; " + remedy);
    }

    /** @return the connection that has to close so that the newcomers have room, marked as leaving; null if none has to, or can */
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

    /** Sets what a connection does. Set once more to the same, it is idle only from now on. */
    public void set(final Evictable member, final Activity activity) {
        final Slot victim;
        synchronized (this) {
            final Slot slot = slots.get(member);
            if (slot == null) {
                return;
            }
            evictionOrder.forEach(candidates -> candidates.remove(slot));
            if (slot.isLeaving) {
                // The limit chose it, it became busy, and only then it was
                // told to close, which it ignored: another one has to.
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

    /** @return whether a newcomer was refused a moment ago, and the next one would be, too */
    public synchronized boolean isContended() {
        return hasRefused
                && clock.nanoTime() - lastRefusedNanos < CONTENDED_NANOS
                && slots.size() - leaving >= max
                && evictionOrder.stream().allMatch(SequencedSet::isEmpty);
    }

    /** Counts a connection no longer; may be called twice. */
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
