// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.codec.digest.DigestUtils;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.PacketId;

/**
 * Content of any size that is never held as a whole: piece after piece, each with its number in it, so that a lost,
 * doubled or displaced piece changes the digest. For one thread at a time.
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

    /** Content that is like no other. */
    LargeContent(final long stream, final long size) {
        this.stream = stream;
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

    /** SHA-256 of every FlowFile of a run by its packet id. */
    public static Map<String, String> digests(final String run, final LoadSettings load) {
        return IntStream.range(0, load.clients())
                .parallel()
                .boxed()
                .collect(Collectors.toConcurrentMap(
                        client -> new PacketId(run, client, 0, 0).toString(),
                        client -> digest(client, load.shape().size().largest())));
    }

    /** @return SHA-256 of all pieces, in hexadecimal digits */
    static String digest(final long stream, final long size) {
        final MessageDigest digest = DigestUtils.getSha256Digest();
        final LargeContent content = new LargeContent(stream, size);
        while (content.hasNext()) {
            final ByteBuf piece = content.next();
            for (final ByteBuffer part : piece.nioBuffers()) {
                digest.update(part);
            }
            piece.release();
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static ByteBuf random() {
        final byte[] bytes = new byte[RANDOM_BYTES];
        new Random(RANDOM_BYTES).nextBytes(bytes);
        return Unpooled.unreleasableBuffer(Unpooled.directBuffer(RANDOM_BYTES).writeBytes(bytes));
    }
}
