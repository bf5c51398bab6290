// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

/** Properties of a handshake, by their names on the wire. Immutable; any thread. */
public enum HandshakeProperty {
    /** Whether packets are deflated. */
    GZIP,
    /** The id of the port; without it a peer can only ask for the list of peers. */
    PORT_IDENTIFIER,
    /** How long the peer waits for an answer. */
    REQUEST_EXPIRATION_MILLIS,
    /** The most packets of a pull, since version 5 of the protocol. */
    BATCH_COUNT,
    /** The most bytes of content of a pull, since version 5 of the protocol. */
    BATCH_SIZE,
    /** The longest time for which a pull may go on, in milliseconds, since version 5 of the protocol. */
    BATCH_DURATION
}
