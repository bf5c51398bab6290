// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.time.NanoClock;

/**
 * The limit of connections, in all and from one address. Thread-safe.
 *
 * <p>At the limit a newcomer takes the place of a connection that {@link Revocation} chooses: an idle one at once. If none is idle the
 * newcomer is refused, and a busy one ends, so that the next newcomer finds room. Each call but {@link #sweep} takes about the same
 * time with a million connections as with ten.
 *
 * <p>An address is a {@link PeerKey}: with IPv6 a network of 64 bits. A connection from a load balancer has no address before its
 * PROXY header has arrived; until then the limit for each address does not apply to the connection.
 */
public final class ConnectionLimit {
    /** Time after the refusal of a newcomer during which connections count as contended. */
    private static final long CONTENDED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final int max;
    private final int maxPerAddress;
    private final String remedy;
    private final NanoClock clock;
    private final Revocation revocation;
    private final SharedResource ofPeers;
    private final SharedResource.Part connections;
    private final SharedResource ofAddresses;
    private final SharedResource.Part places;
    private final PeerTurn nobodysTurn = new PeerTurn();

    private boolean hasRefused;
    private long lastRefusedNanos;

    /** A connection that can make room for another one. */
    public interface Evictable {
        /** Closes the connection, unless it has become busy: another one takes its place. From any thread; must not block. */
        void evict(ConnectionFault fault);
    }

    /** The place of one connection, which counts for an address. To be closed with the connection. Thread-safe. */
    public final class Place implements Holder, AutoCloseable {
        private final Evictable connection;
        /** Guarded by the limit's lock, as is the next field. */
        private PeerKey address;

        /** Null once the place is closed. */
        private Grant grant;

        private Place(final Evictable connection) {
            this.connection = connection;
        }

        private void countFor(final PeerKey counted) {
            address = counted;
            grant = places.request(this, () -> {});
        }

        @Override
        public PeerKey key() {
            return address;
        }

        /** While it is idle it is nobody's turn. */
        @Override
        public PeerTurn turn() {
            return nobodysTurn;
        }

        @Override
        public void revoke(final ConnectionFault reason, final BooleanSupplier isStillDue, final Runnable otherwise) {
            connection.evict(reason);
        }

        /**
         * Sets whether the connection is idle: closing it would cost the peer a reconnect, or a place in a queue of ours, and nothing
         * else. Set once more, it is idle only from now on.
         */
        public void setIdle(final boolean idle) {
            synchronized (ConnectionLimit.this) {
                if (grant != null) {
                    grant.setIdle(idle);
                    // One that was told to close and became busy before it heard that stays: another one has to.
                    makeRoom(0);
                }
            }
        }

        /** Sets the address that a PROXY header gave. Throws if that has one connection too many: the caller then closes this one. */
        public void setAddress(final InetAddress given) throws ConnectionFault {
            synchronized (ConnectionLimit.this) {
                if (grant != null) {
                    final PeerKey key = PeerKey.of(given);
                    requirePlaceFor(key);
                    grant.close();
                    countFor(key);
                }
            }
        }

        /** Counts the connection no longer; may be called twice. */
        @Override
        public void close() {
            synchronized (ConnectionLimit.this) {
                if (grant != null) {
                    grant.close();
                    grant = null;
                }
            }
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
        this.ofAddresses = new SharedResource("a connection", SharedResource.UNLIMITED, 0, clock);
        this.places = ofAddresses.commonPart();
    }

    /** @return what a peer holds by a connection whose handshake is over, to be closed with the connection */
    public Grant hold(final Holder peer) {
        return connections.request(peer, () -> {});
    }

    /** Ends one busy connection if newcomers are refused; called a few times a second, without the lock of this limit. */
    public void sweep() {
        if (isContended()) {
            revocation.makeRoom(ofPeers, 1);
        }
    }

    /** @return the place of a connection, busy for now; throws, and does not count it, if it is one too many */
    public synchronized Place add(final InetAddress address, final Evictable connection) throws ConnectionFault {
        final PeerKey key = PeerKey.of(address);
        requirePlaceFor(key);
        return admit(key, connection);
    }

    /** As {@link #add}, for a connection whose PROXY header has yet to come: see {@link Place#setAddress}. */
    public synchronized Place addProxied(final InetAddress balancer, final Evictable connection)
            throws ConnectionFault {
        return admit(new PeerKey("behind " + PeerKey.of(balancer).name()), connection);
    }

    private void requirePlaceFor(final PeerKey address) throws ConnectionFault {
        if (maxPerAddress > 0 && ofAddresses.heldBy(address) >= maxPerAddress) {
            throw Kind.TOO_MANY_CONNECTIONS.fault(address.name() + " has " + maxPerAddress
                    + " connections already, which is the limit; raise nifi.remote.input.nio.connections.max.per.address, or look why"
                    + " that peer opens so many");
        }
    }

    private Place admit(final PeerKey address, final Evictable connection) throws ConnectionFault {
        if (!makeRoom(1)) {
            hasRefused = true;
            lastRefusedNanos = clock.nanoTime();
            throw tooManyConnections();
        }
        final Place place = new Place(connection);
        place.countFor(address);
        return place;
    }

    private ConnectionFault tooManyConnections() {
        return Kind.TOO_MANY_CONNECTIONS.fault("The limit of " + max + " connections is reached; " + remedy);
    }

    /** @return whether there is room for so many newcomers, or an idle connection makes it */
    private boolean makeRoom(final int newcomers) {
        return ofAddresses.heldBeyondTold() + newcomers <= max || revocation.endIdle(ofAddresses, tooManyConnections());
    }

    public int count() {
        return (int) ofAddresses.held();
    }

    /** @return whether a newcomer was refused a moment ago, and the next one would be, too */
    public synchronized boolean isContended() {
        return hasRefused
                && clock.nanoTime() - lastRefusedNanos < CONTENDED_NANOS
                && ofAddresses.heldBeyondTold() >= max
                && ofAddresses.firstIdle() == null;
    }
}
