// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.util.concurrent.TimeUnit;
import org.nios2s.listener.fault.PeerFault;

/**
 * How long a request may wait for a port task: as in NiFi's port, twice what the peer allows, and never less than half a
 * second. Stateless; any thread.
 */
public final class Expiration {
    private static final long SHORTEST_MILLIS = 500;

    private Expiration() {}

    /**
     * @param sinceNanos when the wait began, as {@link System#nanoTime}
     * @throws PeerFault if it has lasted too long
     */
    public static void check(final PeerConnection connection, final long sinceNanos, final long nowNanos)
            throws PeerFault {
        final long allowedMillis = 2 * connection.requestExpirationMillis();
        if (allowedMillis <= 0) {
            return;
        }
        final long expirationMillis = Math.max(SHORTEST_MILLIS, allowedMillis);
        if (nowNanos - sinceNanos > TimeUnit.MILLISECONDS.toNanos(expirationMillis)) {
            throw new PeerFault(
                    PeerFault.Kind.EXPIRED,
                    "No port task took the transaction within " + expirationMillis
                            + " ms; the port's destination may be full");
        }
    }
}
