// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import org.nios2s.listener.time.NanoClock;

/**
 * Bounds how much is read from a socket in one go. Lives on the connection's IO worker.
 *
 * <p>A read takes as much as the last reads filled, and no more than the peer's rate allows. While it is our turn, a read takes only
 * as much as tells that the peer is still there. Reading stops once the connection has what it can use, or once TLS takes all bytes
 * for itself.
 */
final class ReadThrottle extends RecvByteBufAllocator.DelegatingHandle implements RecvByteBufAllocator.ExtendedHandle {
    private static final int MIN_BYTES = 256;
    private static final int FIRST_BYTES = 2_048;

    /** Also more than a TLS handshake or an incomplete record takes. */
    private static final int MAX_BYTES = 64 * 1024;

    /** Reads in one go, so that a fast peer leaves its worker to others. */
    private static final int MAX_READS = 16;

    /** A record of a single byte is shorter: TLS 1.2 with CBC and SHA-384 makes 85 of it. */
    private static final long MAX_BYTES_FOR_ONE = 128;

    private static final int MAX_RECORD_BYTES = 16 * 1024;

    /** For new keys in answer to what was sent: more than the records that are on their way to a peer at once take. */
    private static final long MAX_BYTES_FOR_SENT = 1024 * 1024;

    private final ReadGate gate;
    private final QuickAck quickAck;
    private final NanoClock clock;
    private int reads;

    /** How much TLS may still take for itself. */
    private long bytesForTls = MAX_BYTES;

    private long lastReadNanos;
    private long bytesOfPeer;

    ReadThrottle(final ReadGate gate, final QuickAck quickAck, final NanoClock clock) {
        super(new AdaptiveRecvByteBufAllocator(MIN_BYTES, FIRST_BYTES, MAX_BYTES).newHandle());
        this.gate = gate;
        this.quickAck = quickAck;
        this.clock = clock;
        this.lastReadNanos = clock.nanoTime();
    }

    @Override
    public int guess() {
        if (gate.readsMinimally()) {
            return MIN_BYTES;
        }
        return Math.min(super.guess(), gate.maxBytesAtOnce());
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
        bytesForTls -= bytes;
        bytesOfPeer += Math.max(0, bytes);
        quickAck.received(bytes);
        if (bytes > 0) {
            lastReadNanos = clock.nanoTime();
        }
        super.lastBytesRead(bytes);
    }

    /** @return when the socket last had something, TLS included */
    long lastReadNanos() {
        return lastReadNanos;
    }

    /** So many of the bytes have come out of TLS. */
    void decrypted(final int bytes) {
        if (bytesForTls < MAX_BYTES) {
            bytesForTls = Math.min(MAX_BYTES, bytesForTls + bytes * MAX_BYTES_FOR_ONE);
        }
    }

    /**
     * So many bytes have gone to the peer. Java renews its keys by the bytes that it has received, and does so again with each
     * further record until it has our answer. That may be long after the last record was sent: megabytes lie in the socket's buffers.
     */
    void sent(final int bytes) {
        final long records = 1 + bytes / MAX_RECORD_BYTES;
        bytesForTls = Math.min(MAX_BYTES_FOR_SENT, bytesForTls + records * MAX_BYTES_FOR_ONE);
    }

    /** So many of the bytes came from a load balancer, and not from the peer. */
    void excludeProxyHeader(final int bytes) {
        bytesOfPeer -= bytes;
    }

    /** @return whether a byte has come from the peer, for us or for TLS */
    boolean hasReadFromPeer() {
        return bytesOfPeer > 0;
    }

    /** @return whether the peer keeps TLS busy, by renegotiations, new keys or empty records, and sends no data */
    boolean isTlsFlood() {
        return bytesForTls < 0;
    }

    @Override
    public boolean continueReading() {
        return continueReading(() -> lastBytesRead() == attemptedBytesRead());
    }

    @Override
    public boolean continueReading(final UncheckedBooleanSupplier maybeMoreData) {
        return reads < MAX_READS && maybeMoreData.get() && gate.wantsRead();
    }
}
