// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.limits.SharedResource.Part;
import org.nios2s.listener.time.NanoClock;

/**
 * The one rule by which a peer loses what it holds: why was this peer cut? Lives on IO workers, which call a few times a second, and for
 * each newcomer at the limit of connections.
 *
 * <p>Slowness is no fault. But when a peer has waited three seconds for a {@link SharedResource}, a transaction ends that holds some of
 * it:
 *
 * <ol>
 *   <li>one of the peer that holds most, over all ports, if that peer still holds no less than the waiting one afterwards. The
 *       transaction has had that for three seconds of its peer's own time;
 *   <li>otherwise one whose peer was silent for three seconds of its own time.
 * </ol>
 *
 * <p>A newcomer that waits for a connection or a handshake is not known yet: neither its identity nor its address. So:
 *
 * <ol>
 *   <li>at the limit of connections an idle one ends at once: of the address that has most, the one that has been idle longest. That
 *       costs its peer a reconnect, or a place in a queue of ours;
 *   <li>if none is idle, one transaction ends of the peer that has most connections, or of one that is silent;
 *   <li>a handshake ends that is silent while newcomers have waited for three seconds, and, if hardly any has ended by itself, one of
 *       an address that has several.
 * </ol>
 *
 * <p>So a peer with one transaction loses it only to silence, however slow the peer is. What only one can have at a time is the
 * exception: there half a minute of a peer's own time is enough. A peer's time is what its {@link PeerTurn} says:
 * while we write, commit, or wait for a port, nobody is slow. What would not help the waiting peer is left alone: another port's own
 * part, and everything while the port itself stands still.
 */
public final class Revocation {
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** The largest holder first; of one peer what has been silent longest. */
    private static final Comparator<Candidate> ORDER = Comparator.<Candidate>comparingLong(
                    candidate -> candidate.grant.peerHeld())
            .thenComparingLong(Candidate::silentNanos)
            .reversed();

    /**
     * A grant in its peer's turn, and the peer's time.
     *
     * @param connectionHeld what comes back with its connection, which may hold more than this grant
     */
    private record Candidate(Grant grant, long connectionHeld, long takenNanos, long silentNanos) {
        boolean isSilent() {
            return silentNanos >= PATIENCE_NANOS;
        }

        boolean isOfHeavierPeer(final Grant waiter) {
            return takenNanos >= PATIENCE_NANOS && grant.peerHeld() - connectionHeld >= waiter.peerWants();
        }

        boolean isOfSeveral() {
            return takenNanos >= PATIENCE_NANOS && grant.peerHeld() > connectionHeld;
        }

        boolean isDue(final Grant waiter) {
            return grant.wouldHelp(waiter) && (isOfHeavierPeer(waiter) || isSilent() || grant.hasHadItsTurn());
        }

        /** @return what ends the transaction, unless another one has begun meanwhile */
        Runnable endAsHeavier(final String reason, final Runnable otherwise) {
            return end(reason, grant.holder().turn()::takenNanos, otherwise);
        }

        /** @return what ends the transaction, unless the peer has been heard of meanwhile */
        Runnable endAsSilent(final String reason, final Runnable otherwise) {
            return end(reason, grant.holder().turn()::silentNanos, otherwise);
        }

        private Runnable end(final String reason, final LongSupplier nanos, final Runnable otherwise) {
            return () -> grant.holder()
                    .revoke(Kind.SLOW_PEER.fault(reason), () -> nanos.getAsLong() >= PATIENCE_NANOS, otherwise);
        }
    }

    /** A waiter for which nothing is to end: nor is anything for one of the same port that wants no less. */
    private record Unhelped(long peerWants, long wants) {
        boolean wantsNoMoreThan(final Grant waiter) {
            return peerWants <= waiter.peerWants() && wants <= waiter.counted();
        }
    }

    private final NanoClock clock;

    public Revocation(final NanoClock clock) {
        this.clock = clock;
    }

