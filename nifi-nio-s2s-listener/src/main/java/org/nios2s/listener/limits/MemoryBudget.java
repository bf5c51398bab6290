// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.PeerUsage.Holder;

/**
 * Memory for all that peers make us hold. Every byte is charged to an {@link Account}, one for each transaction and one
 * for each connection. Thread-safe.
 *
 * <p><b>Reserve, then admit.</b> A transaction first {@link Account#reserve reserves} what it needs to come to its end, and
 * waits while there is no room for that. From then on it never waits for what it has reserved. What it holds uses its reservation
 * up first: as long as it stays within, nothing more is counted.
 *
 * <p><b>What arrives beyond.</b> {@link Account#add} always succeeds, since those bytes are there already. Before more is
 * read, its holder asks for {@link Account#canGrow room}, and without room it stops reading. Contents are relieved by streaming.
 * Only attributes of a packet that is under way are not: they {@link Account#extend wait} for another unit.
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
    public static final int SMALL_BYTES = 16 * 1024;

    /** An charge that belongs to no peer, or to one that is not known yet. */
    private static final Object NO_PEER = "no peer";

    private static final int PORT_DIVISOR = 2;
    private static final int OWN_DIVISOR = 64;
    private static final int LARGE_QUARTERS = 3;
    private static final int QUARTERS = 4;

    private final long limit;
    /** Those in which somebody waits, the longest ignored one first. */
    private final SequencedSet<Quota> contendedQuotas = new LinkedHashSet<>();

    private final Quota sharedQuota;
    /** Written under the lock; a reader without it sees what was so a moment ago, which is all that it could use. */
    private volatile long used;

    private long recentPeak;
    private long peak;

    public MemoryBudget(final long limit) {
        this.limit = limit;
        this.sharedQuota = new Quota(limit);
    }

    public Quota newQuota() {
        return new Quota(limit / PORT_DIVISOR);
    }

    /** @return the share of what belongs to no port: connections before their requests */
    public Quota sharedQuota() {
        return sharedQuota;
    }

    public long used() {
        return used;
    }

    /** @return most bytes held at once since this was last asked */
    public synchronized long peakSinceLastCall() {
        final long taken = recentPeak;
        peak = peak();
        recentPeak = used;
        return taken;
    }

    /** @return most bytes held at once since the start */
    public synchronized long peak() {
        return Math.max(peak, recentPeak);
    }

    public long limit() {
        return limit;
    }

    /** What one port may use. */
    public final class Quota {
        private final long quotaLimit;
        private final PeerUsage peers = new PeerUsage();
        private final WaitQueue<Account> small = new WaitQueue<>();
        private final Lane inMemory = new Lane();
        private final Lane streaming = new Lane();
        private final WaitQueue<Account> large = new WaitQueue<>();
        /** In the order in which they are served. */
        private final List<WaitQueue<Account>> queues = List.of(small, streaming, inMemory, large);

        private volatile long quotaUsed;
        private volatile boolean hasWaiters;

        private Quota(final long quotaLimit) {
            this.quotaLimit = quotaLimit;
        }

        /** @return one that belongs to no peer, and is small up to a unit */
        public Account open() {
            return open(NO_PEER, SMALL_BYTES);
        }

        /**
         * @param peer whose it is
         * @param smallBytes up to how many bytes it is small
         */
        public Account open(final Object peer, final long smallBytes) {
            synchronized (MemoryBudget.this) {
                return new Account(this, peers.acquire(peer), smallBytes);
            }
        }

        /** @return whether there is room for what is large, and nobody waits for it */
        public boolean hasRoomForLarge() {
            return !hasWaiters && hasRoom(false, 1);
        }

        /** @return whether somebody waits: what is held is scarce */
        public boolean isContended() {
            if (hasWaiters) {
                return true;
            }
            synchronized (MemoryBudget.this) {
                return used >= limit && !contendedQuotas.isEmpty();
            }
        }

        private boolean hasRoom(final boolean forSmall, final long bytes) {
            if (quotaUsed < limit / OWN_DIVISOR) {
                return true;
            }
            final long whole = forSmall ? limit : limit / QUARTERS * LARGE_QUARTERS;
            final long part = forSmall ? quotaLimit : quotaLimit / QUARTERS * LARGE_QUARTERS;
            return used + bytes <= whole && quotaUsed + bytes <= part;
        }

        private void enqueue(final WaitQueue<Account> queue, final Account account) {
            queue.add(account.holder, account);
            hasWaiters = true;
            contendedQuotas.add(this);
        }

        private void leave(final Account account) {
            boolean waited = false;
            boolean isEmpty = true;
            for (final WaitQueue<Account> queue : queues) {
                waited |= queue.remove(account.holder, account);
                isEmpty &= queue.isEmpty();
            }
            if (waited && isEmpty) {
                hasWaiters = false;
                contendedQuotas.remove(this);
            }
        }

        private void hold(final Holder holder, final long more) {
            if (hasWaiters) {
                queues.forEach(queue -> queue.takeOut(holder));
                peers.hold(holder, more);
                queues.forEach(queue -> queue.putBack(holder));
            } else {
                peers.hold(holder, more);
            }
        }

        /** @return who has got what it waited for; null where nobody waits, or there is no room */
        private Account grantNext() {
            for (final WaitQueue<Account> queue : queues) {
                final Account next = queue.first();
                if (next != null && mayHave(queue, next)) {
                    leave(next);
                    next.grant();
                    return next;
                }
            }
            return null;
        }

        /** @return whether the first of a queue may have what it wants: there is room, or it now has the right of way */
        private boolean mayHave(final WaitQueue<Account> queue, final Account first) {
            if (hasRoom(queue == small, first.wanted)) {
                return true;
            }
            return queue instanceof final Lane lane && lane.takeRightOfWay(first);
        }
    }

    /** Those that hold some already, and can't go on without more. Guarded by the lock. */
    private static final class Lane extends WaitQueue<Account> {
        private volatile Account withRightOfWay;

        boolean takeRightOfWay(final Account account) {
            if (withRightOfWay == null) {
                withRightOfWay = account;
            }
            return withRightOfWay == account;
        }

        void yieldRightOfWay(final Account account) {
            if (withRightOfWay == account) {
                withRightOfWay = null;
            }
        }
    }

    /** What one holder has of the budget: one for each transaction, from its admission to its end. */
    public final class Account implements AutoCloseable {
        private final Quota quota;
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

        private Account(final Quota quota, final Holder holder, final long smallBytes) {
            this.quota = quota;
            this.holder = holder;
            this.smallBytes = smallBytes;
            this.lane = quota.inMemory;
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
                    return grantOrWait(quota.small, bytes, whenGranted);
                }
                return grantOrWait(quota.large, bytes, whenGranted);
            }
        }

        /** As {@link #reserve}, of another unit beyond what it holds, for what is under way and can't be relieved otherwise. */
        public boolean extend(final Runnable whenGranted) {
            synchronized (MemoryBudget.this) {
                if (hasRightOfWay()) {
                    return true;
                }
                return grantOrWait(lane, SMALL_BYTES, whenGranted);
            }
        }

        private boolean grantOrWait(final WaitQueue<Account> queue, final long bytes, final Runnable whenGranted) {
            wanted = bytes;
            granted = whenGranted;
            if (queue.isEmpty() && quota.mayHave(queue, this)) {
                grant();
                return true;
            }
            quota.enqueue(queue, this);
            return false;
        }

        private void grant() {
            reserved = counted + wanted;
            count();
        }

        /** @param bytes held beyond those so far; below 0 for those that are held no longer */
        public void add(final long bytes) {
            final List<Account> called;
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
            final List<Account> called;
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
            final List<Account> called;
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                lane.yieldRightOfWay(this);
                lane = quota.streaming;
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
                quota.quotaUsed += more;
                quota.hold(holder, more);
                recentPeak = Math.max(recentPeak, used);
            }
        }

        public void set(final long bytes) {
            add(bytes - held);
        }

        public long held() {
            return held;
        }

        /** @return whether more may be read into it: within its reservation, or beyond, where nobody waits */
        public boolean canGrow() {
            return held < reserved || !quota.hasWaiters && quota.hasRoom(isSmall(1), 1);
        }

        /**
         * @return whether another peer waits for some of the share, while this charge's peer holds more than its part: the share,
         *     divided by the peers that hold or want some of it
         */
        public boolean isBeyondShare() {
            if (!quota.hasWaiters) {
                return false;
            }
            synchronized (MemoryBudget.this) {
                return holder.held() > quota.quotaLimit / Math.max(1, quota.peers.peers())
                        && quota.queues.stream()
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
            final List<Account> called;
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                closed = true;
                quota.leave(this);
                lane.yieldRightOfWay(this);
                held = 0;
                reserved = 0;
                count();
                quota.peers.release(holder);
                called = grantWaiting();
            }
            call(called);
        }
    }

    /** @return those that have got what they waited for, under the same lock as what made room: nobody comes in between */
    private List<Account> grantWaiting() {
        if (contendedQuotas.isEmpty()) {
            return List.of();
        }
        final List<Account> called = new ArrayList<>();
        for (Account next = grantNext(); next != null; next = grantNext()) {
            called.add(next);
        }
        return called;
    }

    /** Ports take turns. */
    private Account grantNext() {
        for (final Quota quota : List.copyOf(contendedQuotas)) {
            final Account next = quota.grantNext();
            if (next != null) {
                if (contendedQuotas.contains(quota)) {
                    contendedQuotas.addLast(quota);
                }
                return next;
            }
        }
        return null;
    }

    /** Outside the lock. */
    private static void call(final List<Account> called) {
        called.forEach(next -> Guarded.run("Calling the next in line for memory", next.granted::run));
    }
}
