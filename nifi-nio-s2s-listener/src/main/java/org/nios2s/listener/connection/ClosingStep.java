// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.time.NanoClock;

/**
 * The conversation is over: what still arrives is dropped until the peer leaves too, for a short while. Lives on the
 * connection's IO worker.
 */
public final class ClosingStep implements Step {
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long MAX_DROPPED_BYTES = 64 * 1024;

    private final Channel channel;
    private final long startNanos;
    private long droppedBytes;

    ClosingStep(final Channel channel, final NanoClock clock) {
        this.channel = channel;
        this.startNanos = clock.nanoTime();
    }

    @Override
    public Step begin() {
        // Behind the answers that have not left yet. checkDeadline bounds the time that the peer may take to read them.
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(flushed -> shutdownOutput());
        return this;
    }

    /**
     * Closes our side, and the connection when the peer has closed its side or has taken too long. A plain close would reset the
     * connection under an answer that the peer has yet to read.
     */
    private void shutdownOutput() {
        // TLS has no half of a connection: its close_notify ends both sides.
        if (channel.pipeline().get(SslHandler.class) == null
                && channel instanceof final DuplexChannel duplex
                && !duplex.isInputShutdown()) {
            duplex.shutdownOutput();
        } else {
            channel.close();
        }
    }

    @Override
    public Step receive(final ByteBuf in) {
        droppedBytes += in.readableBytes();
        in.skipBytes(in.readableBytes());
        if (droppedBytes > MAX_DROPPED_BYTES) {
            channel.close();
        }
        return this;
    }

    @Override
    public EndOfInput endOfInput() {
        return EndOfInput.CLOSE;
    }

    /** The peer has closed its side, too: nothing keeps us but the answers that have not left yet. */
    void closeWhenFlushed() {
        if (channel.isActive()) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public boolean isEvictable() {
        return false;
    }

    @Override
    public void checkDeadline(final long nowNanos) {
        if (nowNanos - startNanos > MAX_NANOS) {
            channel.close();
        }
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.NONE;
    }
}
