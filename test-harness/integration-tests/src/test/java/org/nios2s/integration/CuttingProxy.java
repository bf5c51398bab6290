// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.integration.LoopbackProxy.Direction;
import org.nios2s.integration.LoopbackProxy.Directions;

/** Resets some connections behind the confirmation of a push, before its answer. For any thread. */
final class CuttingProxy implements AutoCloseable {
    private static final byte[] CONFIRM = ResponseCode.CONFIRM_TRANSACTION.getCodeSequence();
    /** The peer's confirmation, with an empty message. */
    private static final int CONFIRMATION_BYTES = CONFIRM.length + Short.BYTES;

    private static final int LONGEST_DELAY_MILLIS = 5;

    private final Random random = new Random(1);
    private final double part;
    private final AtomicInteger cuts = new AtomicInteger();
    private final LoopbackProxy proxy;

    /**
     * @param port on which it stands, on loopback
     * @param listenerPort to which it passes on
     * @param part of the pushes that are cut
     */
    CuttingProxy(final int port, final int listenerPort, final double part) {
        this.part = part;
        this.proxy = new LoopbackProxy(
                port, new InetSocketAddress(InetAddress.getLoopbackAddress(), listenerPort), () -> new Passage()
                        .directions());
    }

    /** @return connections that were cut */
    int cuts() {
        return cuts.get();
    }

    @Override
    public void close() {
        proxy.close();
    }

    /** A connection of a peer and the one to the listener. Lives on the event loop. */
    private final class Passage {
        private int matched;
        private int confirmationLeft;
        private boolean cut;

        Directions directions() {
            return new Directions(new Asks(), new Answers());
        }

        private final class Answers extends Direction {
            @Override
            protected void arrived(final ChannelHandlerContext context, final ByteBuf bytes) {
                for (int i = bytes.readerIndex(); i < bytes.writerIndex(); i++) {
                    match(bytes.getByte(i));
                }
                if (cut) {
                    bytes.release();
                } else {
                    pass(context, bytes);
                }
            }

            private void match(final byte next) {
                if (next == CONFIRM[matched]) {
                    matched++;
                } else {
                    matched = next == CONFIRM[0] ? 1 : 0;
                }
                if (matched == CONFIRM.length) {
                    matched = 0;
                    confirmationLeft = CONFIRMATION_BYTES;
                }
            }
        }

        private final class Asks extends Direction {
            @Override
            protected void arrived(final ChannelHandlerContext context, final ByteBuf bytes) {
                if (confirmationLeft > 0) {
                    confirmationLeft -= bytes.readableBytes();
                    if (confirmationLeft <= 0 && random.nextDouble() < part) {
                        cut(context);
                    }
                }
                pass(context, bytes);
            }

            /** As soon as the confirmation has left, or somewhat later: before the commit, in it, or behind it. */
            private void cut(final ChannelHandlerContext context) {
                cut = true;
                cuts.incrementAndGet();
                context.executor()
                        .schedule(
                                () -> reset(context),
                                1 + random.nextInt(LONGEST_DELAY_MILLIS * 1_000),
                                TimeUnit.MICROSECONDS);
            }
        }
    }
}
