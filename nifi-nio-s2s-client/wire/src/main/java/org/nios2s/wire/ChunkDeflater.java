// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import java.util.function.IntConsumer;
import java.util.zip.Deflater;

/**
 * Deflates packets into the chunks that {@link ChunkInflater} takes apart, with the compression level of NiFi's
 * {@code CompressionOutputStream}. Lives on one thread at a time.
 */
public final class ChunkDeflater implements AutoCloseable {
    /**
     * Plain bytes in every chunk but a packet's last. NiFi's sender has 65,536, and incompressible ones become 65,562, which
     * MiNiFi C++ refuses since 1.0: no more than 65,536 may stand behind a header. So many fit even if each takes nine bits,
     * as a zlib may do it that is made for speed.
     */
    public static final int CHUNK_BYTES = 57_344;

    private static final int ANOTHER_CHUNK = 1;
    private static final int LAST_CHUNK = 0;
    private static final int OUTPUT_STEP_BYTES = 8_192;

    /** Memory that zlib takes to deflate. */
    private static final int ZLIB_BYTES = 264 * 1024;

    /** Memory that one deflater takes, all in all. */
    public static final int MEMORY_BYTES = ZLIB_BYTES + CHUNK_BYTES + OUTPUT_STEP_BYTES;

    private Deflater deflater = ZlibPool.acquireDeflater();
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private final byte[] step = new byte[OUTPUT_STEP_BYTES];

    private int filled;
    private boolean chunkWritten;

    /** Takes all plain bytes of {@code plain}; writes the chunks that became full. */
    public void deflate(final ByteBuf plain, final ByteBuf out) {
        deflate(plain, out, bytes -> {});
    }

    /** @param written is told of the length of each field of a chunk, when the chunk is written */
    public void deflate(final ByteBuf plain, final ByteBuf out, final IntConsumer written) {
        while (plain.isReadable()) {
            final int length = Math.min(plain.readableBytes(), CHUNK_BYTES - filled);
            plain.readBytes(chunk, filled, length);
            filled += length;
            if (filled == CHUNK_BYTES) {
                writeChunk(out, written);
            }
        }
    }

    /** Writes what is left of the packet and marks its end. */
    public void endPacket(final ByteBuf out) {
        endPacket(out, bytes -> {});
    }

    /** @param written is told of the length of each field, when it is written */
    public void endPacket(final ByteBuf out, final IntConsumer written) {
        if (filled > 0) {
            writeChunk(out, written);
        }
        out.writeByte(LAST_CHUNK);
        written.accept(Byte.BYTES);
        chunkWritten = false;
    }

    private void writeChunk(final ByteBuf out, final IntConsumer written) {
        if (chunkWritten) {
            out.writeByte(ANOTHER_CHUNK);
            written.accept(Byte.BYTES);
        }
        chunkWritten = true;
        out.writeBytes(ChunkInflater.SYNC);
        out.writeInt(filled);
        final int lengthIndex = out.writerIndex();
        out.writeInt(0);
        deflater.setInput(chunk, 0, filled);
        deflater.finish();
        while (!deflater.finished()) {
            // Not into out.nioBuffer(…): of a composite buffer that may be a copy.
            out.writeBytes(step, 0, deflater.deflate(step));
        }
        final int length = out.writerIndex() - lengthIndex - Integer.BYTES;
        out.setInt(lengthIndex, length);
        written.accept(ChunkInflater.SYNC.length);
        written.accept(Integer.BYTES);
        written.accept(Integer.BYTES);
        written.accept(length);
        deflater.reset();
        filled = 0;
    }

    /** Gives the native memory back, for the next deflater; once. It can't be used any more. */
    @Override
    public void close() {
        if (deflater != null) {
            ZlibPool.release(deflater);
            deflater = null;
        }
    }
}
