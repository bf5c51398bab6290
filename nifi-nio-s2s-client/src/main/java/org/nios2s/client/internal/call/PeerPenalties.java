// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.call;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The peers of one port that are penalized for a while, since they failed or are full. Any thread; never blocks.
 *
 * <p>A peer that fails again when its time is over is penalized for longer. Then one transaction at a time tries whether
 * it is back.
 */
final class PeerPenalties {
    private static final int LARGEST_SHIFT = 10;

    /**
     * A peer that is or was penalized.
     *
     * @param untilNanos by {@link System#nanoTime}
     * @param failures in a row; 0 for one that was only full
     */
    private record Aside(long untilNanos, int failures) {
        boolean isNow() {
            return untilNanos - System.nanoTime() > 0;
        }
    }

    private final long shortestNanos;
    private final long longestNanos;
    private final Map<String, Aside> peers = new ConcurrentHashMap<>();

    PeerPenalties(final Duration shortest, final Duration longest) {
        this.shortestNanos = shortest.toNanos();
        this.longestNanos = longest.toNanos();
    }

    boolean isPenalized(final String peer) {
        final Aside penalties = peers.get(peer);
        return penalties != null && penalties.isNow();
    }

    /** @return how long the peer stays penalized; 0 or less if it does not */
    long leftNanos(final String peer) {
        final Aside penalties = peers.get(peer);
        return penalties == null ? 0 : penalties.untilNanos() - System.nanoTime();
    }

    void full(final String peer) {
        peers.compute(
                peer,
                (key, before) -> before != null && before.isNow()
                        ? before
                        : new Aside(System.nanoTime() + shortestNanos, before == null ? 0 : before.failures()));
    }

    void failed(final String peer) {
        // An attempt that fails during the penalty began before it, and shows nothing new.
        peers.compute(peer, (key, before) -> before != null && before.isNow() ? before : failedAgain(before));
    }

    /** The peer does not want us, and will not soon. */
    void refused(final String peer, final Duration time) {
        peers.compute(
                peer,
                (key, before) -> new Aside(
                        System.nanoTime() + Math.max(shortestNanos, time.toNanos()),
                        before == null ? 1 : before.failures() + 1));
    }

    private Aside failedAgain(final Aside before) {
        final int failures = before == null ? 1 : before.failures() + 1;
        return new Aside(System.nanoTime() + nanos(failures), failures);
    }

    private long nanos(final int failures) {
        return Math.min(longestNanos, shortestNanos << Math.min(failures - 1, LARGEST_SHIFT));
    }

    /** A transaction succeeded. */
    void succeeded(final String peer) {
        final Aside penalties = peers.get(peer);
        if (penalties != null && penalties.failures() > 0) {
            peers.remove(peer, penalties);
        }
    }

    /**
     * A transaction chose the peer.
     *
     * @return false if the peer failed lately and another transaction already tries whether it is back
     */
    boolean tries(final String peer) {
        final Aside before = peers.get(peer);
        if (before == null || before.failures() == 0) {
            return true;
        }
        return !before.isNow()
                && peers.replace(
                        peer, before, new Aside(System.nanoTime() + nanos(before.failures()), before.failures()));
    }
}
