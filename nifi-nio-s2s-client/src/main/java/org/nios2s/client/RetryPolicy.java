// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Says whether and when a failed transaction is tried again. Immutable; any thread.
 *
 * <p>Only what may pass by itself is tried again, and only while it is sure that NiFi took nothing over, unless
 * duplicates are accepted.
 */
public final class RetryPolicy {
    private static final int LARGEST_SHIFT = 30;
    private static final int STANDARD_ATTEMPTS = 5;

    private final int attempts;
    private final Duration firstPause;
    private final Duration longestPause;
    private final boolean acceptsDuplicates;

    private RetryPolicy(
            final int attempts,
            final Duration firstPause,
            final Duration longestPause,
            final boolean acceptsDuplicates) {
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts is " + attempts + "; accepted: 1 or more");
        }
        if (firstPause.isNegative() || longestPause.compareTo(firstPause) < 0) {
            throw new IllegalArgumentException(
                    "The pauses " + firstPause + " to " + longestPause + " must be 0 or more and grow");
        }
        this.attempts = attempts;
        this.firstPause = firstPause;
        this.longestPause = longestPause;
        this.acceptsDuplicates = acceptsDuplicates;
    }

    /** @return five attempts in some seconds, without duplicates */
    public static RetryPolicy standard() {
        return new RetryPolicy(STANDARD_ATTEMPTS, Duration.ofMillis(200), Duration.ofSeconds(10), false);
    }

    /** @return one attempt */
    public static RetryPolicy never() {
        return standard().withAttempts(1);
    }

    /** @return the same with another number of attempts, the first included; {@link Integer#MAX_VALUE} until the deadline */
    public RetryPolicy withAttempts(final int most) {
        return new RetryPolicy(most, firstPause, longestPause, acceptsDuplicates);
    }

    /** @return the same with another pause after the first failure, doubled with every further one up to the longest */
    public RetryPolicy withPauses(final Duration first, final Duration longest) {
        return new RetryPolicy(
                attempts,
                Objects.requireNonNull(first, "first"),
                Objects.requireNonNull(longest, "longest"),
                acceptsDuplicates);
    }

    /** @return the same, but a transaction is repeated too that NiFi may have taken over already */
    public RetryPolicy acceptingDuplicates() {
        return new RetryPolicy(attempts, firstPause, longestPause, true);
    }

    /**
     * Judges a failure.
     *
     * @param failed attempts that have failed so far, 1 or more
     * @param failure the last one
     * @return how long to wait before the next attempt, a random time between half and all of the pause; empty to give up
     */
    public Optional<Duration> pauseAfter(final int failed, final TransactionException failure) {
        final boolean duplicates = failure.isOutcomeUnknown() && !acceptsDuplicates;
        if (failed >= attempts || duplicates || !failure.reason().isPassing()) {
            return Optional.empty();
        }
        return Optional.of(pause(failed));
    }

    /** @return a random time between half and all of the pause after so many failures in a row */
    Duration pause(final int failed) {
        final long doubled = firstPause.toMillis() << Math.min(failed - 1, LARGEST_SHIFT);
        final long pause = Math.min(longestPause.toMillis(), doubled);
        return Duration.ofMillis(pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1));
    }
}
