// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.zip.CRC32;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.flowfile.attributes.CoreAttributes;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.remote.protocol.HandshakeProperties;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;
import org.nios2s.wire.Checksum;
import org.nios2s.wire.ChunkDeflater;
import org.nios2s.wire.PacketEncoder;
import org.nios2s.wire.ResponseCode;
import org.nios2s.wire.ResponseMessage;

/**
 * Encodes the packets of a pull transaction: takes FlowFiles from a session and turns them into bytes, a piece at a time, as fast
 * as the peer takes them. Lives on one thread at a time: first the port task that hands out the session,
 * then content workers; it reads files and never waits for the network.
 *
 * <p>The batch ends as in NiFi's {@code AbstractFlowFileServerProtocol}: at the first of the peer's limits of count, bytes
 * and duration, after five seconds if it named none, or with the last FlowFile of the queue.
 */
public final class PullEncoder implements AutoCloseable {
    private static final long DEFAULT_BATCH_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How many steps of a content are read in one go. */
    private static final int MAX_STEPS = 4;

    /** A response without a text. */
    private static final int RESPONSE_BYTES = 3;

    /** First capacity of a piece, which grows to the size that was asked for. */
    private static final int INITIAL_PIECE_BYTES = 1024;

    private final TransactionPeer peer;
    private final ProcessSession session;
    private final HandshakeProperties handshake;
    private final ByteBufAllocator allocator;
    private final CRC32 checksum = new CRC32();
    private final NanoClock clock;
    private final long startNanos;

    private final boolean compressed;

    /** While packets are made, if they are compressed. */
    private ChunkDeflater deflater;

    private FlowFile flowFile;
    private InputStream content;
    private long contentLeft;
    private long packetStartNanos;
    private Progress progress = Progress.NOT_STARTED;
    private int flowFilesSent;
    private long bytesSent;

    /** How much of the batch has been made. */
    private enum Progress {
        NOT_STARTED,
        STARTED,
        COMPLETE
    }

    public PullEncoder(
            final HeldSession held,
            final HandshakeProperties handshake,
            final ByteBufAllocator allocator,
            final NanoClock clock) {
        this.peer = held.peer();
        this.session = held.session();
        this.handshake = handshake;
        this.allocator = allocator;
        this.clock = clock;
        this.startNanos = clock.nanoTime();
        this.compressed = handshake.isUseGzip();
    }

    /** @return bytes that it takes to make packets, beside the packets */
    public static long deflaterBytes(final HandshakeProperties handshake) {
        if (handshake.isUseGzip()) {
            return ChunkDeflater.MEMORY_BYTES;
        }
        return 0;
    }

    /** @return whether there is something to send */
    public boolean begin() {
        flowFile = session.get();
        return flowFile != null;
    }

    /** Makes the next piece of the conversation, of about so many bytes, from MORE_DATA to FINISH_TRANSACTION. */
    public PullPiece nextPiece(final int mostBytes) throws IOException {
        final ByteBuf bytes = allocator.directBuffer(Math.min(mostBytes, INITIAL_PIECE_BYTES));
        final PullPiece piece = new PullPiece(bytes, peer.maxWriteBytes());
        try {
            if (progress == Progress.NOT_STARTED) {
                progress = Progress.STARTED;
                writeResponse(piece, ResponseCode.MORE_DATA);
            }
            while (progress != Progress.COMPLETE && !isFull(piece, mostBytes)) {
                if (content == null) {
                    beginPacket(piece);
                } else if (contentLeft > 0) {
                    continuePacket(piece, mostBytes - piece.readableBytes());
                } else {
                    endPacket(piece);
                }
            }
            piece.complete();
            return piece;
        } catch (final Throwable e) {
            piece.release();
            throw e;
        }
    }

    /** A piece ends only where a write may end, which is not within a small packet. */
    private boolean isFull(final PullPiece piece, final int mostBytes) {
        final int next = nextBytes();
        return mostBytes - piece.readableBytes() < next && piece.endsBefore(next);
    }

    /** @return what is written next in one go; of a packet that has not begun, as much as it may be if it is small */
    private int nextBytes() {
        if (content == null) {
            return PullPiece.STOCK_BUFFER_BYTES;
        }
        if (contentLeft == 0) {
            return RESPONSE_BYTES;
        }
        return (int) Math.min(contentLeft, PullPiece.STOCK_BUFFER_BYTES);
    }

    private static void writeResponse(final PullPiece piece, final ResponseCode code) {
        ResponseMessage.write(piece.bytes(), code);
        piece.wrote(RESPONSE_BYTES);
        piece.flushed();
    }

    private void beginPacket(final PullPiece piece) throws IOException {
        packetStartNanos = clock.nanoTime();
        if (compressed && deflater == null) {
            deflater = new ChunkDeflater();
        }
        contentLeft = flowFile.getSize();
        if (contentLeft == 0) {
            content = InputStream.nullInputStream();
        } else {
            content = session.read(flowFile);
        }
        write(
                piece,
                (plain, written) ->
                        PacketEncoder.writeHeader(plain, flowFile.getAttributes(), flowFile.getSize(), written));
    }

