// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.fault.Guarded;

/**
 * Memory for all that peers make us hold. Every byte is charged by who holds it, a {@link Charge} for each transaction and
 * each connection. Thread-safe.
 *
 * <p>A charge always succeeds, since its bytes are there already; what is bounded is what is read next: who finds no
 * {@link Charge#hasRoom() room} stops reading, waits in line, and holds a {@link #UNIT} for its next read when it is called.
 *
 * <p>Small and large: a charge of up to a unit may use all of the budget, a larger one three quarters of it, so that few
 * large transactions do not stop many small ones. Shares: each port may use half, and a sixty-fourth is its own, whatever
 * the others use.
 *
 * <p>When those that wait hold most of a full share themselves, nobody would ever go on: then those that hold most are told to
 * give up, until half of the share is left.
 */
public final class MemoryBudget {
    /** A charge of so many bytes is small; and what is set aside for who is called from the line. */
    public static final int UNIT = 16 * 1024;

    private static final int SHARE_DIVISOR = 2;
    private static final int OWN_DIVISOR = 64;
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long limit;
    /** Those in which somebody waits, the longest ignored one first. */
    private final SequencedSet<Share> wanting = new LinkedHashSet<>();

    private final Share common;
    /** Written under the lock; a reader without it sees what was so a moment ago, which is all that it could use. */
    private volatile long used;

    private long most;
    private long peak;

    public MemoryBudget(final long limit) {
        this.limit = limit;
        this.common = new Share(limit);
    }

    public Share share() {
        return new Share(limit / SHARE_DIVISOR);
    }

    /** @return the share of what belongs to no port: connections before their requests */
    public Share common() {
        return common;
    }

    public long used() {
        return used;
    }

    /** @return most bytes held at once since this was last asked */
    public synchronized long takeMost() {
        final long taken = most;
        peak = peak();
        most = used;
        return taken;
    }

    /** @return most bytes held at once since the start */
    public synchronized long peak() {
        return Math.max(peak, most);
    }

    public long limit() {
        return limit;
    }

    /** What one port may use. */
    public final class Share {
        private final long shareLimit;
        private final SequencedSet<Charge> small = new LinkedHashSet<>();
        private final SequencedSet<Charge> large = new LinkedHashSet<>();
        private volatile long shareUsed;
        private long movedNanos = System.nanoTime();

        private Share(final long shareLimit) {
            this.shareLimit = shareLimit;
        }

        public Charge open() {
            return new Charge(this);
        }

        /** @return whether there is room for what is large */
        public boolean isRoomy() {
            return hasRoom(false);
        }

        /** @return whether somebody waits: what is held is scarce */
        public boolean isScarce() {
            synchronized (MemoryBudget.this) {
                return !small.isEmpty() || !large.isEmpty() || used >= limit && !wanting.isEmpty();
            }
        }

        /** @return those who give up, out of the line already; none where there is no standstill */
        private List<Charge> breakStandstill(final long nowNanos) {
            if (nowNanos - movedNanos < STUCK_NANOS) {
                return List.of();
            }
            final List<Charge> all = new ArrayList<>(small);
            all.addAll(large);
            all.sort(Comparator.<Charge>comparingLong(waiting -> waiting.unrelieved)
                    .thenComparingLong(waiting -> waiting.held));
            final long tolerable = Math.min(shareUsed, shareLimit) / 2;
            long heldByWaiting = all.stream().mapToLong(waiting -> waiting.held).sum();
            final List<Charge> losers = new ArrayList<>();
            while (heldByWaiting > tolerable) {
                final Charge loser = all.removeLast();
                heldByWaiting -= loser.held;
                loser.leave();
                losers.add(loser);
                movedNanos = nowNanos;
            }
            return losers;
        }

        private boolean hasRoom(final boolean forSmall) {
            if (shareUsed < limit / OWN_DIVISOR) {
                return true;
            }
            return forSmall
                    ? used < limit && shareUsed < shareLimit
                    : used < limit - limit / 4 && shareUsed < shareLimit - shareLimit / 4;
        }

