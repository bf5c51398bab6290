// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import java.time.Duration;

/**
 * How long a peer may say nothing between two requests. Immutable; any thread.
 *
 * @param fixed the time of {@link Rule#FIXED}
 */
public record IdleTimeout(Rule rule, Duration fixed) {
    /** Twice what the peer asked for, for ever if it asked for that: as the stock listener. */
    public static final IdleTimeout AUTO = new IdleTimeout(Rule.TWICE_THE_EXPIRATION, Duration.ZERO);

    /** Never too long. */
    public static final IdleTimeout NEVER = new IdleTimeout(Rule.NEVER, Duration.ZERO);

    /** What decides. */
    public enum Rule {
        TWICE_THE_EXPIRATION,
        NEVER,
        FIXED
    }

    /** @return the same time for every peer, whatever it asked for */
    public static IdleTimeout after(final Duration time) {
        return time.isZero() ? NEVER : new IdleTimeout(Rule.FIXED, time);
    }

    /**
     * @param requestExpirationMillis what the peer asked for in its handshake; 0 for ever
     * @return milliseconds; 0 for ever
     */
    public long millis(final long requestExpirationMillis) {
        return switch (rule) {
            case TWICE_THE_EXPIRATION -> 2 * requestExpirationMillis;
            case NEVER -> 0;
            case FIXED -> fixed.toMillis();
        };
    }
}
