// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.InputStream;
import java.nio.ByteBuffer;

/** Reads a buffer as a stream. Belongs to one thread at a time; never blocks. */
final class BufferInputStream extends InputStream {
    private static final int BYTE_MASK = 0xFF;

    private final ByteBuffer left;

    BufferInputStream(final ByteBuffer left) {
        this.left = left;
    }

    @Override
    public int read() {
        return left.hasRemaining() ? left.get() & BYTE_MASK : -1;
    }

    @Override
    public int read(final byte[] target, final int offset, final int length) {
        if (length > 0 && !left.hasRemaining()) {
            return -1;
        }
        final int read = Math.min(length, left.remaining());
        left.get(target, offset, read);
        return read;
    }

    @Override
    public int available() {
        return left.remaining();
    }
}
