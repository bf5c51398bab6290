// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.BooleanSupplier;

/**
 * How much is read from a socket in one go: as much as the last reads filled, no more while it is our turn than tells
 * that the peer is still there, and nothing further once the connection has what it can use. Lives on its IO worker.
 */
final class PacedReads extends RecvByteBufAllocator.DelegatingHandle implements RecvByteBufAllocator.ExtendedHandle {
    private static final int LEAST_BYTES = 256;
    private static final int FIRST_BYTES = 2_048;
    private static final int MOST_BYTES = 64 * 1024;

    /** Reads in one go, so that a fast peer leaves its worker to others. */
    private static final int MOST_READS = 16;

    private final BooleanSupplier sparing;
    private final BooleanSupplier wantsMore;
    private int reads;

    /**
     * @param sparing whether little is to be read at once
     * @param wantsMore whether the connection has use for more than it has
     */
    PacedReads(final BooleanSupplier sparing, final BooleanSupplier wantsMore) {
        super(new AdaptiveRecvByteBufAllocator(LEAST_BYTES, FIRST_BYTES, MOST_BYTES).newHandle());
        this.sparing = sparing;
        this.wantsMore = wantsMore;
    }

    @Override
    public int guess() {
        return sparing.getAsBoolean() ? LEAST_BYTES : super.guess();
    }

    @Override
    public ByteBuf allocate(final ByteBufAllocator allocator) {
        return allocator.ioBuffer(guess());
    }

    @Override
    public void reset(final ChannelConfig config) {
        reads = 0;
        super.reset(config);
    }

    @Override
    public void incMessagesRead(final int messages) {
        reads += messages;
        super.incMessagesRead(messages);
    }

    @Override
    public boolean continueReading() {
        return continueReading(() -> lastBytesRead() == attemptedBytesRead());
    }

    @Override
    public boolean continueReading(final UncheckedBooleanSupplier maybeMoreData) {
        return reads < MOST_READS && maybeMoreData.get() && wantsMore.getAsBoolean();
    }
}
