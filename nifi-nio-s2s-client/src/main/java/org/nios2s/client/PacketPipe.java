// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Leads pulled packets from the IO worker, which must not block, to the thread that receives them, which may. The IO
 * worker writes; one other thread reads. When more than {@value #FULL_BYTES} bytes are on their way the connection is
 * not read until half of them are gone.
 */
final class PacketPipe {
    private static final int FULL_BYTES = 65_536;

    /** Reads from the connection or stops doing so. Any thread. */
    interface Valve {
        void open(boolean open);
    }

    /** What travels: a packet's begin, a piece of its content, or its end. */
    private sealed interface Item {}

    private record Begin(Map<String, String> attributes, long size) implements Item {}

    private record Piece(ByteBuf bytes) implements Item {}

    private record End() implements Item {}

    private final Valve valve;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Item> items = new ArrayDeque<>();
    private int held;
    private boolean valveClosed;
    private boolean finished;
    private boolean abandoned;
    private IOException failure;
    /** Belongs to the thread that reads. */
    private long patience = Long.MAX_VALUE;

    PacketPipe(final Valve valve) {
        this.valve = valve;
    }

    void begin(final Map<String, String> attributes, final long size) {
        add(new Begin(attributes, size), 0);
    }

    /** Takes the bytes over. */
    void content(final ByteBuf bytes) {
        add(new Piece(bytes), bytes.readableBytes());
    }

    void endPacket() {
        add(new End(), 0);
    }

    private void add(final Item item, final int bytes) {
        boolean close = false;
        lock.lock();
        try {
            if (abandoned || failure != null) {
                release(item);
                return;
            }
            items.add(item);
            held += bytes;
            if (held > FULL_BYTES && !valveClosed) {
                valveClosed = true;
                close = true;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (close) {
            valve.open(false);
        }
    }

    private static void release(final Item item) {
        if (item instanceof Piece piece) {
            piece.bytes().release();
        }
    }

    /** No packet follows. */
    void finish() {
        lock.lock();
        try {
            finished = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whoever reads gets the failure. */
    void fail(final IOException cause) {
        lock.lock();
        try {
            failure = cause;
            releaseAll();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Nobody reads any more. */
    void abandon() {
        lock.lock();
        try {
            abandoned = true;
            releaseAll();
        } finally {
            lock.unlock();
        }
    }

    private void releaseAll() {
        items.forEach(PacketPipe::release);
        items.clear();
        held = 0;
    }

    /**
     * Waits for the next packet; what is unread of the one before is skipped.
     *
     * @return null if there is none
     * @throws IOException if the transaction failed
     */
    ReceivedPacket next() throws IOException {
        return next(Long.MAX_VALUE);
    }

    /** @param patienceMillis the longest time that nothing arrives, here and in the packet's content */
    ReceivedPacket next(final long patienceMillis) throws IOException {
        patience = patienceMillis;
        while (true) {
            final Item item = take();
            if (item == null) {
                return null;
            }
            if (item instanceof Begin begin) {
                return new ReceivedPacket(begin.attributes(), begin.size(), new ContentStream());
            }
            release(item);
        }
    }

    private Item take() throws IOException {
        boolean open = false;
        final Item item;
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(patience);
            while (items.isEmpty() && failure == null && !finished) {
                if (left <= 0) {
                    throw new SocketTimeoutException("Nothing arrived for " + patience + " ms");
                }
                left = changed.awaitNanos(left);
            }
            if (failure != null) {
                throw new IOException(failure.getMessage(), failure);
            }
            item = items.poll();
            if (item instanceof Piece piece) {
                held -= piece.bytes().readableBytes();
            }
            if (valveClosed && held <= FULL_BYTES / 2) {
                valveClosed = false;
                open = true;
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            final InterruptedIOException interrupted = new InterruptedIOException("Interrupted while receiving");
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            lock.unlock();
        }
        if (open) {
            valve.open(true);
        }
        return item;
    }

    /** One packet's content. Lives on the thread that reads the pipe. */
    private final class ContentStream extends InputStream {
        private static final int BYTE_MASK = 0xFF;
        private byte[] piece = new byte[0];
        private int position;
        private boolean ended;

        @Override
        public int read() throws IOException {
            return fill() ? piece[position++] & BYTE_MASK : -1;
        }

        @Override
        public int read(final byte[] target, final int offset, final int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (!fill()) {
                return -1;
            }
            final int read = Math.min(length, piece.length - position);
            System.arraycopy(piece, position, target, offset, read);
            position += read;
            return read;
        }

        private boolean fill() throws IOException {
            while (!ended && position == piece.length) {
                final Item item = take();
                if (item instanceof Piece next) {
                    piece = new byte[next.bytes().readableBytes()];
                    next.bytes().readBytes(piece);
                    next.bytes().release();
                    position = 0;
                } else {
                    ended = true;
                }
            }
            return !ended;
        }

        @Override
        public int available() {
            return piece.length - position;
        }
    }
}
