// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

/**
 * What a client holds at a moment. Immutable; any thread.
 *
 * @param connections open ones, idle ones included
 * @param idleConnections those that serve no transaction
 * @param pending transactions that look for a peer, wait for a connection, or pause before another attempt
 * @param inFlight transactions that have one
 */
public record ClientStatistics(int connections, int idleConnections, int pending, int inFlight) {
    ClientStatistics plus(final ClientStatistics other) {
        return new ClientStatistics(
                connections + other.connections,
                idleConnections + other.idleConnections,
                pending + other.pending,
                inFlight + other.inFlight);
    }

    ClientStatistics withPending(final int more) {
        return new ClientStatistics(connections, idleConnections, pending + more, inFlight);
    }
}
