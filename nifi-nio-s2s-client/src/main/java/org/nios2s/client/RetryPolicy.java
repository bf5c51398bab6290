// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Says whether and when a failed transaction is tried again. Immutable; any thread.
 *
 * <p>Only a failure that may pass by itself is followed by another attempt, and only while it is sure that NiFi took
 * nothing over, unless duplicates are accepted. CallRegistry may begin until the delivery time-out.
 */
public final class RetryPolicy {
    private static final int LARGEST_SHIFT = 30;
    private static final Duration STANDARD_DELIVERY_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration STANDARD_FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration STANDARD_LONGEST_PAUSE = Duration.ofSeconds(10);
    /** Nobody wants to try again without a pause for two minutes. */
    private static final long LEAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final RetryPolicy STANDARD = new RetryPolicy(
            Integer.MAX_VALUE, STANDARD_DELIVERY_TIMEOUT, STANDARD_FIRST_PAUSE, STANDARD_LONGEST_PAUSE, false);

    private final int attempts;
    private final Duration deliveryTimeout;
    private final Duration firstPause;
    private final Duration longestPause;
    private final boolean acceptsDuplicates;

    private RetryPolicy(
            final int attempts,
            final Duration deliveryTimeout,
            final Duration firstPause,
            final Duration longestPause,
            final boolean acceptsDuplicates) {
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts is " + attempts + "; accepted: 1 or more");
        }
        if (deliveryTimeout.isNegative() || deliveryTimeout.isZero()) {
            throw new IllegalArgumentException("deliveryTimeout is " + deliveryTimeout + "; accepted: more than 0");
        }
        if (firstPause.isNegative() || longestPause.compareTo(firstPause) < 0) {
            throw new IllegalArgumentException(
                    "The pauses " + firstPause + " to " + longestPause + " must be 0 or more and grow");
        }
        this.attempts = attempts;
        this.deliveryTimeout = deliveryTimeout;
        this.firstPause = firstPause;
        this.longestPause = longestPause;
        this.acceptsDuplicates = acceptsDuplicates;
    }

    /** @return as many attempts as fit into two minutes, without duplicates */
    public static RetryPolicy standard() {
        return STANDARD;
    }

    /** @return one attempt */
    public static RetryPolicy never() {
        return STANDARD.withMaxAttempts(1);
    }

    /** @return the same with a limit of attempts, the first included; {@link Integer#MAX_VALUE} for none */
    public RetryPolicy withMaxAttempts(final int most) {
        return new RetryPolicy(most, deliveryTimeout, firstPause, longestPause, acceptsDuplicates);
    }

    /**
     * The same with another time in which attempts may begin. The time starts with the request. An attempt that has a
     * connection when it ends goes on, within its idle time-out and its deadline.
     *
     * @param longest more than 0
     */
    public RetryPolicy withDeliveryTimeout(final Duration longest) {
        return new RetryPolicy(
                attempts, Objects.requireNonNull(longest, "longest"), firstPause, longestPause, acceptsDuplicates);
    }

    /** @return the same with another pause after the first failure, doubled with every further one up to the longest */
    public RetryPolicy withBackoff(final Duration first, final Duration longest) {
        return new RetryPolicy(
                attempts,
                deliveryTimeout,
                Objects.requireNonNull(first, "first"),
                Objects.requireNonNull(longest, "longest"),
                acceptsDuplicates);
    }

    /** @return the same, but a transaction is repeated too that NiFi may have taken over already */
    public RetryPolicy acceptingDuplicates() {
        return new RetryPolicy(attempts, deliveryTimeout, firstPause, longestPause, true);
    }

    /**
     * Judges a failure.
     *
     * @param failed attempts that have failed so far, 1 or more
     * @param failure the last one
     * @return how long to wait before the next attempt, a random time between half and all of the pause; empty to give up
     */
    public Optional<Duration> pauseAfter(final int failed, final TransactionException failure) {
        return failure.reason().isTransient() && allowsAnother(failed, failure)
                ? Optional.of(pause(failed))
                : Optional.empty();
    }

    /** @return whether there may be an attempt after this failure, if it is one that the next attempt may not meet */
    boolean allowsAnother(final int failed, final TransactionException failure) {
        final boolean duplicates = failure.isOutcomeUnknown() && !acceptsDuplicates;
        // A caller that sends faster than NiFi takes has to hear of it at once.
        final boolean tooMany = failure.reason() == FailureReason.TOO_MANY_PENDING;
        return failed < attempts && !duplicates && !tooMany;
    }

    Duration deliveryTimeout() {
        return deliveryTimeout;
    }

    /** @return a random time between half and all of the pause after so many failures in a row */
    Duration pause(final int failed) {
        final long first = TimeUnit.NANOSECONDS.convert(firstPause);
        final long longest = TimeUnit.NANOSECONDS.convert(longestPause);
        final int shift = Math.clamp(failed - 1L, 0, LARGEST_SHIFT);
        final long doubled = first > longest >> shift ? longest : first << shift;
        final long pause = doubled / 2 + ThreadLocalRandom.current().nextLong(doubled / 2 + 1);
        return Duration.ofNanos(Math.max(LEAST_PAUSE_NANOS, pause));
    }
}
