// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.time.NanoClock;

/**
 * Something that peers share and of which there is only so much: permits, places, bytes, room. Thread-safe; nothing here blocks.
 *
 * <p><b>Whose turn it is.</b> Of the waiting peers the one comes first that holds least, over all ports; among peers that hold the
 * same, the one that has held something longest ago, or has waited longest. So a peer with many connections brings no more than a
 * peer with one, and delays nobody but itself.
 *
 * <p><b>Levels.</b> Each port has a {@link Part}. It bounds what the port may hold, and some of it is the port's own: no other
 * port can use that, so ports that stand still never stop another one. As much is kept for a port that has yet to come. A peer that
 * waits for its own port delays none that waits for the whole.
 *
 * <p><b>Hand-over.</b> What comes back goes at once, under the same lock, to the next waiter, which holds it when its callback is
 * called, outside of the lock. So a newcomer never overtakes a waiter, no waiter is woken for nothing, and a grant ends once. A port
 * that hands out by itself is told instead: see {@link Offers}.
 */
public final class SharedResource {
    /** For a level without a maximum. */
    public static final long UNLIMITED = Long.MAX_VALUE / 4;

    /** Of peers with something idle the one that holds most comes first, then the one with what has been idle longest. */
    private static final Comparator<Peer> LARGEST_IDLE = Comparator.<Peer>comparingLong(peer -> -peer.held)
            .thenComparingLong(peer -> peer.idle.firstEntry().getValue());

    private static final int QUARTERS = 4;

    private final String name;
    private final long max;
    private final long own;
    private final NanoClock clock;
    private final long longestTurnNanos;
    private final Map<PeerKey, Peer> peers = new HashMap<>();
    /** The parts in which a peer waits. */
    private final Set<Part> contended = new LinkedHashSet<>();

    private final Offers offers;
    private final NavigableSet<Peer> idlePeers = new TreeSet<>(LARGEST_IDLE);
    /** The parts of ports that are used: each has something of its own. */
    private final Set<Part> owners = new HashSet<>();

    private long tickets;
    /** Written under the lock. A reader without it sees the value of a moment ago, which serves as well: it may change at any time. */
    private volatile long held;
    /** What ports may still take of their own parts. Written under the lock, likewise. */
    private volatile long setAside;
    /** Whether a peer waits for the whole, and not for its own port alone. Written under the lock. */
    private volatile boolean isShort;

    private long peak;
    /** The part of it whose holders were told to give it back. */
    private long told;

    /**
     * @param name of what is shared, for the log
     * @param max in all; own parts are there even beyond it
     * @param own what each port has for itself; less where there are so many ports that all of it would be more than a quarter
     */
    public SharedResource(final String name, final long max, final long own, final NanoClock clock) {
        this(name, max, own, clock, Long.MAX_VALUE);
    }

    /** @param longestTurnNanos of its own time after which a peer with one grant gives way, too: for what only one can have */
    SharedResource(
            final String name, final long max, final long own, final NanoClock clock, final long longestTurnNanos) {
        this.name = name;
        this.max = max;
        this.own = own;
        this.clock = clock;
        this.longestTurnNanos = longestTurnNanos;
        this.offers = new Offers(clock);
        setOwnParts();
    }

    /** @return the part of a port, to be closed when the port is no longer used */
    public Part part(final long partMax) {
        return part(() -> partMax);
    }

    /** @param partMax what the port may hold, which may change */
    public Part part(final LongSupplier partMax) {
        return ofPort(new Part(partMax, Condition.NONE));
    }

    /** @param condition what has to be there besides */
    public Part part(final Condition condition) {
        return ofPort(new Part(() -> UNLIMITED, condition));
    }

    /** @return a part for what belongs to no port */
    public Part commonPart() {
        return new Part(() -> max, Condition.NONE);
    }

    private synchronized Part ofPort(final Part part) {
        owners.add(part);
        setOwnParts();
        return part;
    }

    /** Gives each port its own part, and keeps as much for one that has yet to come. Called under the lock, but for the constructor. */
    private void setOwnParts() {
        final long each = Math.min(own, Math.max(1, max / QUARTERS / (owners.size() + 1)));
        long left = each;
        for (final Part part : owners) {
            part.partOwn = each;
            left += part.ownLeft();
        }
        setAside = left;
    }

