// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.PeerUsage.Holder;

/**
 * The memory for everything that peers make us hold. Every byte is charged to an {@link Account}, one for each transaction and
 * one for each connection. Thread-safe.
 *
 * <p><b>Reserve, then admit.</b> A transaction first {@link Account#reserve reserves} the bytes that it needs to come to its end,
 * and waits while there is no room for them. From then on it never waits for reserved bytes. The bytes that it holds use up the
 * reservation first: as long as they stay within it, nothing more is counted.
 *
 * <p><b>Beyond the reservation.</b> {@link Account#add} always succeeds, since those bytes are in memory already. Before more is
 * read, the holder asks whether the account {@link Account#canGrow can grow}; if not, it stops reading. A push whose contents
 * have no room streams them to disk. Only attributes of an unfinished packet can't be streamed: the push {@link Account#extend
 * waits} for an extension.
 *
 * <p><b>No deadlock.</b> Of the accounts that wait to extend, one at a time has the right of way in its quota: there is always room
 * for its attributes, until its packet is finished. Accounts that stream have a right of way of their own, since others may wait
 * for their permits. So accounts never wait for each other's memory in a circle. The attributes of these two packets may exceed
 * the quota. Bytes that were taken by a right of way do not count against others; otherwise an endless packet would keep everybody
 * out.
 *
 * <p><b>Small and large.</b> A small account may use the whole budget, a larger one three quarters of it, so that a few large
 * transactions do not stop many small ones.
 *
 * <p><b>Quotas.</b> Each port may use half of the budget, and a sixty-fourth is its own, whatever the other ports use. Within a
 * port the peer that holds least comes first, and the last eighth of the quota is for peers that hold nothing or no more than an
 * eighth: a single peer that never gives anything back leaves room for the others.
 */
public final class MemoryBudget {
    /** Bytes that every transaction reserves for its packets, and up to which it is small. */
    public static final int SMALL_BYTES = 16 * 1024;

    /** Bytes by which an account is extended for the attributes of an unfinished packet. */
    private static final int EXTENSION_BYTES = SMALL_BYTES;

    /** The holder of accounts that belong to no peer, or to one that is not known yet. */
    private static final Object NO_PEER = "no peer";

    private static final int PORT_DIVISOR = 2;
    private static final int OWN_DIVISOR = 64;
    private static final int OTHERS_DIVISOR = 8;
    private static final int LARGE_QUARTERS = 3;
    private static final int QUARTERS = 4;

    private final long limit;
    /** The quotas in which a transaction waits, the one that was served longest ago first. */
    private final SequencedSet<Quota> contendedQuotas = new LinkedHashSet<>();

    private final Quota sharedQuota;
    /** Written under the lock. A reader without the lock sees the value of a moment ago, which serves as well: it may change at any time. */
    private volatile long used;
    /** The part of it that was taken by a right of way. Written under the lock, likewise. */
    private volatile long excess;

    private long recentPeak;
    private long peak;

    public MemoryBudget(final long limit) {
        this.limit = limit;
        this.sharedQuota = new Quota(limit);
    }

    public Quota newQuota() {
        return new Quota(limit / PORT_DIVISOR);
    }

    /** @return the quota of connections that have no port yet */
    public Quota sharedQuota() {
        return sharedQuota;
    }

    public long used() {
        return used;
    }

    /** @return the maximum of bytes held at once since the last call, for a report once a minute */
    public synchronized long peakSinceLastCall() {
        final long taken = recentPeak;
        peak = peak();
        recentPeak = used;
        return taken;
    }

    /** @return the maximum of bytes held at once since the start */
    public synchronized long peak() {
        return Math.max(peak, recentPeak);
    }

    public long limit() {
        return limit;
    }

    /** The part of the budget that one port may use. */
    public final class Quota {
        private final long quotaLimit;
        private final PeerUsage peers = new PeerUsage();
        private final WaitQueue<Account> small = new WaitQueue<>();
        private final Lane inMemory = new Lane();
        private final Lane streaming = new Lane();
        private final WaitQueue<Account> large = new WaitQueue<>();
        /** The queues in the order in which they are served. */
        private final List<WaitQueue<Account>> queues = List.of(small, streaming, inMemory, large);

        /** Without what was taken by a right of way. */
        private volatile long quotaUsed;

        private volatile boolean hasWaiters;

        private Quota(final long quotaLimit) {
            this.quotaLimit = quotaLimit;
        }

        /** @return an account that belongs to no peer */
        public Account open() {
            return open(NO_PEER, SMALL_BYTES);
        }

        /**
         * @param peer that owns the account
         * @param smallBytes up to how many bytes the account is small
         */
        public Account open(final Object peer, final long smallBytes) {
            synchronized (MemoryBudget.this) {
                return new Account(this, peers.acquire(peer), smallBytes);
            }
        }

        /** @return whether there is room for a large account, and none waits for it */
        public boolean hasRoomForLarge() {
            return !hasWaiters && hasRoom(false, 1);
        }

        /** @return whether a transaction waits for memory that this quota uses */
        public boolean isContended() {
            if (hasWaiters) {
                return true;
            }
            synchronized (MemoryBudget.this) {
                return used - excess >= limit && !contendedQuotas.isEmpty();
            }
        }

        private boolean hasRoom(final boolean forSmall, final long bytes) {
            if (isWithinOwn()) {
                return true;
            }
            final long ofAll = used - excess;
            if (forSmall) {
                return ofAll + bytes <= limit && quotaUsed + bytes <= quotaLimit;
            }
            return ofAll + bytes <= largePartOf(limit) && quotaUsed + bytes <= largePartOf(quotaLimit);
        }

