// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import java.time.Duration;

/**
 * The time after which a connection is closed because its peer sends nothing between two requests. Immutable; any thread.
 *
 * @param fixed the time of {@link Rule#FIXED}
 */
public record IdleTimeout(Rule rule, Duration fixed) {
    /** Twice the request expiration of the peer, or for ever if that is 0, as the stock listener has it. */
    public static final IdleTimeout AUTO = new IdleTimeout(Rule.TWICE_THE_EXPIRATION, Duration.ZERO);

    /** No limit. */
    public static final IdleTimeout NEVER = new IdleTimeout(Rule.NEVER, Duration.ZERO);

    /** The way in which the time is chosen. */
    public enum Rule {
        TWICE_THE_EXPIRATION,
        NEVER,
        FIXED
    }

    /** @return the same time for every peer, whatever it asked for */
    public static IdleTimeout after(final Duration time) {
        if (time.isZero()) {
            return NEVER;
        }
        return new IdleTimeout(Rule.FIXED, time);
    }

    /**
     * @param requestExpirationMillis as the peer gave it in its handshake; 0 for ever
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
