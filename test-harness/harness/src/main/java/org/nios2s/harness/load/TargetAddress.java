// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.net.InetSocketAddress;
import java.net.URI;

/**
 * Where the load goes: a RAW Site-to-Site socket and the input port behind it. Immutable, read by every thread.
 *
 * @param host   host name or address of the RAW socket
 * @param port   its TCP port
 * @param portId identifier of the input port
 * @param api    base of NiFi's web address, such as {@code http://127.0.0.1:8080/nifi}, which NiFi's own client
 *               asks for the peers; null when nothing is known of it
 */
public record TargetAddress(String host, int port, String portId, URI api) {

    private static final int MAX_PORT = 65_535;

    public TargetAddress {
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("a TCP port is between 1 and 65535, not " + port);
        }
    }

    /** The socket to connect to: host, resolved, and port. */
    public InetSocketAddress socket() {
        return new InetSocketAddress(host, port);
    }

    /** Another port of the same socket. */
    public TargetAddress behind(final String otherPortId) {
        return new TargetAddress(host, port, otherPortId, api);
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
