// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The limit of connections that are in their handshake at once. Thread-safe.
 *
 * <p>At the limit the listener stops accepting: newcomers wait in the kernel's backlog, where they cost next to nothing, until
 * a handshake has ended. No connection that makes progress is closed for them.
 */
public final class HandshakeLimit {
    /** The server channel. Called under the limit's lock; must not block. */
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
        inHandshake.remove(connection);
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
