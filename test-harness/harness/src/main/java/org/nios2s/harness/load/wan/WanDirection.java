// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wan;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import jdk.net.ExtendedSocketOptions;

/**
 * One direction of a connection over the WAN: reads what its sender sends, and passes it on to the receiver when it arrives,
 * the end of the stream and a reset too. Lives on the proxy's event loop.
 *
 * <p>It reads no more than is on its way in a window of TCP: the rest waits in the sender's kernel, as it would without the
 * proxy. Bytes leave the window when the receiver's kernel has taken them.
 */
final class WanDirection extends ChannelInboundHandlerAdapter {

    /** What a segment does to the receiver. */
    private enum Kind {
        DATA,
        /** Nothing more comes. */
        END,
        /** The connection is no more. */
        RESET
    }

    private record Segment(long dueNanos, Kind kind, ByteBuf bytes) {}

    private final SocketChannel receiver;
    private final SegmentTimes times;
    private final long windowBytes;
    private final LongConsumer lateness;
    private final Queue<Segment> inFlight = new ArrayDeque<>();
    private SocketChannel sender;
    private long inFlightBytes;
    /** Bytes that the segment which is being filled still takes. */
    private int room;
    /** When it arrives. */
    private long dueNanos;

    /**
     * A direction to a receiver.
     *
     * @param lateness hears by how many nanoseconds each segment was passed on after its time
     */
    WanDirection(
            final SocketChannel receiver,
            final SegmentTimes times,
            final long windowBytes,
            final LongConsumer lateness) {
        this.receiver = receiver;
        this.times = times;
        this.windowBytes = windowBytes;
        this.lateness = lateness;
    }

    @Override
    public void handlerAdded(final ChannelHandlerContext context) {
        sender = (SocketChannel) context.channel();
        receiver.closeFuture().addListener(closed -> discard());
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        final ByteBuf bytes = (ByteBuf) message;
        final long nowNanos = System.nanoTime();
        int length = 0;
        while (length < bytes.readableBytes()) {
            if (room == 0) {
                final long nextNanos = times.arrivalNanos(nowNanos, bytes.readableBytes() - length);
                // Segments that arrive together are passed on together.
                if (length > 0 && nextNanos != dueNanos) {
                    send(Kind.DATA, bytes.readRetainedSlice(length));
                    length = 0;
                }
                dueNanos = nextNanos;
                room = SegmentTimes.SEGMENT_BYTES;
            }
            final int more = Math.min(room, bytes.readableBytes() - length);
            room -= more;
            length += more;
        }
        send(Kind.DATA, bytes);
        sender.config().setAutoRead(inFlightBytes < windowBytes);
    }

    @Override
    public void channelReadComplete(final ChannelHandlerContext context) {
        // What the sender sends next is a segment of its own.
        room = 0;
        // A delayed acknowledgement would be the proxy's: 40 ms for a sender without TCP_NODELAY.
        sender.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_QUICKACK), true);
    }

    @Override
    public void userEventTriggered(final ChannelHandlerContext context, final Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            sender.config().setAutoRead(false);
            dueNanos = times.arrivalNanos(System.nanoTime());
            send(Kind.END, Unpooled.EMPTY_BUFFER);
        }
    }

    /** After a reset, or when the sender's kernel refused what the other direction passed on. */
    @Override
    public void channelInactive(final ChannelHandlerContext context) {
        if (receiver.isActive()) {
            dueNanos = times.arrivalNanos(System.nanoTime());
            send(Kind.RESET, Unpooled.EMPTY_BUFFER);
        }
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        context.close();
    }

    private void send(final Kind kind, final ByteBuf bytes) {
        inFlightBytes += bytes.readableBytes();
        inFlight.add(new Segment(dueNanos, kind, bytes));
        if (inFlight.size() == 1) {
            awaitNext();
        }
    }

    private void awaitNext() {
        final long waitNanos = Math.max(0, inFlight.element().dueNanos() - System.nanoTime());
        sender.eventLoop().schedule(this::arrive, waitNanos, TimeUnit.NANOSECONDS);
    }

    private void arrive() {
        final long nowNanos = System.nanoTime();
        while (!inFlight.isEmpty() && inFlight.element().dueNanos() - nowNanos <= 0) {
            final Segment segment = inFlight.remove();
            lateness.accept(nowNanos - segment.dueNanos());
            passOn(segment);
        }
        receiver.flush();
        if (!inFlight.isEmpty()) {
            awaitNext();
        }
    }

    private void passOn(final Segment segment) {
        switch (segment.kind()) {
            case DATA -> {
                final int length = segment.bytes().readableBytes();
                receiver.write(segment.bytes()).addListener(written -> leftWindow(length));
            }
            // Not before the bytes ahead of it, which a shutdown would throw away.
            case END -> receiver.write(segment.bytes()).addListener(written -> endReceiver());
            default -> reset(receiver);
        }
    }

    private void leftWindow(final int length) {
        inFlightBytes -= length;
        if (inFlightBytes < windowBytes && !sender.isInputShutdown()) {
            sender.config().setAutoRead(true);
        }
    }

    private void endReceiver() {
        receiver.shutdownOutput().addListener(ended -> {
            if (sender.isOutputShutdown()) {
                sender.close();
                receiver.close();
            }
        });
    }

    /** Ends a connection as the loss of its peer does, not as a peer that has no more to say. */
    static void reset(final SocketChannel channel) {
        if (channel.isActive()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        }
        channel.close();
    }

    private void discard() {
        inFlight.forEach(segment -> segment.bytes().release());
        inFlight.clear();
    }
}