    /**
     * Ends a transaction for each peer that has waited too long. If our turn has begun by then, nothing ends, and the next look chooses
     * again.
     */
    public void check(final SharedResource resource) {
        final List<Runnable> ends = new ArrayList<>();
        final long nowNanos = clock.nanoTime();
        synchronized (resource) {
            final List<Grant> overdue = resource.waitersSince(nowNanos - PATIENCE_NANOS);
            if (overdue.isEmpty()) {
                return;
            }
            final List<Candidate> candidates = candidates(resource);
            final Map<Part, Unhelped> unhelped = new HashMap<>();
            for (final Grant waiter : overdue) {
                final Unhelped before = unhelped.get(waiter.part());
                if (before != null && before.wantsNoMoreThan(waiter)) {
                    continue;
                }
                final Optional<Candidate> due = candidates.stream()
                        .filter(candidate -> candidate.isDue(waiter))
                        .findFirst();
                if (due.isEmpty()) {
                    unhelped.put(waiter.part(), new Unhelped(waiter.peerWants(), waiter.counted()));
                    continue;
                }
                final Grant chosen = due.get().grant;
                candidates.removeIf(other -> other.grant.holder() == chosen.holder());
                chosen.tell();
                final long sinceNanos = waiter.waitSince(nowNanos);
                ends.add(end(resource, waiter, due.get(), () -> {
                    synchronized (resource) {
                        chosen.untell();
                        waiter.waitSince(sinceNanos);
                    }
                }));
            }
        }
        ends.forEach(end -> Guarded.run("Ending a transaction that others wait for", end::run));
    }

    /**
     * Ends what a peer holds beside one, where nobody knows who waits, and what is silent.
     *
     * @param most how many to end
     * @return how many were told to end
     */
    int makeRoom(final SharedResource resource, final int most) {
        return endForNewcomers(resource, most, candidate -> candidate.isSilent() || candidate.isOfSeveral());
    }

    /** Ends what is silent, where nobody knows who waits. */
    void endSilent(final SharedResource resource) {
        endForNewcomers(resource, Integer.MAX_VALUE, Candidate::isSilent);
    }

    /**
     * Ends what has been idle longest of the peer that holds most.
     *
     * @return whether something is idle
     */
    boolean endIdle(final SharedResource resource, final ConnectionFault reason) {
        final Grant idle;
        synchronized (resource) {
            idle = resource.firstIdle();
            if (idle == null) {
                return false;
            }
            idle.tell();
        }
        // One that is busy by then says so by itself.
        idle.holder().revoke(reason, () -> true, () -> {});
        return true;
    }

    private int endForNewcomers(final SharedResource resource, final int most, final Predicate<Candidate> gives) {
        final List<Runnable> ends = new ArrayList<>();
        synchronized (resource) {
            for (final Candidate candidate : candidates(resource)) {
                if (ends.size() == most) {
                    break;
                }
                if (gives.test(candidate)) {
                    candidate.grant.tell();
                    ends.add(endForNewcomers(resource, candidate));
                }
            }
        }
        ends.forEach(end -> Guarded.run("Making room for newcomers", end::run));
        return ends.size();
    }

    private static Runnable endForNewcomers(final SharedResource resource, final Candidate chosen) {
        final String others = "newcomers wait for " + resource.name();
        final Runnable otherwise = chosen.grant::untell;
        if (chosen.isSilent()) {
            return chosen.endAsSilent("The peer is silent, and " + others, otherwise);
        }
        return chosen.endAsHeavier("The peer has others like this one, and " + others, otherwise);
    }

    private static List<Candidate> candidates(final SharedResource resource) {
        final List<Grant> grants = resource.heldGrants();
        final Map<Holder, Long> ofConnections = new IdentityHashMap<>();
        grants.forEach(grant -> ofConnections.merge(grant.holder(), grant.counted(), Long::sum));
        final List<Candidate> candidates = new ArrayList<>();
        for (final Grant grant : grants) {
            final PeerTurn turn = grant.holder().turn();
            final Candidate candidate =
                    new Candidate(grant, ofConnections.get(grant.holder()), grant.takenNanos(), turn.silentNanos());
            final boolean isLong = candidate.takenNanos >= PATIENCE_NANOS || candidate.isSilent();
            if (isLong && turn.isPeers() && !grant.isTold()) {
                candidates.add(candidate);
            }
        }
        candidates.sort(ORDER);
        return candidates;
    }

    private static Runnable end(
            final SharedResource resource, final Grant waiter, final Candidate chosen, final Runnable otherwise) {
        final String others = "another peer has waited for " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)
                + " s for " + resource.name();
        if (chosen.isOfHeavierPeer(waiter)) {
            return chosen.endAsHeavier(
                    "The peer holds more than others, and " + others + ": one transaction ends", otherwise);
        }
        if (chosen.isSilent()) {
            return chosen.endAsSilent("The peer is silent, and " + others + ", of which it holds some", otherwise);
        }
        return chosen.endAsHeavier("The peer has had its turn, and " + others + ", which one has at a time", otherwise);
    }
}
