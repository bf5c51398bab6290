// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Says whether and when to try a failed transaction again; to do it is the caller's choice. Immutable; any thread.
 *
 * @param attempts the most attempts, the first included
 * @param firstPause pause after the first failure; doubled with every further one
 * @param longestPause the most that the pause grows to
 * @param acceptDuplicates whether to repeat a transaction that the peer may have taken over already
 */
public record RetryPolicy(int attempts, Duration firstPause, Duration longestPause, boolean acceptDuplicates) {
    /** Five attempts in some seconds, without duplicates. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(5, Duration.ofMillis(200), Duration.ofSeconds(10), false);

    private static final int LARGEST_SHIFT = 30;

    /** Checks the values. */
    public RetryPolicy {
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts is " + attempts + "; accepted: 1 or more");
        }
        if (firstPause.isNegative() || longestPause.compareTo(firstPause) < 0) {
            throw new IllegalArgumentException(
                    "The pauses " + firstPause + " to " + longestPause + " must be 0 or more and grow");
        }
    }

    /**
     * Judges a failure.
     *
     * @param failed attempts that have failed so far, 1 or more
     * @param failure the last one
     * @return how long to wait before the next attempt, a random time between half and all of the pause; empty to give up
     */
    public Optional<Duration> pauseAfter(final int failed, final TransactionException failure) {
        final boolean duplicates = failure.isOutcomeUnknown() && !acceptDuplicates;
        if (failed >= attempts || duplicates || !failure.reason().isPassing()) {
            return Optional.empty();
        }
        final long doubled = firstPause.toMillis() << Math.min(failed - 1, LARGEST_SHIFT);
        final long pause = Math.min(longestPause.toMillis(), doubled);
        return Optional.of(
                Duration.ofMillis(pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1)));
    }
}
