// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.time.NanoClock;

/**
 * The limit of connections that are in their handshake at once. Thread-safe.
 *
 * <p>At the limit the listener stops accepting: newcomers wait in the kernel's backlog, where they cost next to nothing, until
 * a handshake has ended. If none has ended by itself for as long as {@link Revocation} has peers wait, those of addresses with several
 * make room. Who waits there, and from where, nobody knows, so room is made for many.
 */
public final class HandshakeLimit {
    /** The server channel. Called under the limit's lock; must not block. */
    @FunctionalInterface
    public interface Acceptor {
        void setAccepting(boolean accepting);
    }

    /** Handshakes that end so soon after room was made did not end by themselves. */
    private static final long MADE_ROOM_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int max;
    private final NanoClock clock;
    private final Revocation revocation;
    private final SharedResource ofAddresses;
    private final SharedResource.Part handshakes;
    private final Set<Object> inHandshake = Collections.newSetFromMap(new IdentityHashMap<>());
    private volatile boolean isFull;
    /** Since when it is full, and no handshake has ended by itself. */
    private long standsStillSinceNanos;

    private long madeRoomNanos;
    private Acceptor acceptor = accepting -> {};

    public HandshakeLimit(final int max, final NanoClock clock) {
        this.max = max;
        this.clock = clock;
        this.revocation = new Revocation(clock);
        this.ofAddresses = new SharedResource("a handshake", SharedResource.UNLIMITED, 0, clock);
        this.handshakes = ofAddresses.commonPart();
        this.madeRoomNanos = clock.nanoTime() - MADE_ROOM_NANOS;
    }

    /** @return what an address holds during a handshake, to be closed at its end */
    public SharedResource.Grant begin(final Holder holder) {
        return handshakes.request(holder, () -> {});
    }

    /** Makes room if handshakes have stood still for too long; called a few times a second. */
    public void sweep() {
        synchronized (this) {
            if (!isFull || clock.nanoTime() - standsStillSinceNanos < Revocation.PATIENCE_NANOS) {
                return;
            }
        }
        if (revocation.makeRoom(ofAddresses, Integer.MAX_VALUE)) {
            synchronized (this) {
                madeRoomNanos = clock.nanoTime();
            }
        }
    }

    /** To be called before the first connection is accepted. */
    public synchronized void setAcceptor(final Acceptor acceptor) {
        this.acceptor = acceptor;
    }

    /** Counts an accepted connection. A few that the kernel has handed over already may exceed the limit. */
    public synchronized void add(final Object connection) {
        inHandshake.add(connection);
        if (inHandshake.size() >= max) {
            if (!isFull && clock.nanoTime() - madeRoomNanos >= MADE_ROOM_NANOS) {
                standsStillSinceNanos = clock.nanoTime();
            }
            isFull = true;
            // Also if it is full already: after an error in accept() Netty resumes accepting by itself.
            acceptor.setAccepting(false);
        }
    }

    /** Counts a connection no longer: its handshake has ended, or it has closed. May be called twice. */
    public synchronized void remove(final Object connection) {
        if (inHandshake.remove(connection) && clock.nanoTime() - madeRoomNanos >= MADE_ROOM_NANOS) {
            standsStillSinceNanos = clock.nanoTime();
        }
        if (isFull && inHandshake.size() < max) {
            isFull = false;
            acceptor.setAccepting(true);
        }
    }

    /** @return whether no connection is accepted: then a stalled handshake keeps others out */
    public boolean isFull() {
        return isFull;
    }

    public synchronized int count() {
        return inHandshake.size();
    }
}
