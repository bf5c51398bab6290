// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** How many connections there may be, in all and from one address. Thread-safe. */
final class ConnectionLimit {
    private final int most;
    private final int mostPerAddress;
    private final AtomicInteger total = new AtomicInteger();
    private final Map<InetAddress, Integer> byAddress = new ConcurrentHashMap<>();

    /**
     * @param most in all; 0 for no limit
     * @param mostPerAddress from one address; 0 for no limit
     */
    ConnectionLimit(final int most, final int mostPerAddress) {
        this.most = most;
        this.mostPerAddress = mostPerAddress;
    }

    /**
     * Counts a connection.
     *
     * @throws PeerFault if it is one too many; then it is not counted
     */
    void add(final InetAddress address) throws PeerFault {
        if (total.incrementAndGet() > most && most > 0) {
            total.decrementAndGet();
            throw new PeerFault(
                    PeerFault.Kind.TOO_MANY_CONNECTIONS,
                    "There are " + most + " connections already; raise nifi.remote.input.nio.connections.max");
        }
        if (mostPerAddress > 0 && byAddress.merge(address, 1, Integer::sum) > mostPerAddress) {
            remove(address);
            throw new PeerFault(
                    PeerFault.Kind.TOO_MANY_CONNECTIONS,
                    "There are " + mostPerAddress + " connections from " + address.getHostAddress()
                            + " already; raise nifi.remote.input.nio.connections.max.per.address");
        }
    }

    /** A counted connection is gone. */
    void remove(final InetAddress address) {
        total.decrementAndGet();
        if (mostPerAddress > 0) {
            byAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        }
    }
}
