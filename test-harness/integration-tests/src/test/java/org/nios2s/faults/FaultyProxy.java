// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.nios2s.integration.LoopbackProxy;
import org.nios2s.integration.LoopbackProxy.Direction;
import org.nios2s.integration.LoopbackProxy.Directions;

/**
 * Stands between peers and a listener and does harm to what passes, in both directions.
 * Its handlers live on one event loop; what it does may be changed on any thread.
 */
final class FaultyProxy implements AutoCloseable {
    private static final int DELAY_MILLIS = 50;
    private static final int BYTES_BETWEEN_FAULTS = 20_000;

    /** What is done to the bytes that pass. */
    enum Harm {
        NONE,
        /** The connection is cut somewhere. */
        CUT,
        /** From somewhere on nothing passes, and nobody is told. */
        STALL,
        /** Everything comes later. */
        DELAY,
        /** Half of what was read at once passes, then the connection is cut. */
        HALVE,
        /** A bit is turned somewhere. */
        FLIP_A_BIT,
        /** Every byte passes alone. */
        BYTE_BY_BYTE;

        /** @return whether clients fail by it */
        boolean isNoticed() {
            return this == CUT || this == STALL || this == HALVE || this == FLIP_A_BIT;
        }
    }

    private final Random random = new Random(1);
    private final LoopbackProxy proxy;
    private volatile Harm harm = Harm.NONE;

    FaultyProxy(final InetSocketAddress listener) {
        proxy = new LoopbackProxy(0, listener, () -> new Directions(new Passage(), new Passage()));
    }

    InetSocketAddress address() {
        return proxy.address();
    }

    /** From now on this is done. */
    void harm(final Harm next) {
        harm = next;
    }

    @Override
    public void close() {
        proxy.close();
    }

    /** One direction of a connection. Lives on the event loop. */
    private final class Passage extends Direction {
        private int left = 1 + random.nextInt(BYTES_BETWEEN_FAULTS);
        private boolean stalled;

        @Override
        protected void arrived(final ChannelHandlerContext context, final ByteBuf bytes) {
            left -= bytes.readableBytes();
            final boolean due = left <= 0;
            switch (harm) {
                case CUT -> {
                    if (due) {
                        bytes.release();
                        context.close();
                    } else {
                        pass(context, bytes);
                    }
                }
                case STALL -> {
                    stalled |= due;
                    if (stalled) {
                        bytes.release();
                    } else {
                        pass(context, bytes);
                    }
                }
                case DELAY ->
                    context.executor().schedule(() -> pass(context, bytes), DELAY_MILLIS, TimeUnit.MILLISECONDS);
                case HALVE -> {
                    if (due) {
                        pass(context, bytes.writerIndex(bytes.readerIndex() + bytes.readableBytes() / 2));
                        context.close();
                    } else {
                        pass(context, bytes);
                    }
                }
                case FLIP_A_BIT -> {
                    if (due) {
                        final int at = bytes.readerIndex() + random.nextInt(bytes.readableBytes());
                        bytes.setByte(at, bytes.getByte(at) ^ 1 << random.nextInt(Byte.SIZE));
                        left = 1 + random.nextInt(BYTES_BETWEEN_FAULTS);
                    }
                    pass(context, bytes);
                }
                case BYTE_BY_BYTE -> {
                    while (bytes.isReadable()) {
                        pass(context, bytes.readRetainedSlice(1));
                    }
                    bytes.release();
                }
                default -> pass(context, bytes);
            }
        }
    }
}
