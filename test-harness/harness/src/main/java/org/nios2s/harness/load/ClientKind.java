// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

/** The clients that can make the load. A constant, used on every thread. */
public enum ClientKind {
    /** NiFi's own {@code SiteToSiteClient}, one object and one thread for each logical client. */
    NIFI,
    /** The light client, writing as MiNiFi C++ does: each field alone, over sockets without TCP_NODELAY. */
    MINIFI,
    /** The client of this project: all logical clients share one connector and the connections of its pool. */
    NIO,
    /**
     * The light client, thousands of connections on a few event loops: every logical client keeps a connection and a TLS
     * session of its own, or makes a connection for every transaction, as that many devices would.
     */
    WIRE
}
