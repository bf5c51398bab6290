// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import java.time.Duration;
import org.nios2s.client.AttemptAttributes;

/**
 * Options of one transaction, apart from the connection that it shares with others. Immutable; any
 * thread.
 *
 * @param deadline the longest time from the request to the end, waiting included; null for none
 * @param idleTimeout the longest time that the peer takes nothing and says nothing, or that no connection is free; null
 *     for none
 * @param requestExpiration how long the peer is told to wait for us; null for what the port says
 * @param budget what the call leaves to this attempt; null where there is no call around it
 * @param attributes adds to those of a packet that is sent; null for nothing
 */
public record CallOptions(
        Duration deadline,
        Duration idleTimeout,
        Duration requestExpiration,
        AttemptBudget budget,
        AttemptAttributes attributes) {
    /** As long as NiFi's client waits for a peer. */
    public static final CallOptions DEFAULTS = new CallOptions(null, Duration.ofSeconds(30), null, null, null);

    /** Somebody else watches the time. */
    public static final CallOptions UNWATCHED = new CallOptions(null, null, null, null, null);

    public CallOptions {
        Checks.requirePositiveOrNone("deadline", deadline);
        Checks.requirePositiveOrNone("idleTimeout", idleTimeout);
        Checks.requirePositiveOrNone("requestExpiration", requestExpiration);
    }

    public CallOptions withDeadline(final Duration longest) {
        return new CallOptions(longest, idleTimeout, requestExpiration, budget, attributes);
    }

    public CallOptions withIdleTimeout(final Duration longest) {
        return new CallOptions(deadline, longest, requestExpiration, budget, attributes);
    }

    public CallOptions withRequestExpiration(final Duration longest) {
        return new CallOptions(deadline, idleTimeout, longest, budget, attributes);
    }

    public CallOptions within(final AttemptBudget left) {
        return new CallOptions(deadline, idleTimeout, requestExpiration, left, attributes);
    }

    public CallOptions withAttributes(final AttemptAttributes added) {
        return new CallOptions(deadline, idleTimeout, requestExpiration, budget, added);
    }

    /** @return the port as it is to be talked to */
    public Endpoint at(final Endpoint port) {
        return requestExpiration == null ? port : port.withRequestExpiration(requestExpiration);
    }
}
