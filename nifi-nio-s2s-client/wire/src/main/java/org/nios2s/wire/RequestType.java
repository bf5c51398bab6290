// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

/** What a peer asks for, under the names by which the wire has it. Immutable; any thread. */
public enum RequestType {
    NEGOTIATE_FLOWFILE_CODEC,
    REQUEST_PEER_LIST,
    SEND_FLOWFILES,
    RECEIVE_FLOWFILES,
    /** The peer leaves; there is no answer. */
    SHUTDOWN
}
