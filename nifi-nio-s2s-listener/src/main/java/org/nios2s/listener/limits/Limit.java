// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.PeerUsage.Holder;

/**
 * So many of something at once: places, permits, sessions. Thread-safe.
 *
 * <p>A request that finds none waits in a {@link WaitQueue}, may leave it, and holds what it waited for when it is called. As
 * soon as one comes back, somebody is called; a newcomer stands behind those that wait.
 *
 * <p>A limit may stand below another one: what it gives out then counts for both, so that the one who uses up the lower
 * one leaves some of the upper one to its neighbours.
 */
public final class Limit {
    private final int max;
    private final Limit parent;
    /** One lock for an upper limit and all below it. */
    private final Object lock;
    /** Those of the lower limits in which somebody waits for the upper one, the longest ignored one first. */
    private final SequencedSet<Limit> contendedChildren = new LinkedHashSet<>();

    private final PeerUsage peers = new PeerUsage();
    private final WaitQueue<Permit> waiting = new WaitQueue<>();
    private int held;

    /** One of what is limited, or a place in the queue for it. */
    public final class Permit implements AutoCloseable {
        private enum State {
            WAITING,
            HELD,
            CLOSED
        }

        private final Holder holder;
        /** Null for one that was there. */
        private final Runnable granted;

        private State state;

        private Permit(final Holder holder, final Runnable granted) {
            this.holder = holder;
            this.granted = granted;
            this.state = granted == null ? State.HELD : State.WAITING;
        }

        /** @return whether it was there when it was asked for: then nobody is called */
        public boolean isImmediate() {
            return granted == null;
        }

        /**
         * @return whether somebody waits for it, of another peer, while this permit's peer holds more than its share: the limit,
         *     divided by the peers that hold or want some of it
         */
        public boolean isBeyondShare() {
            synchronized (lock) {
                final Permit first = waiting.first();
                return first != null && first.holder != holder && holder.held() > Math.max(1, max / peers.peers());
            }
        }

        /** Gives it back, or leaves the queue; once. The callback may still come, once, and finds nothing. */
        @Override
        public void close() {
            final List<Permit> called;
            synchronized (lock) {
                if (state == State.CLOSED) {
                    return;
                }
                if (state == State.HELD) {
                    count(holder, -1);
                } else {
                    waiting.remove(holder, this);
                    forgetIfNobodyWaits();
                }
                state = State.CLOSED;
                peers.release(holder);
                called = grantWaiting();
            }
            called.forEach(next -> Guarded.run("Calling the next in line for a limit", next.granted::run));
        }
    }

    public Limit(final int max) {
        this(max, null);
    }

    private Limit(final int max, final Limit parent) {
        this.max = max;
        this.parent = parent;
        this.lock = parent == null ? this : parent.lock;
    }

    /** @return a limit below this one, of at most so many */
    public Limit child(final int childMax) {
        return new Limit(childMax, this);
    }

    /**
     * @param peer for whom it is
     * @param granted called once, on any thread, when there is one, if there is none now; must not block
     */
    public Permit acquire(final Object peer, final Runnable granted) {
        synchronized (lock) {
            final Holder holder = peers.acquire(peer);
            if (waiting.isEmpty() && hasRoom()) {
                count(holder, 1);
                return new Permit(holder, null);
            }
            final Permit permit = new Permit(holder, granted);
            waiting.add(holder, permit);
            if (parent != null) {
                parent.contendedChildren.add(this);
            }
            return permit;
        }
    }

    private boolean hasRoom() {
        return held < max && (parent == null || parent.held < parent.max);
    }

    private void count(final Holder holder, final int more) {
        waiting.takeOut(holder);
        peers.hold(holder, more);
        waiting.putBack(holder);
        held += more;
        if (parent != null) {
            parent.held += more;
        }
    }

    /** @return those that have got one, under the same lock as what made room: nobody comes in between */
    private List<Permit> grantWaiting() {
        final List<Permit> called = new ArrayList<>();
        for (Permit next = grantNext(); next != null; next = grantNext()) {
            called.add(next);
        }
        return called;
    }

    /** Neighbours take turns: a busy one's queue holds up nobody. */
    private Permit grantNext() {
        if (parent == null) {
            return grantOwn();
        }
        for (final Limit child : List.copyOf(parent.contendedChildren)) {
            final Permit called = child.grantOwn();
            if (called != null) {
                parent.contendedChildren.addLast(child);
                child.forgetIfNobodyWaits();
                return called;
            }
        }
        return null;
    }

    private void forgetIfNobodyWaits() {
        if (waiting.isEmpty() && parent != null) {
            parent.contendedChildren.remove(this);
        }
    }

    private Permit grantOwn() {
        final Permit next = waiting.first();
        if (next == null || !hasRoom()) {
            return null;
        }
        waiting.remove(next.holder, next);
        count(next.holder, 1);
        next.state = Permit.State.HELD;
        return next;
    }

    /** @return whether somebody waits: what is held is scarce */
    public boolean isContended() {
        synchronized (lock) {
            return !waiting.isEmpty()
                    || parent != null && parent.held >= parent.max && !parent.contendedChildren.isEmpty();
        }
    }

    public int held() {
        synchronized (lock) {
            return held;
        }
    }
}
