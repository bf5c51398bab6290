// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

/**
 * Connections and transactions of a client at a moment. Immutable; any thread.
 *
 * @param connections open ones, idle ones included
 * @param idleConnections those that serve no transaction
 * @param pending transactions that look for a peer, wait for a connection, or pause before another attempt
 * @param inFlight transactions that have a connection
 * @param pendingPackets packets that were given to batching senders and are not over yet
 * @param pendingBytes memory that packets take which were given, to ports or to batching senders, and are not over yet
 */
public record ClientStatistics(
        int connections, int idleConnections, int pending, int inFlight, int pendingPackets, long pendingBytes) {
    /** Of a client that holds nothing. */
    public static final ClientStatistics NONE = new ClientStatistics(0, 0, 0, 0, 0, 0);

    /**
     * Sums up.
     *
     * @param other of another client, or of another part of the same
     * @return both together
     */
    public ClientStatistics plus(final ClientStatistics other) {
        return new ClientStatistics(
                connections + other.connections,
                idleConnections + other.idleConnections,
                pending + other.pending,
                inFlight + other.inFlight,
                pendingPackets + other.pendingPackets,
                pendingBytes + other.pendingBytes);
    }
}
