// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.nios2s.listener.time.NanoClock;

/**
 * The limit of connections that are in their handshake at once. Thread-safe.
 *
 * <p>At the limit the listener stops accepting: newcomers wait in the kernel's backlog, where they cost next to nothing, until
 * a handshake has ended. If the limit has stood for as long as {@link Revocation} has peers wait, handshakes that are silent make room.
 * While fewer than one in {@value #FEW} have ended since, so do those of addresses with several. Who waits there, and from where,
 * nobody knows, so room is made for many.
 */
public final class HandshakeLimit {
    /** The server channel. Called under the limit's lock; must not block. */
    @FunctionalInterface
    public interface Acceptor {
        void setAccepting(boolean accepting);
    }

    /** How badly newcomers need room. */
    private enum Scarcity {
        /** The limit is not reached, or has not been for long. */
        NONE,
        /** Newcomers get in, as others end. */
        MANY_END,
        /** Newcomers wait about as long as a handshake may take. */
        FEW_END
    }

    /** With fewer ends than this part of the limit, newcomers wait about as long as a handshake may take at all. */
    private static final int FEW = 10;

    private final int max;
    private final NanoClock clock;
    private final Revocation revocation;
    private final SharedResource ofAddresses;
    private final SharedResource.Part handshakes;
    private final Set<Object> inHandshake = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean isFull;
    /** Since when ends are counted. */
    private long countsSinceNanos;
    /** Handshakes that have ended since, but for those that had to make room. */
    private int ended;

    private Acceptor acceptor = accepting -> {};

    public HandshakeLimit(final int max, final NanoClock clock) {
        this.max = max;
        this.clock = clock;
        this.revocation = new Revocation(clock);
        this.ofAddresses = new SharedResource("a handshake", SharedResource.UNLIMITED, 0, clock);
        this.handshakes = ofAddresses.commonPart();
    }

    /** @return what an address holds during a handshake, to be closed at its end */
    public SharedResource.Grant begin(final Holder holder) {
        return handshakes.request(holder, () -> {});
    }

    /** Makes room if newcomers have waited for long; called a few times a second. */
    public void sweep() {
        switch (scarcity()) {
            case FEW_END -> {
                final int told = revocation.makeRoom(ofAddresses, Integer.MAX_VALUE);
                synchronized (this) {
                    ended -= told;
                }
            }
            case MANY_END -> revocation.endSilent(ofAddresses);
            default -> {}
        }
    }

    private synchronized Scarcity scarcity() {
        if (!isFull) {
            startCounting();
            return Scarcity.NONE;
        }
        if (clock.nanoTime() - countsSinceNanos < Revocation.PATIENCE_NANOS) {
            return Scarcity.NONE;
        }
        if (ended < Math.max(1, max / FEW)) {
            // Counting goes on: by the next look others have had their time.
            return Scarcity.FEW_END;
        }
        startCounting();
        return Scarcity.MANY_END;
    }

    private void startCounting() {
        countsSinceNanos = clock.nanoTime();
        ended = 0;
    }

    /** To be called before the first connection is accepted. */
    public synchronized void setAcceptor(final Acceptor acceptor) {
        this.acceptor = acceptor;
    }

    /** Counts an accepted connection. A few that the kernel has handed over already may exceed the limit. */
    public synchronized void add(final Object connection) {
        inHandshake.add(connection);
        if (inHandshake.size() >= max) {
            isFull = true;
            // Also if it is full already: after an error in accept() Netty resumes accepting by itself.
            acceptor.setAccepting(false);
        }
    }

    /** Counts a connection no longer: its handshake has ended, or it has closed. May be called twice. */
    public synchronized void remove(final Object connection) {
        if (inHandshake.remove(connection)) {
            ended++;
        }
        if (isFull && inHandshake.size() < max) {
            isFull = false;
            acceptor.setAccepting(true);
        }
    }

    public synchronized int count() {
        return inHandshake.size();
    }
}
