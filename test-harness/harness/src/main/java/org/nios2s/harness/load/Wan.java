// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.time.Duration;

/**
 * The wide area network between the clients and their server. Immutable, read by every thread.
 *
 * @param delay       how long a segment is on its way in one direction, at least
 * @param jitter      how much longer it is on its way, at most
 * @param lossPercent how many of 100 segments are lost and sent again
 */
public record Wan(Duration delay, Duration jitter, double lossPercent) {

    /** Several times the way to the moon. */
    private static final Duration MAX_TIME = Duration.ofSeconds(10);

    /** Clients and server are next to each other; after the limit, by which it is checked. */
    public static final Wan NONE = new Wan(Duration.ZERO, Duration.ZERO, 0);

    /** Checks the numbers; the message of an exception is fit for a user. */
    public Wan {
        requireTime("delay", delay);
        requireTime("jitter", jitter);
        if (lossPercent < 0 || lossPercent > Units.MAX_PERCENT) {
            throw new IllegalArgumentException("loss must be between 0% and 100%, not " + lossPercent + "%");
        }
    }

    /** Whether it changes anything. */
    public boolean present() {
        return !equals(NONE);
    }

    /** The shortest time from a request to its answer. */
    public Duration roundTrip() {
        return delay.multipliedBy(2);
    }

    private static void requireTime(final String name, final Duration value) {
        if (value.isNegative() || value.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException(
                    "%s must be between 0 and %d s, not %s".formatted(name, MAX_TIME.toSeconds(), value));
        }
    }
}