        /** @return whether no more is used than what is this quota's own, whatever the others use */
        private boolean isWithinOwn() {
            return quotaUsed < limit / OWN_DIVISOR;
        }

        /** @return whether the account's peer holds little, or what the account wants leaves room for peers that hold little */
        private boolean leavesRoomForOthers(final Account account) {
            final long part = quotaLimit / OTHERS_DIVISOR;
            return isWithinOwn()
                    || account.holder.held() == 0
                    || account.holder.held() + account.wanted <= part
                    || quotaUsed + account.wanted <= quotaLimit - part;
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

        /** @return the account that now has the bytes it waited for; null if none waits, or there is no room */
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

        /** @return whether the first of a queue gets the bytes it wants: there is room, or it now has the right of way */
        private boolean mayHave(final WaitQueue<Account> queue, final Account first) {
            if (hasRoom(queue == small, first.wanted) && leavesRoomForOthers(first)) {
                return true;
            }
            return queue instanceof final Lane lane && lane.takeRightOfWay(first);
        }
    }

    private static long largePartOf(final long whole) {
        return whole / QUARTERS * LARGE_QUARTERS;
    }

    /** The queue of accounts that can't go on without an extension, of which one has the right of way. Guarded by the lock. */
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

    /** The bytes of one transaction, from its admission to its end, or of one connection. */
    public final class Account implements AutoCloseable {
        private final Quota quota;
        private final Holder holder;
        private final long smallBytes;
        /** Bytes in memory. */
        private volatile long held;
        /** Bytes set aside, the held ones included. */
        private volatile long reserved;
        /** The larger of both, which is what the budget counts. */
        private volatile long counted;
        /** The part of it that was taken by the right of way. */
        private long accountExcess;

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
         * Sets bytes aside before they arrive.
         *
         * @param whenGranted called once, on any thread, when they are set aside, if there is no room for them now; not called if
         *     the account was closed before; must not block
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

        /** Reserves as {@link #reserve} does, beyond the held bytes, for attributes of an unfinished packet. */
        public boolean extend(final Runnable whenGranted) {
            synchronized (MemoryBudget.this) {
                if (hasRightOfWay()) {
                    return true;
                }
                return grantOrWait(lane, EXTENSION_BYTES, whenGranted);
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
            // The others may wait because their peers hold much. That is no reason for this account to wait.
            if (queue.first() == this && quota.mayHave(queue, this)) {
                quota.leave(this);
                grant();
                return true;
            }
            return false;
        }

        private void grant() {
            reserved = counted + wanted;
            count();
        }

        /** @param bytes that are held in addition; negative for bytes that are held no longer */
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

        /** Adds as {@link #add} does, and gives the rest of the reservation back: the transaction will need no more. */
        public void settle(final long bytes) {
            final List<Account> called;
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                held += bytes;
                reserved = 0;
                count();
                yieldRightOfWay();
                called = grantWaiting();
            }
            call(called);
        }

        /** Moves the account to those that stream: their bytes are written to disk, and given back as fast as that goes. */
        public void streams() {
            final List<Account> called;
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                yieldRightOfWay();
                lane = quota.streaming;
                reserved = Math.min(reserved, smallBytes);
                count();
                called = grantWaiting();
            }
            call(called);
        }

        private void yieldRightOfWay() {
            lane.yieldRightOfWay(this);
            exceed(-accountExcess);
        }

        private void exceed(final long more) {
            accountExcess += more;
            excess += more;
            quota.quotaUsed -= more;
        }

        private void count() {
            final long more = Math.max(held, reserved) - counted;
            if (more != 0) {
                if (hasRightOfWay()) {
                    exceed(Math.max(more, -accountExcess));
                }
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

        /** @return whether more may be read: within the reservation, or beyond it while no transaction waits */
        public boolean canGrow() {
            return held < reserved || !quota.hasWaiters && quota.hasRoom(isSmall(1), 1);
        }

        /**
         * @return whether another peer waits for memory of the quota while this account's peer holds more than its share: the quota,
         *     divided by the peers that hold some of it or wait for some
         */
        public boolean isBeyondShare() {
            if (!quota.hasWaiters) {
                return false;
            }
            synchronized (MemoryBudget.this) {
                return holder.held() > quota.quotaLimit / Math.max(1, quota.peers.peers()) && isAnotherPeerWaiting();
            }
        }

        private boolean isAnotherPeerWaiting() {
            for (final WaitQueue<Account> queue : quota.queues) {
                final Account first = queue.first();
                if (first != null && first.holder != holder) {
                    return true;
                }
            }
            return false;
        }

        /** @return whether attributes of an unfinished packet may go on arriving without room */
        public boolean hasRightOfWay() {
            return lane.withRightOfWay == this;
        }

        private boolean isSmall(final long more) {
            return counted + more <= smallBytes;
        }

        /** Gives everything back and stops waiting; bytes that are added from now on do not count. */
        @Override
        public void close() {
            final List<Account> called;
            synchronized (MemoryBudget.this) {
                if (closed) {
                    return;
                }
                closed = true;
                quota.leave(this);
                yieldRightOfWay();
                held = 0;
                reserved = 0;
                count();
                quota.peers.release(holder);
                called = grantWaiting();
            }
            call(called);
        }
    }

    /** @return the accounts whose wait has ended. Called under the same lock as what made room, so nobody comes in between */
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

    /** Lets the ports take turns. */
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

    /** Called outside of the lock: a callback may take other locks. */
    private static void call(final List<Account> called) {
        called.forEach(next -> Guarded.run("Telling a transaction of its memory", next.granted::run));
    }
}
