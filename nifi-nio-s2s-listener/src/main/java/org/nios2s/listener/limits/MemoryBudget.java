// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.PeerShares.Holder;

/**
 * Memory for all that peers make us hold. Every byte is charged to an {@link Charge}, one for each transaction and one
 * for each connection. Thread-safe.
 *
 * <p><b>Reserve, then admit.</b> A transaction first {@link Charge#reserve reserves} what it needs to come to its end, and
 * waits while there is no room for that. From then on it never waits for what it has reserved. What it holds uses its reservation
 * up first: as long as it stays within, nothing more is counted.
 *
 * <p><b>What arrives beyond.</b> {@link Charge#add} always succeeds, since those bytes are there already. Before more is
 * read, its holder asks for {@link Charge#hasRoom room}, and without room it stops reading. Contents are relieved by streaming.
 * Only attributes of a packet that is under way are not: they {@link Charge#extend wait} for another unit.
 *
 * <p><b>No standstill.</b> Of those that wait to extend, one at a time has the right of way in its share: there is always room for
 * its attributes, until they are relieved. Those that stream have a right of way of their own, since the others may wait for
 * their permits. So there is no circle in which everybody holds memory and waits for more. A share may be exceeded by the
 * attributes of these two packets.
 *
 * <p><b>Small and large.</b> A small charge may use all of the budget, a larger one three quarters of it, so that few
 * large transactions do not stop many small ones.
 *
 * <p><b>Shares.</b> Each port may use half, and a sixty-fourth is its own, whatever the others use. Within a port the peer that
 * holds least comes first.
 */
public final class MemoryBudget {
    /** What every transaction reserves for its packets: up to here it is small. */
    public static final int UNIT = 16 * 1024;

    /** An charge that belongs to no peer, or to one that is not known yet. */
    private static final Object NO_PEER = "no peer";

    private static final int SHARE_DIVISOR = 2;
    private static final int OWN_DIVISOR = 64;
    private static final int LARGE_QUARTERS = 3;
    private static final int QUARTERS = 4;

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
        private final PeerShares peers = new PeerShares();
        private final WaitQueue<Charge> small = new WaitQueue<>();
        private final Lane inMemory = new Lane();
        private final Lane streaming = new Lane();
        private final WaitQueue<Charge> large = new WaitQueue<>();
        /** In the order in which they are served. */
        private final List<WaitQueue<Charge>> queues = List.of(small, streaming, inMemory, large);

        private volatile long shareUsed;
        private volatile boolean isWanted;

        private Share(final long shareLimit) {
            this.shareLimit = shareLimit;
        }

        /** @return one that belongs to no peer, and is small up to a unit */
        public Charge open() {
            return open(NO_PEER, UNIT);
        }

        /**
         * @param peer whose it is
         * @param smallBytes up to how many bytes it is small
         */
        public Charge open(final Object peer, final long smallBytes) {
            synchronized (MemoryBudget.this) {
                return new Charge(this, peers.acquire(peer), smallBytes);
            }
        }

        /** @return whether there is room for what is large, and nobody waits for it */
        public boolean isRoomy() {
            return !isWanted && hasRoom(false, 1);
        }

        /** @return whether somebody waits: what is held is scarce */
        public boolean isScarce() {
            if (isWanted) {
                return true;
            }
            synchronized (MemoryBudget.this) {
                return used >= limit && !wanting.isEmpty();
            }
        }

        private boolean hasRoom(final boolean forSmall, final long bytes) {
            if (shareUsed < limit / OWN_DIVISOR) {
                return true;
            }
            final long whole = forSmall ? limit : limit / QUARTERS * LARGE_QUARTERS;
            final long part = forSmall ? shareLimit : shareLimit / QUARTERS * LARGE_QUARTERS;
            return used + bytes <= whole && shareUsed + bytes <= part;
        }

        private void enqueue(final WaitQueue<Charge> queue, final Charge charge) {
            queue.add(charge.holder, charge);
            isWanted = true;
            wanting.add(this);
        }

        private void leave(final Charge charge) {
            boolean waited = false;
            boolean isEmpty = true;
            for (final WaitQueue<Charge> queue : queues) {
                waited |= queue.remove(charge.holder, charge);
                isEmpty &= queue.isEmpty();
            }
            if (waited && isEmpty) {
                isWanted = false;
                wanting.remove(this);
            }
        }

        private void hold(final Holder holder, final long more) {
            if (isWanted) {
                queues.forEach(queue -> queue.takeOut(holder));
                peers.hold(holder, more);
                queues.forEach(queue -> queue.putBack(holder));
            } else {
                peers.hold(holder, more);
            }
        }

        /** @return who has got what it waited for; null where nobody waits, or there is no room */
        private Charge grantNext() {
            for (final WaitQueue<Charge> queue : queues) {
                final Charge next = queue.first();
                if (next != null && mayHave(queue, next)) {
                    leave(next);
                    next.grant();
                    return next;
                }
            }
            return null;
        }