    public long held() {
        return held;
    }

    public long max() {
        return max;
    }

    String name() {
        return name;
    }

    /** @return the most that was held at once since the last call of {@link #peakSinceLastCall} */
    synchronized long peak() {
        return peak;
    }

    synchronized long peakSinceLastCall() {
        final long taken = peak;
        peak = held;
        return taken;
    }

    /** A peer, as long as it holds something or waits. Guarded by the lock, as all of its fields. */
    final class Peer {
        private final PeerKey key;
        /** In the order in which they came: of two that are alike the older one ends. */
        private final Set<Grant> grants = new LinkedHashSet<>();

        private final List<WaitingLine.OfPeer> inLines = new ArrayList<>(1);
        /** Those that its holders don't use now, each with the ticket since when. */
        private final SequencedMap<Grant, Long> idle = new LinkedHashMap<>();

        /** Written under the lock. A reader without it sees the value of a moment ago. */
        private volatile long held;
        /** The part of it whose holders were told to give it back. */
        private long told;
        /** The ticket at which it last gave something back. */
        private long lastReturn;

        Peer(final PeerKey key) {
            this.key = key;
        }

        long held() {
            return held;
        }

        long lastReturn() {
            return lastReturn;
        }

        List<WaitingLine.OfPeer> inLines() {
            return inLines;
        }

        /** Leaves all orders before that changes by which it is sorted; {@link #putBack} has to follow. */
        private void takeOut() {
            inLines.forEach(WaitingLine.OfPeer::takeOut);
            if (!idle.isEmpty()) {
                idlePeers.remove(this);
            }
        }

        private void putBack() {
            inLines.forEach(WaitingLine.OfPeer::putBack);
            if (!idle.isEmpty()) {
                idlePeers.add(this);
            }
        }
    }

    /** The part of one port. */
    public final class Part implements AutoCloseable {
        private final LongSupplier partMax;
        private final Condition condition;
        private final WaitingLine line = new WaitingLine();

        private volatile long partOwn;
        private volatile long partHeld;
        private long size;
        private volatile int waiting;
        /** Null where what is free is granted at once. */
        private Runnable whenFree;

        private BooleanSupplier isReachable;

        private Part(final LongSupplier partMax, final Condition condition) {
            this.partMax = partMax;
            this.condition = condition;
            this.isReachable = condition::isReachable;
        }

        private long ownLeft() {
            return Math.max(0, partOwn - partHeld);
        }

        /**
         * From now on nothing is granted by itself: who may hand out takes {@link #next}.
         *
         * @param task called on any thread when there may be something for a waiter; must not block
         * @param reachable whether somebody will hand out; must not block
         */
        public void grantOnlyNext(final Runnable task, final BooleanSupplier reachable) {
            whenFree = task;
            isReachable = reachable;
        }

        /** As {@link #request(Holder, long, long, Runnable)}, for one. */
        public Grant request(final Holder holder, final Runnable granted) {
            return request(holder, 1, 0, granted);
        }

        /**
         * @param amount wanted
         * @param itsSize what counts for the part's condition, and nowhere else
         * @param granted called once, on any thread, when the amount is there, if it is not there now; must not block
         */
        public Grant request(final Holder holder, final long amount, final long itsSize, final Runnable granted) {
            final Grant grant;
            final List<Runnable> calls;
            synchronized (SharedResource.this) {
                grant = new Grant(this, holder, amount, itsSize, granted);
                if (whenFree == null && contended.isEmpty() && hasRoom(amount, 0)) {
                    grant.take();
                    grant.isImmediate = true;
                    return grant;
                }
                enqueue(grant);
                calls = grantInTurn(grant);
            }
            run(calls);
            return grant;
        }

        /** @return a grant of nothing, for what comes without being asked for: see {@link Grant#add} */
        public Grant open(final Holder holder) {
            synchronized (SharedResource.this) {
                final Grant grant = new Grant(this, holder, 0, 0, () -> {});
                grant.take();
                grant.isImmediate = true;
                return grant;
            }
        }

        /** @return the next waiter's grant, which is now held; null if nobody waits, or nothing is free */
        public Grant next() {
            synchronized (SharedResource.this) {
                final Grant first = first();
                if (first == null || !hasRoom(first.reserved, offers.keptBefore(this))) {
                    return null;
                }
                leave(first);
                first.take();
                offers.end(this);
                return first;
            }
        }

