// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.PeerUsage.Holder;

/**
 * A limited number of permits: an asynchronous semaphore, fair between peers. Thread-safe.
 *
 * <p>A peer that finds no free permit waits in a {@link WaitQueue}, and may stop waiting. A permit that is given back goes at
 * once, under the same lock, to the next waiter, which holds the permit when its callback is called: a newcomer never overtakes
 * a waiter, and no waiter is woken for nothing.
 *
 * <p>A limit may be the child of another one. Its permits then count for both, so a child that is used up leaves some of the
 * parent's permits to the other children.
 */
public final class Limit {
    private final int max;
    private final Limit parent;
    /** One lock for a parent and all its children. */
    private final Object lock;
    /** The children in which a peer waits, the one that was served longest ago first. */
    private final SequencedSet<Limit> contendedChildren = new LinkedHashSet<>();

    private final PeerUsage peers = new PeerUsage();
    private final WaitQueue<Permit> waiting = new WaitQueue<>();
    private int held;

    /** A permit, or a place in the queue for one. */
    public final class Permit implements AutoCloseable {
        private enum State {
            WAITING,
            HELD,
            CLOSED
        }

        private final Holder holder;
        /** Null for a permit that was free. */
        private final Runnable granted;

        private State state;

        private Permit(final Holder holder, final Runnable granted) {
            this.holder = holder;
            this.granted = granted;
            this.state = granted == null ? State.HELD : State.WAITING;
        }

        /** @return whether the permit was free when it was acquired: then the callback is not called */
        public boolean isImmediate() {
            return granted == null;
        }

        /**
         * @return whether another peer waits for a permit while this permit's peer holds more than its share: the limit, divided
         *     by the peers that hold permits or wait for them
         */
        public boolean isBeyondShare() {
            synchronized (lock) {
                final Permit first = waiting.first();
                return first != null && first.holder != holder && holder.held() > Math.max(1, max / peers.peers());
            }
        }

        /** Gives the permit back, or stops waiting; may be called twice. The callback may still come, once, if it was granted just before. */
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
            called.forEach(next -> Guarded.run("Telling a waiter of its permit", next.granted::run));
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

    /** @return a limit of its own whose permits also count for this one */
    public Limit child(final int childMax) {
        return new Limit(childMax, this);
    }

    /**
     * @param peer that will hold the permit
     * @param granted called once, on any thread, when the permit is there, if none is free now; must not block
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

    /** @return the waiters that now hold a permit. Called under the same lock as what freed permits, so nobody comes in between */
    private List<Permit> grantWaiting() {
        final List<Permit> called = new ArrayList<>();
        for (Permit next = grantNext(); next != null; next = grantNext()) {
            called.add(next);
        }
        return called;
    }

    /** Lets the children of one parent take turns: a long queue in one of them delays no other. */
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

    /** @return whether a peer waits for a permit, of this limit or of a parent that is used up */
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
