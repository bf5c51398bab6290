// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.nios2s.listener.fault.Guarded;

/**
 * So many of something at once: places, permits, sessions. Who asks in vain waits in line, may leave it, and holds what it
 * waited for when it is called. Thread-safe.
 *
 * <p>A limit may stand below another one: what it gives out then counts for both, so that who uses up the lower one leaves
 * some of the upper one to its neighbours.
 */
public final class Limit {
    private final int most;
    private final Limit upper;
    /** One lock for an upper limit and all below it. */
    private final Object lock;
    /** Those of the lower limits in which somebody waits for the upper one, the longest ignored one first. */
    private final SequencedSet<Limit> wanting = new LinkedHashSet<>();

    private final SequencedSet<Permit> line = new LinkedHashSet<>();
    private int held;

    /** One of what is limited, or a place in the line for it. */
    public final class Permit implements AutoCloseable {
        /** Null for one that was there. */
        private final Runnable granted;

        private boolean isHeld;

        private Permit(final Runnable granted) {
            this.granted = granted;
            this.isHeld = granted == null;
        }

        /** @return whether it was there when it was asked for: then nobody is called */
        public boolean isImmediate() {
            return granted == null;
        }

        /** Gives it back, or leaves the line; once. The callback may still come, once, and finds nothing. */
        @Override
        public void close() {
            final boolean wasHeld;
            synchronized (lock) {
                wasHeld = isHeld;
                isHeld = false;
                line.remove(this);
                forgetIfNobodyWaits();
            }
            if (wasHeld) {
                release();
            }
        }
    }

    public Limit(final int most) {
        this(most, null);
    }

    private Limit(final int most, final Limit upper) {
        this.most = most;
        this.upper = upper;
        this.lock = upper == null ? this : upper.lock;
    }

    /** @return a limit below this one, of at most so many */
    public Limit below(final int lowerMost) {
        return new Limit(lowerMost, this);
    }

    /** @param granted called once, on any thread, when there is one, if there is none now; must not block */
    public Permit ask(final Runnable granted) {
        synchronized (lock) {
            final Permit permit = new Permit(line.isEmpty() && take() ? null : granted);
            if (!permit.isImmediate()) {
                line.addLast(permit);
                if (upper != null) {
                    upper.wanting.add(this);
                }
            }
            return permit;
        }
    }

    private boolean take() {
        if (held >= most || upper != null && upper.held >= upper.most) {
            return false;
        }
        held++;
        if (upper != null) {
            upper.held++;
        }
        return true;
    }

    private void release() {
        synchronized (lock) {
            held--;
            if (upper != null) {
                upper.held--;
            }
        }
        for (Permit next = callNext(); next != null; next = callNext()) {
            Guarded.run("Calling who waits for a limit", next.granted::run);
        }
    }

    /** @return whose turn it is, who has one now; or null. Neighbours take turns: nobody waits for a busy one's line to end */
    private Permit callNext() {
        synchronized (lock) {
            if (upper == null) {
                return callOwn();
            }
            for (final Limit lower : List.copyOf(upper.wanting)) {
                final Permit called = lower.callOwn();
                if (called != null) {
                    upper.wanting.addLast(lower);
                    lower.forgetIfNobodyWaits();
                    return called;
                }
            }
            return null;
        }
    }

    private void forgetIfNobodyWaits() {
        if (line.isEmpty() && upper != null) {
            upper.wanting.remove(this);
        }
    }

    private Permit callOwn() {
        if (line.isEmpty() || !take()) {
            return null;
        }
        final Permit next = line.removeFirst();
        next.isHeld = true;
        return next;
    }

    /** @return whether somebody waits: what is held is scarce */
    public boolean isScarce() {
        synchronized (lock) {
            return !line.isEmpty() || upper != null && upper.held >= upper.most && !upper.wanting.isEmpty();
        }
    }

    public int held() {
        synchronized (lock) {
            return held;
        }
    }
}