        /** @return the waiter whose turn it is, which goes on waiting; or null */
        public Grant peek() {
            synchronized (SharedResource.this) {
                return first();
            }
        }

        /** @return how many waiters could be served now */
        public long grantable() {
            if (waiting == 0) {
                return 0;
            }
            synchronized (SharedResource.this) {
                final long free = Math.max(0, free() - offers.keptBefore(this));
                return Math.clamp(
                        Math.max(ownLeft(), Math.min(partMax.getAsLong() - partHeld, ownLeft() + free)), 0, waiting);
            }
        }

        /** @return whether its first waiter comes before that of another part */
        boolean precedes(final Part other) {
            return this != other && line.compareTo(other.line) < 0;
        }

        /** @return what the first waiter would take of what no port has for itself; 0 if it can have nothing now */
        long firstWantsBeyondOwn() {
            final long amount = first().reserved;
            if (!hasPartRoom(amount) || !isReachable.getAsBoolean()) {
                return 0;
            }
            return Math.max(0, amount - ownLeft());
        }

        /** Grants what has become free without being given back here. From any thread. */
        public void grantWaiting() {
            if (waiting == 0) {
                return;
            }
            final List<Runnable> calls;
            synchronized (SharedResource.this) {
                calls = grantInTurn(null);
            }
            run(calls);
        }

        private void enqueue(final Grant grant) {
            line.add(grant, tickets++);
            waiting++;
            contended.add(this);
        }

        private void leave(final Grant grant) {
            line.remove(grant);
            waiting--;
            if (waiting == 0) {
                contended.remove(this);
                offers.end(this);
            }
        }

        private Grant first() {
            return line.first();
        }

        private boolean hasRoom(final long amount, final long kept) {
            return hasPartRoom(amount) && isFree(amount, kept);
        }

        private boolean hasPartRoom(final long amount) {
            return partHeld + amount <= partMax.getAsLong() && condition.hasRoom(partHeld, size);
        }

        /** @return whether the whole has enough beside what is kept, where the port's own part does not do */
        private boolean isFree(final long amount, final long kept) {
            return amount - ownLeft() <= Math.max(0, free() - kept);
        }

        private void count(final Peer peer, final long more, final long moreSize) {
            final long leftBefore = ownLeft();
            peer.takeOut();
            partHeld += more;
            size += moreSize;
            held += more;
            peer.held += more;
            if (more < 0) {
                peer.lastReturn = tickets++;
            }
            peer.putBack();
            setAside += ownLeft() - leftBefore;
            peak = Math.max(peak, held);
        }

        /**
         * @return whether something may be taken here without asking: nobody waits for what would be taken, and it is the port's own, or
         *     enough is left for requests
         */
        boolean hasRoomToGrow() {
            if (waiting > 0) {
                return false;
            }
            return ownLeft() > 0
                    || !isShort
                            && Growth.leavesRoomForRequests(partHeld, partMax.getAsLong())
                            && Growth.leavesRoomForRequests(held, max)
                            && free() > 0;
        }

        public long held() {
            return partHeld;
        }

        /** @return grants that wait */
        public int waiting() {
            return waiting;
        }

        /** The port is no longer used: nothing is its own any more. */
        @Override
        public void close() {
            final List<Runnable> calls;
            synchronized (SharedResource.this) {
                owners.remove(this);
                partOwn = 0;
                setOwnParts();
                calls = grantInTurn(null);
            }
            run(calls);
        }
    }

    /** What one holder has, or waits for. */
    public final class Grant implements AutoCloseable {
        private enum State {
            WAITING,
            HELD,
            CLOSED
        }

        private final Part part;
        private final Peer peer;
        private final Holder holder;
        private final Runnable granted;
        private final long size;
        /** What was asked for. */
        private volatile long reserved;
        /** What is in use: it takes up what is reserved first. */
        private volatile long used;

        private State state = State.WAITING;
        private boolean isImmediate;
        /** Since when it waits, or when somebody was told on its behalf. */
        private long sinceNanos;

        /** What its peer had taken of its own time before it held this. */
        private long takenBeforeNanos;
        /** What its holder was told to give back. */
        private long told;

