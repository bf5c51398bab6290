// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;

/**
 * What a completed transaction did. Immutable; any thread.
 *
 * @param packets sent or received; 0 when there was nothing to pull
 * @param bytes of content, without attributes and uncompressed
 * @param duration from the request of the transaction to its completion, earlier attempts and all waiting included
 * @param peer with whom, as {@code host:port}
 * @param destinationFull whether the peer took the packets but says that it is full now: back off before the next push
 * @param timings where the time went
 */
public record TransactionResult(
        long packets, long bytes, Duration duration, String peer, boolean destinationFull, TransactionTimings timings) {
    /** @return the same, counted from a request that was made earlier by this time */
    TransactionResult after(final Duration earlier) {
        return new TransactionResult(
                packets, bytes, duration.plus(earlier), peer, destinationFull, timings.after(earlier));
    }
}
