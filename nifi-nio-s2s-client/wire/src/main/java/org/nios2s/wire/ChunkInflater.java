// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Inflates the chunks in which a packet travels when GZIP was agreed: {@code SYNC}, plain length, deflated length,
 * zlib data, and a byte that says whether another chunk follows. Lives on one thread at a time, its connection's IO
 * worker.
 *
 * <p>As NiFi's {@code CompressionInputStream}, a chunk that inflates to more than its plain length is cut there, and one
 * that inflates to less is filled up with zeros. Plain bytes are passed on in small pieces, so a chunk costs no memory
 * of its size.
 */
public final class ChunkInflater implements AutoCloseable {
    /** The first bytes of every chunk. */
    static final byte[] SYNC = {'S', 'Y', 'N', 'C'};

    private static final int HEADER_BYTES = SYNC.length + 2 * Integer.BYTES;
    private static final byte ANOTHER_CHUNK = 1;
    private static final byte LAST_CHUNK = 0;

    private enum State {
        HEADER,
        DATA,
        MORE,
        END
    }

    private Inflater inflater = ZlibPool.acquireInflater();

    private State state = State.HEADER;
    private int plainLeft;
    private int deflatedLeft;
    /** Whether the inflater may hold back plain bytes, as there was no room for more. */
    private boolean filled;

    /**
     * Takes some deflated bytes and yields some plain ones, of one chunk at a time.
     *
     * @param in deflated chunks; nothing behind the packet's last chunk is consumed
     * @param plain receives at most its writable bytes; call again while it was filled. One contiguous buffer: of a
     *     composite one, zlib would be given a copy
     * @return whether something was consumed or produced
     * @throws ProtocolException if the bytes are no such chunk
     */
    public boolean inflate(final ByteBuf in, final ByteBuf plain) throws ProtocolException {
        if (plain.nioBufferCount() != 1) {
            throw new IllegalArgumentException("Plain bytes need one contiguous buffer, not " + plain);
        }
        final int consumedFrom = in.readerIndex();
        final int producedFrom = plain.writerIndex();
        boolean progress = true;
        while (progress && plain.isWritable()) {
            progress = switch (state) {
                case HEADER -> readHeader(in);
                case DATA -> inflateData(in, plain);
                case MORE -> {
                    readMore(in);
                    // The packet may end with this chunk: then what follows is no other one.
                    yield false;
                }
                case END -> false;
            };
        }
        return in.readerIndex() != consumedFrom || plain.writerIndex() != producedFrom;
    }

    private boolean readHeader(final ByteBuf in) throws ProtocolException {
        for (int i = 0; i < Math.min(SYNC.length, in.readableBytes()); i++) {
            if (in.getByte(in.readerIndex() + i) != SYNC[i]) {
                throw new ProtocolException("A compressed packet's chunk does not start with 'SYNC'");
            }
        }
        if (in.readableBytes() < HEADER_BYTES) {
            return false;
        }
        in.skipBytes(SYNC.length);
        plainLeft = in.readInt();
        deflatedLeft = in.readInt();
        if (plainLeft < 0 || deflatedLeft < 0) {
            throw new ProtocolException("A compressed packet's chunk claims " + plainLeft + " plain and " + deflatedLeft
                    + " deflated bytes");
        }
        state = State.DATA;
        return true;
    }

    private boolean inflateData(final ByteBuf in, final ByteBuf plain) throws ProtocolException {
        if (deflatedLeft == 0 && plainLeft == 0) {
            inflater.reset();
            state = State.MORE;
            return true;
        }
        final int available = Math.min(deflatedLeft, in.readableBytes());
        final int plainBefore = plainLeft;
        final int deflatedBefore = deflatedLeft;
        if (inflater.finished()) {
            skip(in, available);
        } else if (plainLeft == 0) {
            checkEnd(in, available, plain);
        } else if (available > 0 || filled) {
            inflateInto(in, available, plain, Math.min(plainLeft, plain.writableBytes()));
        }
        if (deflatedLeft == 0 && plainLeft > 0 && plain.isWritable()) {
            fill(plain);
        }
        return plainLeft != plainBefore || deflatedLeft != deflatedBefore;
    }

