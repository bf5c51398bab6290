// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import io.netty.buffer.ByteBuf;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.nios2s.client.Packet;
import org.nios2s.client.internal.connection.ClientConnection;
import org.nios2s.client.internal.connection.NewerJava;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the content of one packet from its file or stream, piece by piece, no faster than the connection takes it. Lives
 * on a virtual thread of its own, which may block; {@link #writable} and {@link #stop} come from the IO worker.
 */
final class ContentPump implements Runnable {
    /** What is told of the content, on the IO worker. */
    interface Target {
        /**
         * Takes a piece of the content, and releases it.
         *
         * @return whether there is room for another; if not, the pump is told later
         */
        boolean content(ByteBuf piece);

        /** All of the content has been read. */
        void contentEnds();

        /** The content can't be read to its declared end. */
        void contentFailed(Throwable cause);
    }

    private static final Logger logger = LoggerFactory.getLogger(ContentPump.class);

    private static final int PIECE_BYTES = 65_536;

    private final Packet packet;
    private final PacketContent content;
    private final ClientConnection connection;
    private final Target target;
    private final Semaphore room = new Semaphore(0);
    private final Thread thread;
    /** A stream that can be read once; null before {@link #start}, and for content that the pump opens. */
    private InputStream once;

    /** Written by the IO worker, read by the pump. */
    private volatile boolean stopped;
    /** Belongs to the IO worker: whether the pump waits for room. */
    private boolean waitingForRoom;

    ContentPump(final Packet packet, final ClientConnection connection, final Target target) {
        this.packet = packet;
        this.content = PacketContent.of(packet);
        this.connection = connection;
        this.target = target;
        this.thread = NewerJava.thread("s2s-content-of-" + connection.port().peer(), this);
    }

    void start() {
        if (!content.endsWithItsSource()) {
            try {
                // Taken here, where nothing can fail the attempt meanwhile: the call that asks then whether the packet
                // can be
                // sent again sees that its stream is taken.
                once = content.open();
            } catch (final IOException e) {
                fail(e);
                return;
            }
        }
        thread.start();
    }

    /** @return whether it waits for the connection rather than for the content */
    boolean isWaitingForRoom() {
        return waitingForRoom;
    }

    /** The connection takes bytes again. */
    void writable() {
        if (waitingForRoom) {
            waitingForRoom = false;
            room.release();
        }
    }

    /** Nobody wants the rest. */
    void stop() {
        stopped = true;
        thread.interrupt();
    }

    @Override
    public void run() {
        boolean over = false;
        try (InputStream in = once == null ? content.open() : once) {
            pump(in);
            connection.worker().execute(target::contentEnds);
            over = true;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            fail(e);
        } catch (final Throwable e) {
            if (over) {
                // All bytes are handed over, and another packet may be under way: it is not the one to fail.
                logger.warn("The content of a packet to {} was sent, but can't be closed", peer(), e);
            } else {
                fail(e);
            }
        }
    }

    private String peer() {
        return connection.port().peer();
    }

    private void fail(final Throwable cause) {
        if (stopped) {
            return;
        }
        try {
            connection.execute(() -> target.contentFailed(cause));
        } catch (final RejectedExecutionException e) {
            // The client is closed, and what ended with it has said so.
            logger.debug("The content of a packet to {} failed", peer(), cause);
        }
    }

    private void pump(final InputStream in) throws IOException, InterruptedException {
        long left = packet.size();
        while (left > 0 && !stopped) {
            final ByteBuf piece = connection.channel().alloc().heapBuffer((int) Math.min(left, PIECE_BYTES));
            boolean filled = false;
            try {
                left -= fill(piece, in, left);
                if (left == 0) {
                    checkEnd(in);
                }
                filled = true;
            } finally {
                if (!filled) {
                    piece.release();
                }
            }
            hand(piece);
            room.acquire();
        }
        if (packet.size() == 0) {
            checkEnd(in);
        }
    }

    /** A small content is read as a whole before its packet's header is written: if it fails, the packet can be left out. */
    private int fill(final ByteBuf piece, final InputStream in, final long left) throws IOException {
        final int length = piece.writableBytes();
        int filled = 0;
        do {
            final int read = piece.writeBytes(in, length - filled);
            if (read < 0) {
                throw new EOFException(
                        "it ends " + (left - filled) + " bytes before its declared length of " + packet.size());
            }
            filled += read;
        } while (filled < length && packet.size() <= PIECE_BYTES && !stopped);
        return filled;
    }

    private void checkEnd(final InputStream in) throws IOException {
        if (!stopped && content.endsWithItsSource() && in.read() >= 0) {
            throw new IOException("it continues beyond its declared length of " + packet.size());
        }
    }

    private void hand(final ByteBuf piece) {
        try {
            connection.worker().execute(() -> {
                if (target.content(piece)) {
                    room.release();
                } else {
                    waitingForRoom = true;
                }
            });
        } catch (final RejectedExecutionException e) {
            piece.release();
            throw e;
        }
    }
}
