// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

/**
 * A node as a list of peers names it. Immutable; any thread.
 *
 * <p>Entries are equal, as in NiFi, if they name the same address: a list has each node once.
 *
 * @param host where the node listens, as the list has it
 * @param port its port for RAW Site-to-Site, as the list has it: perhaps none
 * @param secure whether packets travel over TLS
 * @param flowFiles that wait in its queues
 */
public record ListedPeer(String host, int port, boolean secure, int flowFiles) {
    @Override
    public boolean equals(final Object other) {
        return other instanceof final ListedPeer peer && host.equals(peer.host) && port == peer.port;
    }

    @Override
    public int hashCode() {
        return 31 * host.hashCode() + port;
    }
}
