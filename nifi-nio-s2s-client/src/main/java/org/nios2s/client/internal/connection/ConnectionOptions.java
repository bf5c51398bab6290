// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import java.time.Duration;
import org.nios2s.client.FailureReason;

/**
 * Every setting of the engine. Immutable; any thread.
 *
 * @param ioThreads IO workers; each serves thousands of connections. Default: 2
 * @param maxConnections the most connections to one {@link Endpoint}. Default: 100
 * @param maxPending the most transactions that wait for a connection to one port; one more fails at once with
 *     {@link FailureReason#TOO_MANY_PENDING}. Default: 10,000
 * @param maxPendingBytes the most memory that the packets of one port's transactions take; when it is used up, one more
 *     transaction fails in the same way. Default: a quarter of the largest heap
 * @param connectTimeout from the start of a connection to the end of its handshake. Default: 10 s
 * @param maxIdleTime an unused connection is closed after this time, before the peer does it. Default: 30 s
 * @param initialBackoff pause after a connection could not be opened; doubled with every further failure. Default: 100 ms
 * @param maxBackoff the most that the pause grows to. Default: 10 s
 */
public record ConnectionOptions(
        int ioThreads,
        int maxConnections,
        int maxPending,
        long maxPendingBytes,
        Duration connectTimeout,
        Duration maxIdleTime,
        Duration initialBackoff,
        Duration maxBackoff) {
    /** Of the heap a port's packets take one part at most. */
    private static final int PARTS_OF_HEAP = 4;

    /** Defaults that fit most uses. */
    public static final ConnectionOptions DEFAULTS = new ConnectionOptions(
            2,
            100,
            10_000,
            Runtime.getRuntime().maxMemory() / PARTS_OF_HEAP,
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            Duration.ofMillis(100),
            Duration.ofSeconds(10));

    private static final int MAX_IO_THREADS = 8;

    /** Checks the values. */
    public ConnectionOptions {
        requireRange("ioThreads", ioThreads, 1, MAX_IO_THREADS);
        requireRange("maxConnections", maxConnections, 1, Integer.MAX_VALUE);
        requireRange("maxPending", maxPending, 0, Integer.MAX_VALUE);
        if (maxPendingBytes < 1) {
            throw new IllegalArgumentException("maxPendingBytes is " + maxPendingBytes + "; accepted: 1 or more");
        }
        Checks.requirePositive("connectTimeout", connectTimeout);
        Checks.requirePositive("maxIdleTime", maxIdleTime);
        Checks.requirePositive("initialBackoff", initialBackoff);
        Checks.requirePositive("maxBackoff", maxBackoff);
    }

    private static void requireRange(final String name, final int value, final int least, final int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + value + "; accepted: " + least + " to " + most);
        }
    }

    /** @return the same settings with another number of IO workers */
    public ConnectionOptions withIoThreads(final int threads) {
        return new ConnectionOptions(
                threads,
                maxConnections,
                maxPending,
                maxPendingBytes,
                connectTimeout,
                maxIdleTime,
                initialBackoff,
                maxBackoff);
    }

    /** @return the same settings with another limit of connections per port */
    public ConnectionOptions withMaxConnections(final int connections) {
        return new ConnectionOptions(
                ioThreads,
                connections,
                maxPending,
                maxPendingBytes,
                connectTimeout,
                maxIdleTime,
                initialBackoff,
                maxBackoff);
    }

    /** @return the same settings with another limit of memory per port */
    public ConnectionOptions withMaxPendingBytes(final long bytes) {
        return new ConnectionOptions(
                ioThreads, maxConnections, maxPending, bytes, connectTimeout, maxIdleTime, initialBackoff, maxBackoff);
    }

    /** @return the same settings with another limit of waiting transactions per port */
    public ConnectionOptions withMaxPending(final int waiting) {
        return new ConnectionOptions(
                ioThreads,
                maxConnections,
                waiting,
                maxPendingBytes,
                connectTimeout,
                maxIdleTime,
                initialBackoff,
                maxBackoff);
    }

    /** @return the same settings with another time for opening a connection */
    public ConnectionOptions withConnectTimeout(final Duration timeout) {
        return new ConnectionOptions(
                ioThreads,
                maxConnections,
                maxPending,
                maxPendingBytes,
                timeout,
                maxIdleTime,
                initialBackoff,
                maxBackoff);
    }

    /** @return the same settings with another life of unused connections */
    public ConnectionOptions withMaxIdleTime(final Duration expiration) {
        return new ConnectionOptions(
                ioThreads,
                maxConnections,
                maxPending,
                maxPendingBytes,
                connectTimeout,
                expiration,
                initialBackoff,
                maxBackoff);
    }

    /** @return the same settings with other pauses after a connection could not be opened */
    public ConnectionOptions withReconnectBackoff(final Duration first, final Duration longest) {
        return new ConnectionOptions(
                ioThreads, maxConnections, maxPending, maxPendingBytes, connectTimeout, maxIdleTime, first, longest);
    }
}