        private Grant(
                final Part part, final Holder holder, final long reserved, final long size, final Runnable granted) {
            this.part = part;
            this.peer = peers.computeIfAbsent(holder.key(), Peer::new);
            this.holder = holder;
            this.sinceNanos = clock.nanoTime();
            this.reserved = reserved;
            this.size = size;
            this.granted = granted;
            peer.grants.add(this);
        }

        /** @return whether the request was granted at once: then the callback is not called */
        public boolean isImmediate() {
            return isImmediate;
        }

        /** Calls what waits for it, where {@link Part#next} has handed it out. */
        public void call() {
            granted.run();
        }

        private void take() {
            state = State.HELD;
            takenBeforeNanos = holder.turn().takenNanos();
            part.count(peer, counted(), size);
        }

        /** @return what is in use */
        public long used() {
            return used;
        }

        /** @return whether more may be used than is reserved */
        public boolean hasRoomToGrow() {
            return part.hasRoomToGrow() && Growth.leavesRoomForPeers(peer.held, part.partMax.getAsLong());
        }

        /** Uses more, or less if it is negative. It is there already, so this always succeeds; one that is closed counts nothing. */
        public void add(final long more) {
            if (more != 0) {
                change(more, reserved);
            }
        }

        /** As {@link #add}, up to what is given. */
        public void set(final long all) {
            add(all - used);
        }

        /** Uses more as {@link #add} does, and gives back what is reserved and not used: no more will be needed. */
        public void settle(final long more) {
            change(more, 0);
        }

        private void change(final long more, final long newReserved) {
            final List<Runnable> calls;
            synchronized (SharedResource.this) {
                if (state != State.HELD) {
                    return;
                }
                final long before = counted();
                used += more;
                reserved = newReserved;
                if (counted() == before) {
                    return;
                }
                part.count(peer, counted() - before, 0);
                calls = grantInTurn(null);
            }
            run(calls);
        }

        /** Gives everything back, or stops waiting; may be called twice. The callback may still come, once, if it was granted just before. */
        @Override
        public void close() {
            end(true);
        }

        /** @return whether it still waited, and does not wait any more; what is held stays so */
        public boolean stopWaiting() {
            return end(false);
        }

        private boolean end(final boolean alsoHeld) {
            final boolean waited;
            final List<Runnable> calls;
            synchronized (SharedResource.this) {
                waited = state == State.WAITING;
                if (!waited && (state == State.CLOSED || !alsoHeld)) {
                    return false;
                }
                if (waited) {
                    part.leave(this);
                } else {
                    part.count(peer, -counted(), -size);
                }
                state = State.CLOSED;
                forget();
                calls = grantInTurn(null);
            }
            run(calls);
            return waited;
        }

        private void forget() {
            untell();
            markIdle(false);
            used = 0;
            reserved = 0;
            peer.grants.remove(this);
            if (peer.grants.isEmpty()) {
                peers.remove(peer.key);
            }
        }

        /** Sets whether its holder does not use it. Set once more, it is idle only from now on. A holder that was told has ignored that. */
        public void setIdle(final boolean idle) {
            synchronized (SharedResource.this) {
                untell();
                markIdle(idle && state == State.HELD);
            }
        }

        private void markIdle(final boolean idle) {
            peer.takeOut();
            peer.idle.remove(this);
            if (idle) {
                peer.idle.putLast(this, tickets++);
            }
            peer.putBack();
        }

        // What follows serves Revocation, under the lock.

        /** @return what it holds, or wants */
        long counted() {
            return Math.max(reserved, used);
        }

        /** @return what its peer holds at all ports, without what is about to come back */
        long peerHeld() {
            return peer.held - peer.told;
        }

        Holder holder() {
            return holder;
        }

        Part part() {
            return part;
        }

        Peer peer() {
            return peer;
        }

        /** @return what its peer would hold if it were granted */
        long peerWants() {
            return peerHeld() + counted();
        }

        /** @return how much of its own time the peer has held it */
        long takenNanos() {
            final long taken = holder.turn().takenNanos();
            return taken < takenBeforeNanos ? taken : taken - takenBeforeNanos;
        }

        /** @return whether its peer has held it for as long as may be while others wait */
        boolean hasHadItsTurn() {
            return takenNanos() >= longestTurnNanos;
        }

