// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Objects;

/** How a {@link BatchingSender} gathers packets to transactions. Immutable; any thread. */
public final class BatchingOptions {
    private static final BatchingOptions STANDARD =
            new BatchingOptions(500, 1L << 20, Duration.ofMillis(50), 4, 20_000, 64L << 20);

    private final int maxPackets;
    private final long maxBytes;
    private final Duration linger;
    private final int maxInFlight;
    private final int maxPendingPackets;
    private final long maxPendingBytes;

    private BatchingOptions(
            final int maxPackets,
            final long maxBytes,
            final Duration linger,
            final int maxInFlight,
            final int maxPendingPackets,
            final long maxPendingBytes) {
        requirePositive("maxPackets", maxPackets);
        requirePositive("maxBytes", maxBytes);
        requirePositive("maxInFlight", maxInFlight);
        requirePositive("maxPending (packets)", maxPendingPackets);
        requirePositive("maxPending (bytes)", maxPendingBytes);
        if (linger.isNegative()) {
            throw new IllegalArgumentException("linger is " + linger + "; accepted: 0 or more");
        }
        this.maxPackets = maxPackets;
        this.maxBytes = maxBytes;
        this.linger = linger;
        this.maxInFlight = maxInFlight;
        this.maxPendingPackets = maxPendingPackets;
        this.maxPendingBytes = maxPendingBytes;
    }

    private static void requirePositive(final String name, final long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is " + value + "; accepted: 1 or more");
        }
    }

    /** @return 500 packets or 1 MiB or 50 ms, 4 transactions at a time, 20,000 packets or 64 MiB in all */
    public static BatchingOptions standard() {
        return STANDARD;
    }

    /** @return the same with another number of packets that make a transaction at once */
    public BatchingOptions withMaxPackets(final int max) {
        return new BatchingOptions(max, maxBytes, linger, maxInFlight, maxPendingPackets, maxPendingBytes);
    }

    /** @return the same with other bytes of content that make a transaction at once */
    public BatchingOptions withMaxBytes(final long max) {
        return new BatchingOptions(maxPackets, max, linger, maxInFlight, maxPendingPackets, maxPendingBytes);
    }

    /** @return the same with another longest time that a packet waits for company; zero sends each as soon as possible */
    public BatchingOptions withLinger(final Duration max) {
        return new BatchingOptions(
                maxPackets,
                maxBytes,
                Objects.requireNonNull(max, "max"),
                maxInFlight,
                maxPendingPackets,
                maxPendingBytes);
    }

    /** @return the same with another number of transactions at a time */
    public BatchingOptions withMaxInFlight(final int max) {
        return new BatchingOptions(maxPackets, maxBytes, linger, max, maxPendingPackets, maxPendingBytes);
    }

    /**
     * One transaction at a time, so that NiFi takes packets over in the order in which they were given. A packet that
     * fails for good is passed over.
     */
    public BatchingOptions inOrder() {
        return withMaxInFlight(1);
    }

    /**
     * @param packets that are given and not over yet; then {@link BatchingSender#send} blocks
     * @param bytes what they take in memory: attributes, and content that is given as bytes
     * @return the same with other limits
     */
    public BatchingOptions withMaxPending(final int packets, final long bytes) {
        return new BatchingOptions(maxPackets, maxBytes, linger, maxInFlight, packets, bytes);
    }

    int maxPackets() {
        return maxPackets;
    }

    long maxBytes() {
        return maxBytes;
    }

    Duration linger() {
        return linger;
    }

    int maxInFlight() {
        return maxInFlight;
    }

    int maxPendingPackets() {
        return maxPendingPackets;
    }

    long maxPendingBytes() {
        return maxPendingBytes;
    }
}
