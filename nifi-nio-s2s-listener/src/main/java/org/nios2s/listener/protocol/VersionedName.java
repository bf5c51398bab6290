// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import io.netty.buffer.ByteBuf;
import org.nios2s.wire.ModifiedUtf8;
import org.nios2s.wire.ProtocolException;

/** A peer's proposal when it negotiates a protocol or a codec. Immutable. */
record VersionedName(String name, int version) {
    /** Far more than any name takes, and any request. */
    static final int MAX_NAME_BYTES = 256;

    /** @return the proposal, or null, with nothing consumed, if bytes are missing */
    static VersionedName readIfComplete(final ByteBuf in) throws ProtocolException {
        final int start = in.readerIndex();
        final String name = ModifiedUtf8.readIfComplete(in, MAX_NAME_BYTES);
        if (name == null || in.readableBytes() < Integer.BYTES) {
            in.readerIndex(start);
            return null;
        }
        return new VersionedName(name, in.readInt());
    }
}