        private Charge callNext() {
            final SequencedSet<Charge> line = small.isEmpty() || !hasRoom(true) ? large : small;
            if (line.isEmpty() || !hasRoom(line == small)) {
                return null;
            }
            final Charge next = line.getFirst();
            next.leave();
            next.reserve();
            movedNanos = System.nanoTime();
            return next;
        }
    }

    /** What one holder has of the budget: one for each transaction, from its first byte to its last. */
    public final class Charge implements AutoCloseable {
        private final Share share;
        private volatile long held;
        private volatile long reserved;
        private boolean closed;
        private Runnable whenCalled;
        private Runnable whenGivingUp;
        private long unrelieved;

        private Charge(final Share share) {
            this.share = share;
        }

        /** @param bytes held beyond those so far; below 0 for those that are held no longer */
        public void add(final long bytes) {
            if (bytes != 0) {
                synchronized (MemoryBudget.this) {
                    if (closed) {
                        return;
                    }
                    held += bytes;
                    count(bytes - reserved);
                    reserved = 0;
                    if (isSmall() && share.large.remove(this)) {
                        share.small.addLast(this);
                    }
                }
                if (bytes < 0) {
                    callWaiting(share);
                }
            }
        }

        public void set(final long bytes) {
            add(bytes - held);
        }

        public long held() {
            return held;
        }

        /** @return whether more may be read into it */
        public boolean hasRoom() {
            return reserved > 0 || share.hasRoom(isSmall());
        }

        private boolean isSmall() {
            return held <= UNIT;
        }

        /**
         * Waits in line for room, until it is called or the charge is closed.
         *
         * @param called once, on any thread, when there is room, and a unit of it is set aside; must not block
         * @param givesUp called in its place, if what it holds is needed to end a standstill; must not block
         * @param bytesUnrelieved of those held that only more memory can relieve: who has most of them gives up first
         */
        public void await(final Runnable called, final Runnable givesUp, final long bytesUnrelieved) {
            synchronized (MemoryBudget.this) {
                whenCalled = called;
                whenGivingUp = givesUp;
                unrelieved = bytesUnrelieved;
                if (wanting.add(share)) {
                    share.movedNanos = System.nanoTime();
                }
                (isSmall() ? share.small : share.large).addLast(this);
            }
            callWaiting(share);
        }

        private void leave() {
            share.small.remove(this);
            share.large.remove(this);
            if (share.small.isEmpty() && share.large.isEmpty()) {
                wanting.remove(share);
            }
        }

        private void reserve() {
            if (!closed) {
                reserved += UNIT;
                count(UNIT);
            }
        }

        private void count(final long bytes) {
            used += bytes;
            share.shareUsed += bytes;
            most = Math.max(most, used);
        }

        /** Nothing is held any more; what is added from now on does not count. */
        @Override
        public void close() {
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                closed = true;
                leave();
                count(-held - reserved);
                held = 0;
                reserved = 0;
            }
            callWaiting(share);
        }
    }

    /** Ends standstills, as the class says. To be called a few times a second. */
    public void breakStandstills(final long nowNanos) {
        final List<Charge> losers = new ArrayList<>();
        synchronized (this) {
            for (final Share share : List.copyOf(wanting)) {
                losers.addAll(share.breakStandstill(nowNanos));
            }
        }
        losers.forEach(loser -> Guarded.run("Ending a standstill", loser.whenGivingUp::run));
    }

    /** Calls whom there is room for: first in the share in which something was given back, then in the others in turn. */
    private void callWaiting(final Share first) {
        // The caller has had the lock: who has come into the line since then asks for itself.
        for (Charge next = wanting.isEmpty() ? null : nextToCall(first); next != null; next = nextToCall(first)) {
            Guarded.run("Calling who waits for memory", next.whenCalled::run);
        }
    }

    private synchronized Charge nextToCall(final Share first) {
        final Charge own = first.callNext();
        if (own != null) {
            return own;
        }
        for (final Share share : List.copyOf(wanting)) {
            final Charge called = share.callNext();
            if (called != null) {
                if (wanting.remove(share)) {
                    wanting.addLast(share);
                }
                return called;
            }
        }
        return null;
    }
}
