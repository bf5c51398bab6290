// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.ByteToMessageDecoder;
import org.nios2s.listener.limits.Holder;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.limits.SharedResource.Part;

/**
 * The bytes of one connection that no step has taken yet, and the charge for all that the connection holds beside its
 * transaction. Lives on the connection's IO worker.
 */
final class UnreadBuffer {
    /** Exceeded only if the peer closes in the middle of a message: the kernel then delivers everything that it holds. */
    private static final int MAX_BYTES = 1024 * 1024;

    /** A buffer that is used to less than this part is exchanged for one of the right size. */
    private static final int SHRINK_FACTOR = 4;

    private final Grant charge;
    private ByteBuf unread = Unpooled.EMPTY_BUFFER;

    UnreadBuffer(final Part memory, final Holder connection) {
        this.charge = memory.open(connection);
    }

    /** Takes over bytes that have arrived. */
    void append(final ByteBufAllocator allocator, final ByteBuf bytes) {
        // Copies nothing if nothing is unread, which is the usual case.
        unread = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(allocator, unread, bytes);
    }

    /** @return the bytes, of which a step takes what it can */
    ByteBuf bytes() {
        return unread;
    }

    boolean isEmpty() {
        return !unread.isReadable();
    }

    boolean isOverfull() {
        return unread.readableBytes() > MAX_BYTES;
    }

    /** @return the bytes, which are now the caller's */
    ByteBuf takeAll() {
        final ByteBuf taken = unread;
        unread = Unpooled.EMPTY_BUFFER;
        return taken;
    }

    void clear() {
        takeAll().release();
    }

    /** Keeps the bytes in no larger a buffer than they need. */
    void shrink(final ByteBufAllocator allocator) {
        final int bytes = unread.readableBytes();
        if (bytes == 0) {
            clear();
        } else if (bytes < unread.capacity() / SHRINK_FACTOR) {
            final ByteBuf fitting = allocator.ioBuffer(bytes).writeBytes(unread);
            unread.release();
            unread = fitting;
        }
    }

    /** @param inAddition bytes that the connection holds beside these, and beside its transaction */
    void charge(final long inAddition) {
        charge.set(unread.capacity() + inAddition);
    }

    /** @return whether there is room for more than a step is certain to use */
    boolean hasRoomToGrow() {
        return charge.hasRoomToGrow();
    }

    /** The connection is gone. */
    void close() {
        charge.close();
    }
}
