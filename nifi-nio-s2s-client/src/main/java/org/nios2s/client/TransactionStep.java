// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

/** Where in its course a transaction is, in the order of the protocol. Immutable; any thread. */
public enum TransactionStep {
    /** A peer of the cluster is chosen; NiFi's REST API and peer lists are asked when they are not known. */
    FIND_PEER,
    /** Waits for a connection of the pool. */
    WAIT_FOR_CONNECTION,
    /** The name is resolved and the TCP connection opened. */
    CONNECT,
    /** Certificates are exchanged. */
    TLS_HANDSHAKE,
    /** Both ends agree on a version of the protocol. */
    NEGOTIATE_PROTOCOL,
    /** The port is named and its state learned. */
    HANDSHAKE,
    /** Both ends agree on the format of packets. */
    NEGOTIATE_CODEC,
    /** The peers of a cluster are asked for. */
    REQUEST_PEER_LIST,
    /** Packets are written. */
    SEND_PACKETS,
    /** Packets are asked for and read. */
    RECEIVE_PACKETS,
    /** Both ends compare checksums; until then nothing is taken over. */
    CONFIRM,
    /**
     * The receiving end takes the packets over. A push that fails here may or may not have arrived.
     */
    COMPLETE
}
