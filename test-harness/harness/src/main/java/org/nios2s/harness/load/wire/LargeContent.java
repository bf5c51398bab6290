// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import org.nios2s.harness.sink.PacketPattern;
import org.nios2s.harness.sink.Parcel;

/**
 * Content of any size that is never held as a whole: piece after piece, each with its number in it, so that a lost,
 * doubled or displaced piece changes the checksum. For one thread at a time.
 */
public final class LargeContent {

    static final int PIECE_BYTES = 128 * 1024;

    private static final int MARK_BYTES = 2 * Long.BYTES;
    private static final int RANDOM_BYTES = 1024 * 1024;
    private static final int STEP_BYTES = 4099;
    private static final ByteBuf RANDOM = random();

    private final long stream;
    private final long size;
    private long next;

    /** The content of a packet. */
    LargeContent(final String id, final long size) {
        this.stream = PacketPattern.seed(id);
        this.size = size;
    }

    boolean hasNext() {
        return next * PIECE_BYTES < size;
    }

    /** @return the next piece, to be released */
    ByteBuf next() {
        final ByteBuf mark = Unpooled.buffer(MARK_BYTES).writeLong(stream).writeLong(next);
        final int length = (int) Math.min(PIECE_BYTES, size - next * PIECE_BYTES);
        final int offset = (int) (next * STEP_BYTES % (RANDOM_BYTES - PIECE_BYTES));
        next++;
        if (length <= MARK_BYTES) {
            return mark.writerIndex(length);
        }
        return Unpooled.wrappedBuffer(mark, RANDOM.retainedSlice(offset, length - MARK_BYTES));
    }

    /** A packet of this id as it is sent. */
    public static Parcel parcel(final String id, final long size) {
        final CRC32C checksum = new CRC32C();
        final LargeContent content = new LargeContent(id, size);
        while (content.hasNext()) {
            final ByteBuf piece = content.next();
            for (final ByteBuffer part : piece.nioBuffers()) {
                checksum.update(part);
            }
            piece.release();
        }
        return Parcel.of(PacketPattern.attributes(id, 0, 0), 0, size, checksum);
    }

    private static ByteBuf random() {
        final byte[] bytes = new byte[RANDOM_BYTES];
        new Random(RANDOM_BYTES).nextBytes(bytes);
        return Unpooled.unreleasableBuffer(Unpooled.directBuffer(RANDOM_BYTES).writeBytes(bytes));
    }
}