    /** The plain bytes are all there; what ends the zlib data is checked all the same, as if it had arrived with them. */
    private void checkEnd(final ByteBuf in, final int available, final ByteBuf plain) throws ProtocolException {
        final int before = deflatedLeft;
        inflateInto(in, available, plain, 0);
        if (deflatedLeft == before) {
            skip(in, available);
        }
    }

    private void skip(final ByteBuf in, final int length) {
        in.skipBytes(length);
        deflatedLeft -= length;
    }

    /** Yields what the inflater still holds back, then zeros for what the chunk promised and does not have. */
    private void fill(final ByteBuf plain) throws ProtocolException {
        final int room = Math.min(plainLeft, plain.writableBytes());
        final int written = inflateInto(plain, room);
        final int zeros = plain.isWritable() && written < room ? room - written : 0;
        plain.writeZero(zeros);
        plainLeft -= zeros;
    }

    private void inflateInto(final ByteBuf in, final int available, final ByteBuf plain, final int room)
            throws ProtocolException {
        inflater.setInput(in.nioBuffer(in.readerIndex(), available));
        final long readBefore = inflater.getBytesRead();
        inflateInto(plain, room);
        skip(in, (int) (inflater.getBytesRead() - readBefore));
    }

    private int inflateInto(final ByteBuf plain, final int room) throws ProtocolException {
        try {
            final int written = inflater.inflate(plain.nioBuffer(plain.writerIndex(), room));
            if (inflater.needsDictionary()) {
                throw new ProtocolException("A compressed packet's chunk needs a dictionary");
            }
            filled = written == room;
            plain.writerIndex(plain.writerIndex() + written);
            plainLeft -= written;
            return written;
        } catch (final DataFormatException e) {
            throw new ProtocolException("A compressed packet's chunk can't be inflated: " + e.getMessage(), e);
        }
    }

    private boolean readMore(final ByteBuf in) throws ProtocolException {
        if (!in.isReadable()) {
            return false;
        }
        final byte more = in.readByte();
        if (more == ANOTHER_CHUNK) {
            state = State.HEADER;
        } else if (more == LAST_CHUNK) {
            state = State.END;
        } else {
            throw new ProtocolException("A compressed packet's chunk is followed by " + more + " in place of 0 or 1");
        }
        return true;
    }

    /**
     * Consumes the rest of the chunk in which the packet ended, as NiFi does, or a portion of it: whatever it holds beyond
     * the packet is dropped.
     *
     * @param scratch takes the dropped bytes, and is empty again afterwards; one contiguous buffer. What it can hold is a
     *     portion
     * @return whether something was consumed or dropped; false if bytes are missing or the chunk is over
     * @throws ProtocolException if the bytes are no such chunk
     */
    public boolean finishChunk(final ByteBuf in, final ByteBuf scratch) throws ProtocolException {
        if (isBetweenChunks()) {
            return false;
        }
        if (state == State.DATA && deflatedLeft == 0) {
            // The rest are bytes that the chunk only claims: a peer may claim 2 GiB of them for nothing.
            plainLeft = 0;
        }
        scratch.clear();
        final boolean progress = state == State.DATA ? inflateData(in, scratch) : readMore(in);
        scratch.clear();
        return progress;
    }

    /** @return whether a chunk has been consumed, or none has begun */
    public boolean isBetweenChunks() {
        return state == State.HEADER || state == State.END;
    }

    /** @return whether the peer declared the packet's last chunk, and it has been consumed */
    public boolean isAtEnd() {
        return state == State.END;
    }

    /** Makes ready for the chunks of the next packet. */
    public void nextPacket() {
        inflater.reset();
        plainLeft = 0;
        deflatedLeft = 0;
        state = State.HEADER;
    }

    /** Gives the native memory back, for the next inflater; once. It can't be used any more. */
    @Override
    public void close() {
        if (inflater != null) {
            ZlibPool.release(inflater);
            inflater = null;
        }
    }
}
