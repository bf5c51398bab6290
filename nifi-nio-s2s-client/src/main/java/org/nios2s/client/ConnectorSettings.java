// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;

/**
 * Every setting of the engine. Immutable; any thread.
 *
 * @param workerThreads IO workers; each serves thousands of connections. Default: 2
 * @param connectionsPerPort the most connections to one {@link RemotePort}. Default: 100
 * @param waitingPerPort the most transactions that wait for a connection to one port; one more fails at once with
 *     {@link FailureReason#TOO_MANY_WAITING}. Default: 10,000
 * @param connectTimeout from the start of a connection to the end of its handshake. Default: 10 s
 * @param idleExpiration an unused connection is closed after this time, before the peer does it. Default: 30 s
 * @param firstBackOff pause after a connection could not be opened; doubled with every further failure. Default: 100 ms
 * @param longestBackOff the most that the pause grows to. Default: 10 s
 */
record ConnectorSettings(
        int workerThreads,
        int connectionsPerPort,
        int waitingPerPort,
        Duration connectTimeout,
        Duration idleExpiration,
        Duration firstBackOff,
        Duration longestBackOff) {
    /** What fits most uses. */
    public static final ConnectorSettings DEFAULTS = new ConnectorSettings(
            2,
            100,
            10_000,
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            Duration.ofMillis(100),
            Duration.ofSeconds(10));

    private static final int MOST_WORKERS = 8;

    /** Checks the values. */
    public ConnectorSettings {
        requireRange("workerThreads", workerThreads, 1, MOST_WORKERS);
        requireRange("connectionsPerPort", connectionsPerPort, 1, Integer.MAX_VALUE);
        requireRange("waitingPerPort", waitingPerPort, 0, Integer.MAX_VALUE);
        requirePositive("connectTimeout", connectTimeout);
        requirePositive("idleExpiration", idleExpiration);
        requirePositive("firstBackOff", firstBackOff);
        requirePositive("longestBackOff", longestBackOff);
    }

    private static void requireRange(final String name, final int value, final int least, final int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + value + "; accepted: " + least + " to " + most);
        }
    }

    private static void requirePositive(final String name, final Duration value) {
        if (value == null || value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + " is " + value + "; accepted: more than 0");
        }
    }

    /** @return the same settings with another number of IO workers */
    public ConnectorSettings withWorkerThreads(final int threads) {
        return new ConnectorSettings(
                threads,
                connectionsPerPort,
                waitingPerPort,
                connectTimeout,
                idleExpiration,
                firstBackOff,
                longestBackOff);
    }

    /** @return the same settings with another limit of connections per port */
    public ConnectorSettings withConnectionsPerPort(final int connections) {
        return new ConnectorSettings(
                workerThreads,
                connections,
                waitingPerPort,
                connectTimeout,
                idleExpiration,
                firstBackOff,
                longestBackOff);
    }

    /** @return the same settings with another limit of waiting transactions per port */
    public ConnectorSettings withWaitingPerPort(final int waiting) {
        return new ConnectorSettings(
                workerThreads,
                connectionsPerPort,
                waiting,
                connectTimeout,
                idleExpiration,
                firstBackOff,
                longestBackOff);
    }

    /** @return the same settings with another time for opening a connection */
    public ConnectorSettings withConnectTimeout(final Duration timeout) {
        return new ConnectorSettings(
                workerThreads,
                connectionsPerPort,
                waitingPerPort,
                timeout,
                idleExpiration,
                firstBackOff,
                longestBackOff);
    }

    /** @return the same settings with another life of unused connections */
    public ConnectorSettings withIdleExpiration(final Duration expiration) {
        return new ConnectorSettings(
                workerThreads,
                connectionsPerPort,
                waitingPerPort,
                connectTimeout,
                expiration,
                firstBackOff,
                longestBackOff);
    }

    /** @return the same settings with other pauses after a connection could not be opened */
    public ConnectorSettings withBackOff(final Duration first, final Duration longest) {
        return new ConnectorSettings(
                workerThreads, connectionsPerPort, waitingPerPort, connectTimeout, idleExpiration, first, longest);
    }
}
