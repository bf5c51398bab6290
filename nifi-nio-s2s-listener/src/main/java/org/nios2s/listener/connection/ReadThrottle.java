// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * How much is read from a socket in one go: as much as the last reads filled, no more while it is our turn than tells
 * that the peer is still there, and nothing further once the connection has what it can use, or TLS takes it all for
 * itself, and no more than its peer's rate allows. Lives on its IO worker.
 */
final class ReadThrottle extends RecvByteBufAllocator.DelegatingHandle implements RecvByteBufAllocator.ExtendedHandle {
    private static final int MIN_BYTES = 256;
    private static final int FIRST_BYTES = 2_048;

    /** More than a TLS handshake or an incomplete record has, too. */
    private static final int MAX_BYTES = 64 * 1024;

    /** Reads in one go, so that a fast peer leaves its worker to others. */
    private static final int MAX_READS = 16;

    /** A record of a single byte is shorter: TLS 1.2 with CBC and SHA-384 makes 85 of it. */
    private static final long MAX_BYTES_FOR_ONE = 128;

    private final MessageSequenceHandler handler;
    private final QuickAck quickAck;
    private int reads;
    private long undecryptedBytes;
    private long lastReadNanos = System.nanoTime();
    private long bytesOfPeer;

    ReadThrottle(final MessageSequenceHandler handler, final QuickAck quickAck) {
        super(new AdaptiveRecvByteBufAllocator(MIN_BYTES, FIRST_BYTES, MAX_BYTES).newHandle());
        this.handler = handler;
        this.quickAck = quickAck;
    }

    @Override
    public int guess() {
        if (handler.readsMinimally()) {
            return MIN_BYTES;
        }
        return Math.min(super.guess(), handler.maxBytesAtOnce());
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
    public void lastBytesRead(final int bytes) {
        reads++;
        undecryptedBytes += bytes;
        bytesOfPeer += Math.max(0, bytes);
        quickAck.received(bytes);
        if (bytes > 0) {
            lastReadNanos = System.nanoTime();
        }
        super.lastBytesRead(bytes);
    }

    /** @return when the socket last had something, TLS included, as {@link System#nanoTime} */
    long lastReadNanos() {
        return lastReadNanos;
    }

    /** So many of the bytes have come out of TLS. */
    void decrypted(final int bytes) {
        undecryptedBytes = Math.max(0, undecryptedBytes - bytes * MAX_BYTES_FOR_ONE);
    }

    /** So many of the bytes came from a load balancer, and not from the peer. */
    void excludeProxyHeader(final int bytes) {
        bytesOfPeer -= bytes;
    }

    /** @return whether a byte has come from the peer, for us or for TLS */
    boolean hasReadFromPeer() {
        return bytesOfPeer > 0;
    }

    /** @return whether the peer keeps TLS busy, by renegotiations, new keys or empty records, and says nothing */
    boolean isTlsFlood() {
        return undecryptedBytes > MAX_BYTES;
    }

    @Override
    public boolean continueReading() {
        return continueReading(() -> lastBytesRead() == attemptedBytesRead());
    }

    @Override
    public boolean continueReading(final UncheckedBooleanSupplier maybeMoreData) {
        return reads < MAX_READS && maybeMoreData.get() && handler.wantsRead();
    }
}
