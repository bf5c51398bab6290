// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link BatchingSender} gathers packets to transactions, and a {@link RecordSender} records, which are its packets.
 * Immutable; any thread.
 *
 * @param maxPackets that make a transaction at once
 * @param maxBytes of content that make a transaction at once
 * @param linger the longest time that a packet waits for company; zero sends each as soon as possible
 * @param maxInFlight transactions at a time
 * @param maxPendingPackets packets that are given and not over yet; then {@link BatchingSender#send} blocks
 * @param maxPendingBytes what they take in memory: attributes, and content that is given as bytes; records count with their
 *     copy in a FlowFile, about twice
 * @param failureListener is called for each packet that failed; null for an ERROR in the log, at most one in ten seconds
 */
public record BatchingOptions(
        int maxPackets,
        long maxBytes,
        Duration linger,
        int maxInFlight,
        int maxPendingPackets,
        long maxPendingBytes,
        @Nullable BiConsumer<Packet, TransactionException> failureListener) {
    private static final BatchingOptions STANDARD =
            new BatchingOptions(500, 1L << 20, Duration.ofMillis(50), 4, 20_000, 64L << 20, null);
    private static final BatchingOptions OF_RECORDS =
            STANDARD.withMaxPackets(10_000).withMaxPending(100_000, STANDARD.maxPendingBytes());

    /** Checks the values. */
    public BatchingOptions {
        requirePositive("maxPackets", maxPackets);
        requirePositive("maxBytes", maxBytes);
        requirePositive("maxInFlight", maxInFlight);
        requirePositive("maxPendingPackets", maxPendingPackets);
        requirePositive("maxPendingBytes", maxPendingBytes);
        if (Objects.requireNonNull(linger, "linger").isNegative()) {
            throw new IllegalArgumentException("linger is " + linger + "; accepted: 0 or more");
        }
    }

    private static void requirePositive(final String name, final long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is " + value + "; accepted: 1 or more");
        }
    }

    /**
     * The options unless others are set.
     *
     * @return 500 packets or 1 MiB or 50 ms, 4 transactions at a time, 20,000 packets or 64 MiB in all
     */
    public static BatchingOptions standard() {
        return STANDARD;
    }

    /**
     * The options of records that are joined, unless others are set.
     *
     * @return 10,000 records or 1 MiB or 50 ms, 4 transactions at a time, 100,000 records or 64 MiB in all
     */
    public static BatchingOptions ofRecords() {
        return OF_RECORDS;
    }

    /**
     * Sets another number of packets that make a transaction at once.
     *
     * @param max 1 or more
     * @return the same with this limit
     */
    public BatchingOptions withMaxPackets(final int max) {
        return new BatchingOptions(
                max, maxBytes, linger, maxInFlight, maxPendingPackets, maxPendingBytes, failureListener);
    }

    /**
     * Sets other bytes of content that make a transaction at once.
     *
     * @param max 1 or more
     * @return the same with this limit
     */
    public BatchingOptions withMaxBytes(final long max) {
        return new BatchingOptions(
                maxPackets, max, linger, maxInFlight, maxPendingPackets, maxPendingBytes, failureListener);
    }

    /**
     * Sets another longest time that a packet waits for company.
     *
     * @param max zero sends each as soon as possible
     * @return the same with this time
     */
    public BatchingOptions withLinger(final Duration max) {
        return new BatchingOptions(
                maxPackets, maxBytes, max, maxInFlight, maxPendingPackets, maxPendingBytes, failureListener);
    }

    /**
     * Sets another number of transactions at a time.
     *
     * @param max 1 or more
     * @return the same with this limit
     */
    public BatchingOptions withMaxInFlight(final int max) {
        return new BatchingOptions(
                maxPackets, maxBytes, linger, max, maxPendingPackets, maxPendingBytes, failureListener);
    }

    /**
     * One transaction at a time, so that NiFi takes packets over in the order in which they were given. A packet that
     * fails for good is passed over.
     *
     * @return the same with one transaction at a time
     */
    public BatchingOptions inOrder() {
        return withMaxInFlight(1);
    }

    /**
     * Sets how much may be pending before {@link BatchingSender#send} blocks.
     *
     * @param packets that are given and not over yet
     * @param bytes what they take in memory: attributes, and content that is given as bytes; a record about twice
     * @return the same with these limits
     */
    public BatchingOptions withMaxPending(final int packets, final long bytes) {
        return new BatchingOptions(maxPackets, maxBytes, linger, maxInFlight, packets, bytes, failureListener);
    }

    /**
     * Sets a listener of each packet that was taken and failed, beside its future. By default the log has an ERROR with the number
     * of packets and the first cause, at most one in ten seconds.
     *
     * @param listener called on the completion executor, after the packet's future is complete
     * @return the same with this listener
     */
    public BatchingOptions onFailure(final BiConsumer<Packet, TransactionException> listener) {
        return new BatchingOptions(
                maxPackets,
                maxBytes,
                linger,
                maxInFlight,
                maxPendingPackets,
                maxPendingBytes,
                Objects.requireNonNull(listener, "listener"));
    }
}
