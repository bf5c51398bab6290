// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import io.netty.buffer.ByteBuf;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.nios2s.client.ReceivedPacket;
import org.nios2s.client.internal.connection.Failures;

/**
 * Leads pulled packets from the IO worker, which must not block, to the thread that receives them, which may. The IO
 * worker writes; one other thread reads. When more than {@value #FULL_BYTES} bytes are on their way the queue is full
 * until half of them are gone; attributes and what holds an item count too.
 */
public final class PacketQueue {
    private static final int FULL_BYTES = 65_536;

    /** The cost of a packet's beginning, a piece or an end beside its bytes. */
    private static final int ITEM_BYTES = 64;

    /** An entry of the queue: a packet's begin, a piece of its content, or its end. */
    private sealed interface Item {
        /** @return what it takes */
        int bytes();
    }

    private record Begin(Map<String, String> attributes, long size, int bytes) implements Item {}

    private record Piece(ByteBuf content, int bytes) implements Item {}

    private record End(int bytes) implements Item {}

    private final Runnable roomAgain;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Item> items = new ArrayDeque<>();
    private int held;
    private boolean full;
    /** Whether the receiver has something in its hands. */
    private boolean taken;

    private boolean finished;
    private boolean abandoned;
    private IOException failure;
    /** These two belong to the thread that reads. */
    private long patience = Long.MAX_VALUE;

    private ContentStream inHand;

    /** @param roomAgain told by the thread that reads when the queue is no longer full */
    public PacketQueue(final Runnable roomAgain) {
        this.roomAgain = roomAgain;
    }

    /** @param attributeBytes what the attributes take */
    public void begin(final Map<String, String> attributes, final long size, final int attributeBytes) {
        add(new Begin(attributes, size, attributeBytes + ITEM_BYTES));
    }

    /** Takes the bytes over. */
    public void content(final ByteBuf bytes) {
        add(new Piece(bytes, bytes.readableBytes() + ITEM_BYTES));
    }

    public void endPacket() {
        add(new End(ITEM_BYTES));
    }

    /** @return whether no more is to be written for now; {@code roomAgain} says when that changes */
    public boolean isFull() {
        lock.lock();
        try {
            return full;
        } finally {
            lock.unlock();
        }
    }

    /** @return what waits for the receiver */
    public int heldBytes() {
        lock.lock();
        try {
            return held;
        } finally {
            lock.unlock();
        }
    }

    /** @return whether the receiver has taken everything */
    boolean isEmpty() {
        lock.lock();
        try {
            return items.isEmpty() && !taken;
        } finally {
            lock.unlock();
        }
    }

    private void add(final Item item) {
        lock.lock();
        try {
            if (abandoned || failure != null) {
                release(item);
                return;
            }
            items.add(item);
            held += item.bytes();
            full |= held > FULL_BYTES;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static void release(final Item item) {
        if (item instanceof Piece piece) {
            piece.content().release();
        }
    }

    /** No packet follows. */
    public void finish() {
        lock.lock();
        try {
            finished = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The reader gets the failure. */
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
        items.forEach(PacketQueue::release);
        items.clear();
        held = 0;
        full = false;
    }

    /**
     * Waits for the next packet; what is unread of the one before is skipped.
     *
     * @return null if there is none
     * @throws IOException if the transaction failed
     */
    public ReceivedPacket next() throws IOException {
        return next(Long.MAX_VALUE);
    }

    /** @param patienceMillis the longest time that nothing arrives, here and in the packet's content */
    public ReceivedPacket next(final long patienceMillis) throws IOException {
        patience = patienceMillis;
        leave();
        while (true) {
            final Item item = take();
            if (item == null) {
                return null;
            }
            if (item instanceof Begin begin) {
                inHand = new ContentStream(begin.size());
                return new ReceivedPacket(begin.attributes(), begin.size(), inHand);
            }
            release(item);
        }
    }

    /** The packet in hand is over: its content can't be read any more. On the thread that reads. */
    void leave() {
        if (inHand != null) {
            inHand.leave();
            inHand = null;
        }
    }

    private Item take() throws IOException {
        boolean room = false;
        final Item item;
        lock.lock();
        try {
            taken = false;
            long left = TimeUnit.MILLISECONDS.toNanos(patience);
            while (items.isEmpty() && failure == null && !finished) {
                if (left <= 0) {
                    throw new SocketTimeoutException("Nothing arrived for " + patience + " ms");
                }
                left = changed.awaitNanos(left);
            }
            if (failure != null) {
                throw failure;
            }
            item = items.poll();
            taken = item != null;
            held -= item == null ? 0 : item.bytes();
            if (full && held <= FULL_BYTES / 2) {
                full = false;
                room = true;
            }
        } catch (final InterruptedException e) {
            throw Failures.interrupted("receiving", e);
        } finally {
            lock.unlock();
        }
        if (room) {
            roomAgain.run();
        }
        return item;
    }

    /**
     * One packet's content. Lives on the thread that reads the queue. What follows in the queue is its own only until the next
     * packet is asked for.
     */
    private final class ContentStream extends InputStream {
        private static final int BYTE_MASK = 0xFF;
        private static final byte[] NOTHING = new byte[0];

        private final long size;
        private long left;
        private byte[] piece = NOTHING;
        private int position;
        private boolean over;

        ContentStream(final long size) {
            this.size = size;
            this.left = size;
        }

        void leave() {
            over = true;
            piece = NOTHING;
            position = 0;
        }

        @Override
        public int read() throws IOException {
            if (!fill()) {
                return -1;
            }
            left--;
            return piece[position++] & BYTE_MASK;
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
            left -= read;
            return read;
        }

        /** @return whether there is a byte to read */
        private boolean fill() throws IOException {
            if (left == 0) {
                return false;
            }
            if (over) {
                throw new IOException("The last " + left + " bytes of this content were left unread and are gone: read"
                        + " them before hasNext() or next() asks for another packet, and before the batch is over");
            }
            while (position == piece.length) {
                if (!(take() instanceof Piece next)) {
                    throw new EOFException("The content ends after " + (size - left) + " of " + size + " bytes");
                }
                piece = new byte[next.content().readableBytes()];
                next.content().readBytes(piece);
                next.content().release();
                position = 0;
            }
            return true;
        }

        @Override
        public int available() {
            return piece.length - position;
        }
    }
}
