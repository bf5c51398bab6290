// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.BooleanSupplier;

/**
 * Takes apart the packets of one transaction, as they are or in compressed chunks, a portion at a time, and pauses when its
 * user has enough. Lives on its connection's IO worker.
 *
 * <p>Content of a compressed packet is passed on in a buffer that is used again: who keeps it copies it.
 */
public final class PacketReader implements AutoCloseable {
    /** Memory that zlib takes to inflate: 32 KiB of window and its state. */
    private static final int ZLIB_BYTES = 40 * 1024;

    /** Plain bytes that are inflated in one go: little, so that the user is asked often. */
    private static final int INFLATED_BYTES = 16 * 1024;

    /** Memory for reading a compressed packet, from its first byte to its last. */
    public static final int INFLATER_BYTES = ZLIB_BYTES + INFLATED_BYTES;

    /** Attributes that are decoded in one go, since they take many times their bytes on the heap. */
    private static final int ATTRIBUTE_PORTION_BYTES = 256;

    /** What they take on the heap at most, but for the buffer of a long value, which doubles: empty attributes, and one more. */
    public static final int MAX_ATTRIBUTE_PORTION_MEMORY =
            (ATTRIBUTE_PORTION_BYTES / (2 * Integer.BYTES) + 1) * AttributeMemory.of("", "");

    /** After inflating so often in a row the connection should let others have their turn. */
    private static final int INFLATIONS_IN_A_TURN = 16;

    /** Text seldom shrinks to less than a tenth. A packet that is so many times what was sent costs its sender next to nothing. */
    private static final int BOMB = 20;

    private final PacketDecoder decoder;
    private final boolean compressed;
    private final ByteBufAllocator allocator;
    private final BooleanSupplier pause;
    /** From the first byte of a compressed packet to its last. */
    private ChunkInflater inflater;

    private ByteBuf inflated;
    private boolean hasPaused;
    private long deflatedBytes;
    private long plainBytes;
    private volatile boolean inflatesAbnormally;

    /**
     * @param pause asked before each portion: whether what follows has to wait
     */
    public PacketReader(
            final PacketDecoder decoder,
            final boolean compressed,
            final ByteBufAllocator allocator,
            final BooleanSupplier pause) {
        this.decoder = decoder;
        this.compressed = compressed;
        this.allocator = allocator;
        this.pause = pause;
    }

    /** @return whether the packet is there, except for {@link #finishPacket}; otherwise bytes are missing, or it pauses */
    public boolean readPacket(final ByteBuf in) throws ProtocolException {
        if (!compressed) {
            return decode(in);
        }
        if (inflater == null) {
            if (!in.isReadable()) {
                return false;
            }
            inflater = new ChunkInflater();
            inflated = allocator.directBuffer(INFLATED_BYTES, INFLATED_BYTES);
        }
        boolean progress = true;
        for (int inflations = 0; progress && !pauses(); inflations++) {
            if (inflations == INFLATIONS_IN_A_TURN) {
                hasPaused = true;
                return false;
            }
            // Keeps the bytes of a field that is not complete yet.
            inflated.discardReadBytes();
            progress = inflate(in);
            if (decode(inflated)) {
                return true;
            }
        }
        if (!progress && inflater.isAtEnd() && !hasPaused) {
            throw new ProtocolException("The last chunk of a compressed packet ends before the packet does");
        }
        return false;
    }

    private boolean inflate(final ByteBuf in) throws ProtocolException {
        final int deflatedFrom = in.readerIndex();
        final int plainFrom = inflated.writerIndex();
        final boolean progress = inflater.inflate(in, inflated);
        deflatedBytes += in.readerIndex() - deflatedFrom;
        plainBytes += inflated.writerIndex() - plainFrom;
        inflatesAbnormally = plainBytes > BOMB * deflatedBytes;
        return progress;
    }

    /** Content is passed on whole. */
    private boolean decode(final ByteBuf in) throws ProtocolException {
        final int end = in.writerIndex();
        boolean complete = false;
        boolean progress = true;
        while (progress && !complete && !pauses()) {
            final int start = in.readerIndex();
            if (!decoder.isInContent()) {
                in.writerIndex(Math.min(end, start + ATTRIBUTE_PORTION_BYTES));
            }
            try {
                complete = decoder.decode(in);
            } finally {
                in.writerIndex(end);
            }
            progress = in.readerIndex() > start;
        }
        return complete;
    }

    /** @return whether the packet's last chunk is consumed, and the next packet may begin; otherwise as {@link #readPacket} */
    public boolean finishPacket(final ByteBuf in) throws ProtocolException {
        if (!compressed || inflater == null) {
            return true;
        }
        int portions = 0;
        while (portions < INFLATIONS_IN_A_TURN && inflater.finishChunk(in, inflated)) {
            portions++;
        }
        final boolean finished = inflater.isBetweenChunks();
        hasPaused = portions == INFLATIONS_IN_A_TURN && !finished;
        if (finished) {
            close();
        }
        return finished;
    }

    private boolean pauses() {
        hasPaused = pause.getAsBoolean();
        return hasPaused;
    }

    /**
     * The reason of the pause may end a moment later, which nobody would report.
     *
     * @return whether it has stopped with bytes left, perhaps: for its user, or to let others have their turn
     */
    public boolean hasPaused() {
        return hasPaused;
    }

    /** @return whether the packets so far are many times larger than what was sent of them. From any thread */
    public boolean inflatesAbnormally() {
        return inflatesAbnormally;
    }

    /** Gives back what it takes to inflate. */
    @Override
    public void close() {
        if (inflater != null) {
            inflater.close();
            inflater = null;
        }
        if (inflated != null) {
            inflated.release();
            inflated = null;
        }
    }
}