        /** @return whether the first of a queue may have what it wants: there is room, or it now has the right of way */
        private boolean mayHave(final WaitQueue<Charge> queue, final Charge first) {
            if (hasRoom(queue == small, first.wanted)) {
                return true;
            }
            return queue instanceof final Lane lane && lane.takeRightOfWay(first);
        }
    }

    /** Those that hold some already, and can't go on without more. Guarded by the lock. */
    private static final class Lane extends WaitQueue<Charge> {
        private volatile Charge withRightOfWay;

        boolean takeRightOfWay(final Charge charge) {
            if (withRightOfWay == null) {
                withRightOfWay = charge;
            }
            return withRightOfWay == charge;
        }

        void yieldRightOfWay(final Charge charge) {
            if (withRightOfWay == charge) {
                withRightOfWay = null;
            }
        }
    }

    /** What one holder has of the budget: one for each transaction, from its admission to its end. */
    public final class Charge implements AutoCloseable {
        private final Share share;
        private final Holder holder;
        private final long smallBytes;
        /** What is there. */
        private volatile long held;
        /** What is set aside for it, of which it uses up what it holds. */
        private volatile long reserved;
        /** The larger of both: what the budget counts. */
        private volatile long counted;

        private volatile Lane lane;
        private boolean closed;
        private long wanted;
        private Runnable granted;

        private Charge(final Share share, final Holder holder, final long smallBytes) {
            this.share = share;
            this.holder = holder;
            this.smallBytes = smallBytes;
            this.lane = share.inMemory;
        }

        /**
         * Sets bytes aside for what it does not hold yet.
         *
         * @param whenGranted called once, on any thread, when they are set aside, if there is no room for them now; not if it was
         *     closed before; must not block
         * @return whether they are set aside now
         */
        public boolean reserve(final long bytes, final Runnable whenGranted) {
            synchronized (MemoryBudget.this) {
                if (isSmall(bytes)) {
                    return grantOrWait(share.small, bytes, whenGranted);
                }
                return grantOrWait(share.large, bytes, whenGranted);
            }
        }

        /** As {@link #reserve}, of another unit beyond what it holds, for what is under way and can't be relieved otherwise. */
        public boolean extend(final Runnable whenGranted) {
            synchronized (MemoryBudget.this) {
                if (hasRightOfWay()) {
                    return true;
                }
                return grantOrWait(lane, UNIT, whenGranted);
            }
        }

        private boolean grantOrWait(final WaitQueue<Charge> queue, final long bytes, final Runnable whenGranted) {
            wanted = bytes;
            granted = whenGranted;
            if (queue.isEmpty() && share.mayHave(queue, this)) {
                grant();
                return true;
            }
            share.enqueue(queue, this);
            return false;
        }

        private void grant() {
            reserved = counted + wanted;
            count();
        }

        /** @param bytes held beyond those so far; below 0 for those that are held no longer */
        public void add(final long bytes) {
            final List<Charge> called;
            if (bytes == 0) {
                return;
            }
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                held += bytes;
                count();
                called = grantWaiting();
            }
            call(called);
        }

        /** As {@link #add}; and it will need no more: what was reserved beyond is given back. */
        public void settle(final long bytes) {
            final List<Charge> called;
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                held += bytes;
                reserved = 0;
                count();
                lane.yieldRightOfWay(this);
                called = grantWaiting();
            }
            call(called);
        }

        /** From now on what it holds is written, and given back as fast as that goes: it waits with those that stream. */
        public void streams() {
            final List<Charge> called;
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                lane.yieldRightOfWay(this);
                lane = share.streaming;
                reserved = Math.min(reserved, smallBytes);
                count();
                called = grantWaiting();
            }
            call(called);
        }

        private void count() {
            final long more = Math.max(held, reserved) - counted;
            if (more != 0) {
                counted += more;
                used += more;
                share.shareUsed += more;
                share.hold(holder, more);
                most = Math.max(most, used);
            }
        }

        public void set(final long bytes) {
            add(bytes - held);
        }

        public long held() {
            return held;
        }

        /** @return whether more may be read into it: within its reservation, or beyond, where nobody waits */
        public boolean hasRoom() {
            return held < reserved || !share.isWanted && share.hasRoom(isSmall(1), 1);
        }

        /**
         * @return whether another peer waits for some of the share, while this charge's peer holds more than its part: the share,
         *     divided by the peers that hold or want some of it
         */
        public boolean isBeyondShare() {
            if (!share.isWanted) {
                return false;
            }
            synchronized (MemoryBudget.this) {
                return holder.held() > share.shareLimit / Math.max(1, share.peers.peers())
                        && share.queues.stream()
                                .map(WaitQueue::first)
                                .anyMatch(first -> first != null && first.holder != holder);
            }
        }

        /** @return whether attributes under way may go on arriving without room */
        public boolean hasRightOfWay() {
            return lane.withRightOfWay == this;
        }

        private boolean isSmall(final long more) {
            return counted + more <= smallBytes;
        }

        /** Nothing is held any more, or waited for; what is added from now on does not count. */
        @Override
        public void close() {
            final List<Charge> called;
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                closed = true;
                share.leave(this);
                lane.yieldRightOfWay(this);
                held = 0;
                reserved = 0;
                count();
                share.peers.release(holder);
                called = grantWaiting();
            }
            call(called);
        }
    }

    /** @return those that have got what they waited for, under the same lock as what made room: nobody comes in between */
    private List<Charge> grantWaiting() {
        if (wanting.isEmpty()) {
            return List.of();
        }
        final List<Charge> called = new ArrayList<>();
        for (Charge next = grantNext(); next != null; next = grantNext()) {
            called.add(next);
        }
        return called;
    }

    /** Ports take turns. */
    private Charge grantNext() {
        for (final Share share : List.copyOf(wanting)) {
            final Charge next = share.grantNext();
            if (next != null) {
                if (wanting.contains(share)) {
                    wanting.addLast(share);
                }
                return next;
            }
        }
        return null;
    }

    /** Outside the lock. */
    private static void call(final List<Charge> called) {
        called.forEach(next -> Guarded.run("Calling the next in line for memory", next.granted::run));
    }
}
