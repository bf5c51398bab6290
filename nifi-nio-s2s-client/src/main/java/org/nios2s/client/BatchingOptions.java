// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Objects;

/** How a {@link BatchingSender} gathers packets to transactions. Immutable; any thread. */
public final class BatchingOptions {
    private static final BatchingOptions STANDARD =
            new BatchingOptions(500, 1L << 20, Duration.ofMillis(50), 4, 20_000, 64L << 20);

    private final int packets;
    private final long bytes;
    private final Duration linger;
    private final int transactions;
    private final int mostPackets;
    private final long mostBytes;

    private BatchingOptions(
            final int packets,
            final long bytes,
            final Duration linger,
            final int transactions,
            final int mostPackets,
            final long mostBytes) {
        requirePositive("packets", packets);
        requirePositive("bytes", bytes);
        requirePositive("transactions", transactions);
        requirePositive("the most packets", mostPackets);
        requirePositive("the most bytes", mostBytes);
        if (linger.isNegative()) {
            throw new IllegalArgumentException("linger is " + linger + "; accepted: 0 or more");
        }
        this.packets = packets;
        this.bytes = bytes;
        this.linger = linger;
        this.transactions = transactions;
        this.mostPackets = mostPackets;
        this.mostBytes = mostBytes;
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
    public BatchingOptions withPackets(final int enough) {
        return new BatchingOptions(enough, bytes, linger, transactions, mostPackets, mostBytes);
    }

    /** @return the same with other bytes of content that make a transaction at once */
    public BatchingOptions withBytes(final long enough) {
        return new BatchingOptions(packets, enough, linger, transactions, mostPackets, mostBytes);
    }

    /** @return the same with another longest time that a packet waits for company; zero sends each as soon as possible */
    public BatchingOptions withLinger(final Duration longest) {
        return new BatchingOptions(
                packets, bytes, Objects.requireNonNull(longest, "longest"), transactions, mostPackets, mostBytes);
    }

    /** @return the same with another number of transactions at a time */
    public BatchingOptions withTransactions(final int atATime) {
        return new BatchingOptions(packets, bytes, linger, atATime, mostPackets, mostBytes);
    }

    /**
     * One transaction at a time, so that NiFi takes packets over in the order in which they were given. A packet that
     * fails for good is passed over.
     */
    public BatchingOptions inOrder() {
        return withTransactions(1);
    }

    /**
     * @param pendingPackets packets that are given and not over yet; then {@link BatchingSender#send} blocks
     * @param pendingBytes what they take in memory: attributes, and content that is given as bytes
     * @return the same with other limits
     */
    public BatchingOptions withMost(final int pendingPackets, final long pendingBytes) {
        return new BatchingOptions(packets, bytes, linger, transactions, pendingPackets, pendingBytes);
    }

    int packets() {
        return packets;
    }

    long bytes() {
        return bytes;
    }

    Duration linger() {
        return linger;
    }

    int transactions() {
        return transactions;
    }

    int mostPackets() {
        return mostPackets;
    }

    long mostBytes() {
        return mostBytes;
    }
}