        /** The holder is told to give it back. */
        void tell() {
            markIdle(false);
            countTold(counted());
        }

        /** It has come back, or its holder keeps it. */
        void untell() {
            synchronized (SharedResource.this) {
                countTold(-told);
            }
        }

        private void countTold(final long more) {
            told += more;
            peer.told += more;
            SharedResource.this.told += more;
        }

        boolean isTold() {
            return told > 0;
        }

        /**
         * Counts its wait from a moment: from the one at which a holder was told on its behalf, or from before if that holder keeps what
         * it has.
         *
         * @return since when its wait counted until now
         */
        long waitSince(final long nanos) {
            final long before = sinceNanos;
            sinceNanos = nanos;
            return before;
        }

        /** @return whether a waiter gets on if this comes back */
        boolean wouldHelp(final Grant waiter) {
            return part == waiter.part || waiter.part.hasPartRoom(waiter.reserved) && part.partHeld > part.partOwn;
        }
    }

    /** @return of each waiting peer the first grant, if it has waited since then and would be granted if there was enough */
    List<Grant> waitersSince(final long nanos) {
        final List<Grant> waiters = new ArrayList<>();
        for (final Part part : contended) {
            if (!part.isReachable.getAsBoolean()) {
                continue;
            }
            part.line
                    .firstOfEach()
                    .filter(first -> first.sinceNanos - nanos <= 0 && !part.hasRoom(first.reserved, 0))
                    .forEach(waiters::add);
        }
        return waiters;
    }

    /** @return what has been idle longest of the peer that holds most, or null */
    synchronized Grant firstIdle() {
        return idlePeers.isEmpty() ? null : idlePeers.first().idle.firstEntry().getKey();
    }

    /** @return what is held, without what is about to come back */
    synchronized long heldBeyondTold() {
        return held - told;
    }

    synchronized long heldBy(final PeerKey key) {
        return peers.containsKey(key) ? peers.get(key).held : 0;
    }

    /** @return all grants that hold something */
    List<Grant> heldGrants() {
        final List<Grant> grants = new ArrayList<>();
        for (final Peer peer : peers.values()) {
            for (final Grant grant : peer.grants) {
                if (grant.state == Grant.State.HELD && grant.counted() > 0) {
                    grants.add(grant);
                }
            }
        }
        return grants;
    }

    /**
     * Grants what is free, in turn. Called under the same lock as what made room, so nobody comes in between.
     *
     * @param newcomer who learns of its own grant by itself, or null
     * @return what is to be called outside of the lock
     */
    private List<Runnable> grantInTurn(final Grant newcomer) {
        if (contended.isEmpty()) {
            isShort = false;
            return List.of();
        }
        final List<Runnable> calls = new ArrayList<>();
        Grant next = chooseNext(calls);
        while (next != null) {
            next.part.leave(next);
            next.take();
            if (next == newcomer) {
                next.isImmediate = true;
            } else {
                calls.add(next.granted);
            }
            next = chooseNext(calls);
        }
        return calls;
    }

    /** @return the waiter that is to have its grant, or null; parts that hand out by themselves are told instead */
    private Grant chooseNext(final List<Runnable> calls) {
        boolean wholeIsShort = false;
        long kept = 0;
        for (final Part part : contendedInTurn()) {
            final Grant first = part.first();
            if (!part.hasPartRoom(first.reserved)) {
                // It waits for its own port: no reason for others to wait.
                continue;
            }
            final boolean usesOwn = first.reserved <= part.ownLeft();
            if (!usesOwn && (wholeIsShort || !part.isFree(first.reserved, kept))) {
                // What is left of the whole is for this one, as soon as it is enough.
                wholeIsShort = true;
            } else if (part.whenFree != null) {
                kept += offers.offer(part);
                calls.add(part.whenFree);
            } else {
                return first;
            }
        }
        isShort = wholeIsShort;
        return null;
    }

    private List<Part> contendedInTurn() {
        final List<Part> parts = new ArrayList<>(contended);
        parts.sort(Comparator.comparing(part -> part.line));
        return parts;
    }

    private static void run(final List<Runnable> calls) {
        calls.forEach(call -> Guarded.run("Telling a waiter of its grant", call::run));
    }

    private long free() {
        return max - held - setAside;
    }
}
