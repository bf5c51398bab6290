// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Requests of a peer, by their names on the wire. Immutable; any thread. */
public enum RequestType {
    NEGOTIATE_FLOWFILE_CODEC,
    REQUEST_PEER_LIST,
    SEND_FLOWFILES,
    RECEIVE_FLOWFILES,
    /** The peer leaves; there is no answer. */
    SHUTDOWN;

    /** Writes the name, as a string on the wire. */
    public void write(final ByteBuf out) {
        out.writeShort(name().length());
        out.writeCharSequence(name(), StandardCharsets.US_ASCII);
    }
}
