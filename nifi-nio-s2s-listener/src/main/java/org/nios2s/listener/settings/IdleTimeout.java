// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import java.time.Duration;
import java.util.Optional;

/**
 * The time after which a connection is closed because its peer sends nothing between two requests. Immutable; any thread.
 *
 * @param fixed the same time for every peer, whatever it asked for, or zero for no limit; empty for twice the peer's request expiration
 */
public record IdleTimeout(Optional<Duration> fixed) {
    /** Twice the request expiration of the peer, or for ever if that is 0, as the stock listener has it. */
    public static final IdleTimeout AUTO = new IdleTimeout(Optional.empty());

    /** No limit. */
    public static final IdleTimeout NEVER = after(Duration.ZERO);

    public static IdleTimeout after(final Duration time) {
        return new IdleTimeout(Optional.of(time));
    }

    /**
     * @param requestExpirationMillis as the peer gave it in its handshake; 0 for ever
     * @return milliseconds; 0 for ever
     */
    public long millis(final long requestExpirationMillis) {
        return fixed.map(Duration::toMillis).orElse(2 * requestExpirationMillis);
    }
}
