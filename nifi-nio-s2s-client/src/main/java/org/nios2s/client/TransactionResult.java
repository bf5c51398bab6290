// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;

/**
 * The outcome of a completed transaction. Immutable; any thread.
 *
 * @param packets sent or received; 0 when there was nothing to pull
 * @param bytes of content, without attributes and uncompressed
 * @param duration from the request of the transaction to its completion, earlier attempts and all waiting included
 * @param peer with whom, as {@code host:port}
 * @param port the name of the NiFi port, or its identifier if only that is known
 * @param commsId the UUID that the client gave the connection in its handshake: NiFi's log and the NIO listener's have it
 *     as {@code CommsID}; a connection serves one transaction after the other, all with the same
 * @param destinationFull whether the peer took the packets but says that it is full now: back off before the next push
 * @param timings where the time went
 */
public record TransactionResult(
        long packets,
        long bytes,
        Duration duration,
        String peer,
        String port,
        String commsId,
        boolean destinationFull,
        TransactionTimings timings) {
    /**
     * Counts the same from an earlier moment.
     *
     * @param earlier how long before the request
     * @return the same with a longer duration
     */
    public TransactionResult after(final Duration earlier) {
        return new TransactionResult(
                packets, bytes, duration.plus(earlier), peer, port, commsId, destinationFull, timings.after(earlier));
    }
}
