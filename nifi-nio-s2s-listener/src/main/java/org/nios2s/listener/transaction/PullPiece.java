// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Bytes of a pull that are made in one go, and the writes that they leave in: each ends where a write of the stock listener's
 * ends, too. Lives on the thread that makes it, then on the connection's IO worker.
 *
 * <p>MiNiFi C++ reads a number, or up to 4,096 bytes of a content, in one go, and gives the transaction up if it gets less. Over
 * TLS it never gets more than what is left of a record. The stock listener's writes never tear what it reads.
 *
 * <p>That listener writes through a {@link java.io.BufferedOutputStream}, and flushes it behind each packet. Here its
 * buffer is only counted; as many of its writes as fit make one of ours.
 */
public final class PullPiece {
    /** Size of the stock listener's buffer, and of its reads of a content. */
    static final int STOCK_BUFFER_BYTES = 8 * 1024;

    private final ByteBuf bytes;
    private final int maxWriteBytes;
    private final Queue<End> ends = new ArrayDeque<>();

    /** How many bytes have been written. */
    private int position;

    /** Where the write begins that is being filled. */
    private int begin;

    /** The last place at which that write may end, if there is one behind its beginning. */
    private End lastEnd = new End(0, true);

    /** Bytes that would be in the stock listener's buffer. */
    private int buffered;

    /**
     * The end of a write.
     *
     * @param flushed whether the stock listener flushes its buffer here; otherwise the buffer is full
     */
    private record End(int position, boolean flushed) {}

    /**
     * Bytes that leave together.
     *
     * @param bytes to be released
     * @param flushed whether the stock listener would let nothing follow them at once
     */
    public record Write(ByteBuf bytes, boolean flushed) {}

    /** @param maxWriteBytes of each write, unless one of the stock listener's has more */
    PullPiece(final ByteBuf bytes, final int maxWriteBytes) {
        this.bytes = bytes;
        this.maxWriteBytes = maxWriteBytes;
    }

    ByteBuf bytes() {
        return bytes;
    }

    /** The next bytes, so many, are those that the stock listener would write at once, into its buffer. */
    void wrote(final int length) {
        if (!hasRoomInBuffer(length)) {
            mayEnd(false);
        }
        buffered += length;
        position += length;
        if (length >= STOCK_BUFFER_BYTES) {
            mayEnd(false);
        }
    }

    /** The stock listener would have flushed its buffer. */
    void flushed() {
        mayEnd(true);
    }

    private boolean hasRoomInBuffer(final int length) {
        return buffered + length <= STOCK_BUFFER_BYTES;
    }

    /** @return whether the stock listener would write what it has before it takes so many bytes */
    boolean endsBefore(final int length) {
        return buffered == 0 || !hasRoomInBuffer(length);
    }

    private void mayEnd(final boolean flushed) {
        buffered = 0;
        if (position == lastEnd.position()) {
            return;
        }
        if (position - begin > maxWriteBytes) {
            end();
        }
        lastEnd = new End(position, flushed);
    }

    /** The write ends at the last possible place. */
    private void end() {
        if (lastEnd.position() > begin) {
            ends.add(lastEnd);
            begin = lastEnd.position();
        }
    }

    /** The piece is made. */
    void complete() {
        mayEnd(false);
        end();
    }

    public int readableBytes() {
        return bytes.readableBytes();
    }

    /** @return bytes of memory that it takes */
    public int capacity() {
        return bytes.capacity();
    }

    /** @return whether there is another write */
    public boolean hasNextWrite() {
        return !ends.isEmpty();
    }

    public Write nextWrite() {
        final int from = bytes.readerIndex();
        final ByteBuf write = bytes.readRetainedSlice(ends.element().position() - from);
        return new Write(write, ends.remove().flushed());
    }

    /** Gives the memory back, as far as no write holds it. */
    public void release() {
        bytes.release();
    }
}
