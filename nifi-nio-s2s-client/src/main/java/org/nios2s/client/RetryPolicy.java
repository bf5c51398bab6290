// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Decides whether and when a failed transaction is tried again. Immutable; any thread.
 *
 * <p>Only a failure that may pass by itself is followed by another attempt, and only while it is sure that NiFi took
 * nothing over, unless duplicates are accepted. Attempts may begin until the delivery time-out.
 *
 * @param maxAttempts the first included; {@link Integer#MAX_VALUE} for no limit
 * @param deliveryTimeout in which attempts may begin
 * @param initialBackoff pause after the first failure, doubled with every further one
 * @param maxBackoff the most that the pause grows to
 * @param acceptsDuplicates whether a transaction is repeated that NiFi may have taken over already
 */
public record RetryPolicy(
        int maxAttempts,
        Duration deliveryTimeout,
        Duration initialBackoff,
        Duration maxBackoff,
        boolean acceptsDuplicates) {
    private static final int LARGEST_SHIFT = 30;
    private static final Duration STANDARD_DELIVERY_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration STANDARD_INITIAL_BACKOFF = Duration.ofMillis(200);
    private static final Duration STANDARD_MAX_BACKOFF = Duration.ofSeconds(10);
    /** Nobody wants to try again without a pause for two minutes. */
    private static final long LEAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final RetryPolicy STANDARD = new RetryPolicy(
            Integer.MAX_VALUE, STANDARD_DELIVERY_TIMEOUT, STANDARD_INITIAL_BACKOFF, STANDARD_MAX_BACKOFF, false);

    /** Checks the values. */
    public RetryPolicy {
        Objects.requireNonNull(deliveryTimeout, "deliveryTimeout");
        Objects.requireNonNull(initialBackoff, "initialBackoff");
        Objects.requireNonNull(maxBackoff, "maxBackoff");
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts is " + maxAttempts + "; accepted: 1 or more");
        }
        if (deliveryTimeout.isNegative() || deliveryTimeout.isZero()) {
            throw new IllegalArgumentException("deliveryTimeout is " + deliveryTimeout + "; accepted: more than 0");
        }
        if (initialBackoff.isNegative() || maxBackoff.compareTo(initialBackoff) < 0) {
            throw new IllegalArgumentException(
                    "The pauses " + initialBackoff + " to " + maxBackoff + " must be 0 or more and grow");
        }
    }

    /**
     * The policy unless another is set.
     *
     * @return as many attempts as fit into two minutes, without duplicates
     */
    public static RetryPolicy standard() {
        return STANDARD;
    }

    /**
     * Tries nothing again.
     *
     * @return one attempt
     */
    public static RetryPolicy never() {
        return STANDARD.withMaxAttempts(1);
    }

    /**
     * Sets another limit of attempts.
     *
     * @param max the first included; {@link Integer#MAX_VALUE} for none
     * @return the same with this limit
     */
    public RetryPolicy withMaxAttempts(final int max) {
        return new RetryPolicy(max, deliveryTimeout, initialBackoff, maxBackoff, acceptsDuplicates);
    }

    /**
     * Sets another time in which attempts may begin. The time starts with the request. An attempt that has a connection when
     * it ends goes on, within its idle time-out and its deadline.
     *
     * @param max more than 0
     * @return the same with this time
     */
    public RetryPolicy withDeliveryTimeout(final Duration max) {
        return new RetryPolicy(maxAttempts, max, initialBackoff, maxBackoff, acceptsDuplicates);
    }

    /**
     * Sets other pauses.
     *
     * @param initial after the first failure, doubled with every further one
     * @param max the most that it grows to
     * @return the same with these pauses
     */
    public RetryPolicy withBackoff(final Duration initial, final Duration max) {
        return new RetryPolicy(maxAttempts, deliveryTimeout, initial, max, acceptsDuplicates);
    }

    /**
     * Repeats a transaction too that NiFi may have taken over already.
     *
     * @return the same with this risk
     */
    public RetryPolicy acceptingDuplicates() {
        return new RetryPolicy(maxAttempts, deliveryTimeout, initialBackoff, maxBackoff, true);
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

    /**
     * Judges a failure that the next attempt may not meet, such as the refusal of one node of many.
     *
     * @param failed attempts that have failed so far, 1 or more
     * @param failure the last one
     * @return whether there may be another attempt
     */
    public boolean allowsAnother(final int failed, final TransactionException failure) {
        final boolean duplicates = failure.isOutcomeUnknown() && !acceptsDuplicates;
        // A caller that sends faster than NiFi takes has to hear of it at once.
        final boolean tooMany = failure.reason() == FailureReason.TOO_MANY_PENDING;
        return failed < maxAttempts && !duplicates && !tooMany;
    }

    /**
     * Chooses a pause.
     *
     * @param failed attempts that have failed in a row
     * @return a random time between half and all of the pause after so many failures
     */
    public Duration pause(final int failed) {
        final long initial = TimeUnit.NANOSECONDS.convert(initialBackoff);
        final long max = TimeUnit.NANOSECONDS.convert(maxBackoff);
        final int shift = Math.max(0, Math.min(failed - 1, LARGEST_SHIFT));
        final long doubled = initial > max >> shift ? max : initial << shift;
        final long pause = doubled / 2 + ThreadLocalRandom.current().nextLong(doubled / 2 + 1);
        return Duration.ofNanos(Math.max(LEAST_PAUSE_NANOS, pause));
    }
}
