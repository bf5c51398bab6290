// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * How many connections may be in their handshake at once. Thread-safe.
 *
 * <p>At the limit the listener stops accepting: newcomers wait in the kernel's backlog, where they cost next to nothing, and go on when a
 * handshake has ended. Nobody who makes progress is cut off for them.
 */
public final class HandshakeLimit {
    /** What accepts connections. Called under the limit's lock; must not block. */
    @FunctionalInterface
    public interface Acceptor {
        void setAccepting(boolean accepting);
    }

    private final int max;
    private final Set<Object> inHandshake = Collections.newSetFromMap(new IdentityHashMap<>());
    private volatile boolean isFull;
    private Acceptor acceptor = accepting -> {};

    public HandshakeLimit(final int max) {
        this.max = max;
    }

    /** Before anything is accepted. */
    public synchronized void setAcceptor(final Acceptor acceptor) {
        this.acceptor = acceptor;
    }

    /** A connection was accepted. A few that the kernel has handed over already may come beyond the limit. */
    public synchronized void add(final Object connection) {
        inHandshake.add(connection);
        if (inHandshake.size() >= max) {
            isFull = true;
            // Once more for each that comes: after an error in accepting Netty goes on accepting by itself.
            acceptor.setAccepting(false);
        }
    }

    /** Its handshake has ended, or it is gone; it does no harm to say so twice. */
    public synchronized void remove(final Object connection) {
        inHandshake.remove(connection);
        if (isFull && inHandshake.size() < max) {
            isFull = false;
            acceptor.setAccepting(true);
        }
    }

    /** @return whether nobody is accepted: then a handshake that stands still is in the way of others */
    public boolean isFull() {
        return isFull;
    }

    public synchronized int count() {
        return inHandshake.size();
    }
}
