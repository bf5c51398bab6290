// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** Updates a CRC32 with bytes of a buffer, without copying them. Stateless; any thread. */
public final class Checksum {
    private Checksum() {}

    /**
     * @param index of the first byte in {@code bytes}
     * @param length number of bytes
     */
    public static void update(final CRC32 checksum, final ByteBuf bytes, final int index, final int length) {
        if (bytes.hasArray()) {
            checksum.update(bytes.array(), bytes.arrayOffset() + index, length);
        } else if (bytes.nioBufferCount() == 1) {
            checksum.update(bytes.internalNioBuffer(index, length));
        } else {
            for (final ByteBuffer part : bytes.nioBuffers(index, length)) {
                checksum.update(part);
            }
        }
    }
}
