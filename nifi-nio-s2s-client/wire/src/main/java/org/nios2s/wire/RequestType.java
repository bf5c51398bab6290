// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

/** Requests of a peer, by their names on the wire. Immutable; any thread. */
public enum RequestType {
    NEGOTIATE_FLOWFILE_CODEC,
    REQUEST_PEER_LIST,
    SEND_FLOWFILES,
    RECEIVE_FLOWFILES,
    /** The peer leaves; there is no answer. */
    SHUTDOWN
}