    /** Reads a part of the content, of whole steps unless it is the last. */
    private void continuePacket(final PullPiece piece, final int room) throws IOException {
        final int steps = Math.clamp(room / PullPiece.STOCK_BUFFER_BYTES, 1, MAX_STEPS);
        final int wanted = (int) Math.min(contentLeft, steps * PullPiece.STOCK_BUFFER_BYTES);
        if (deflater == null) {
            // At once: a buffer that grows step by step is copied as often.
            piece.bytes().ensureWritable((int) Math.min(contentLeft, Math.max(room, wanted)));
        }
        write(piece, (plain, written) -> {
            readContent(plain, wanted);
            for (int left = wanted; left > 0; left -= PullPiece.STOCK_BUFFER_BYTES) {
                written.accept(Math.min(left, PullPiece.STOCK_BUFFER_BYTES));
            }
        });
    }

    private void readContent(final ByteBuf plain, final int wanted) throws IOException {
        for (int left = wanted; left > 0; ) {
            final int read = plain.writeBytes(content, left);
            if (read < 0) {
                throw new EOFException("The content of " + flowFile + " ends " + contentLeft + " bytes early");
            }
            left -= read;
            contentLeft -= read;
        }
    }

    /** Plain bytes of a packet, and what may go wrong with them. */
    private interface PlainBytes {
        /** @param written is told of the bytes that the stock listener writes at once */
        void writeTo(ByteBuf plain, IntConsumer written) throws IOException;
    }

    private void write(final PullPiece piece, final PlainBytes source) throws IOException {
        if (deflater == null) {
            writePlain(piece.bytes(), source, piece::wrote);
            return;
        }
        final ByteBuf plain = allocator.directBuffer();
        try {
            writePlain(plain, source, bytes -> {});
            deflater.deflate(plain, piece.bytes(), piece::wrote);
        } finally {
            plain.release();
        }
    }

    private void writePlain(final ByteBuf plain, final PlainBytes source, final IntConsumer written)
            throws IOException {
        final int from = plain.writerIndex();
        source.writeTo(plain, written);
        Checksum.update(checksum, plain, from, plain.writerIndex() - from);
    }

    private void endPacket(final PullPiece piece) throws IOException {
        if (deflater != null) {
            deflater.endPacket(piece.bytes(), piece::wrote);
            piece.flushed();
        }
        content.close();
        content = null;
        session.getProvenanceReporter()
                .send(
                        flowFile,
                        peer.transitUri(flowFile.getAttribute(CoreAttributes.UUID.key())),
                        FlowFileReceiver.detailsOf(peer),
                        TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - packetStartNanos),
                        false);
        flowFilesSent++;
        bytesSent += flowFile.getSize();
        session.remove(flowFile);
        flowFile = null;
        if (!isBatchFull()) {
            flowFile = session.get();
        }
        if (flowFile == null) {
            progress = Progress.COMPLETE;
            closeDeflater();
            writeResponse(piece, ResponseCode.FINISH_TRANSACTION);
        } else {
            writeResponse(piece, ResponseCode.CONTINUE_TRANSACTION);
        }
    }

    private boolean isBatchFull() {
        final long elapsedNanos = clock.nanoTime() - startNanos;
        final long batchNanos = handshake.getBatchDurationNanos();
        final long batchBytes = handshake.getBatchBytes();
        final int batchCount = handshake.getBatchCount();
        if (batchNanos == 0 && batchBytes == 0 && batchCount == 0) {
            return elapsedNanos >= DEFAULT_BATCH_NANOS;
        }
        return batchNanos > 0 && elapsedNanos >= batchNanos
                || batchBytes > 0 && bytesSent >= batchBytes
                || batchCount > 0 && flowFilesSent >= batchCount;
    }

    /** @return whether the last piece has been made */
    public boolean isComplete() {
        return progress == Progress.COMPLETE;
    }

    /** @return the CRC32 of all packets, as the wire has it; final when complete */
    public String checksum() {
        return String.valueOf(checksum.getValue());
    }

    /** @return when it began, as {@link System#nanoTime} */
    public long startNanos() {
        return startNanos;
    }

    public int flowFilesSent() {
        return flowFilesSent;
    }

    public long bytesSent() {
        return bytesSent;
    }

    /**
     * Gives back what making the packets took; the session is its holder's to end, after this: NiFi complains of contents that
     * are still being read.
     */
    @Override
    public void close() {
        closeDeflater();
        if (content != null) {
            Guarded.run("Closing the content of a FlowFile that was not sent", content::close);
            content = null;
        }
    }

    private void closeDeflater() {
        if (deflater != null) {
            deflater.close();
            deflater = null;
        }
    }
}
