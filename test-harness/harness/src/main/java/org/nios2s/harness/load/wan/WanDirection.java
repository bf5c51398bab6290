// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wan;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.CoalescingBufferQueue;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.OptionalLong;
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
    private final Segmenter segmenter;
    private final long windowBytes;
    private final LongConsumer lateness;
    private final Queue<Segment> inFlight = new ArrayDeque<>();
    private SocketChannel sender;
    /** What was read and is not yet in flight. */
    private CoalescingBufferQueue unsent;

    private long inFlightBytes;
    private boolean awaitsAcknowledgement;

    /**
     * A direction to a receiver.
     *
     * @param segmenter cuts and times what the sender sends
     * @param lateness  hears by how many nanoseconds each segment was passed on after its time
     */
    WanDirection(
            final SocketChannel receiver,
            final Segmenter segmenter,
            final long windowBytes,
            final LongConsumer lateness) {
        this.receiver = receiver;
        this.segmenter = segmenter;
        this.windowBytes = windowBytes;
        this.lateness = lateness;
    }

    @Override
    public void handlerAdded(final ChannelHandlerContext context) {
        sender = (SocketChannel) context.channel();
        unsent = new CoalescingBufferQueue(sender);
        receiver.closeFuture().addListener(closed -> discard());
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        final ByteBuf bytes = (ByteBuf) message;
        if (!receiver.isOpen()) {
            bytes.release();
            return;
        }
        final int length = bytes.readableBytes();
        unsent.add(bytes);
        segmenter.write(length, System.nanoTime(), this::send);
        awaitAcknowledgement();
        sender.config().setAutoRead(inFlightBytes < windowBytes);
    }

    /** A part of a segment that the sender holds back goes when the one before has been acknowledged. */
    private void awaitAcknowledgement() {
        final OptionalLong held = segmenter.heldUntilNanos();
        if (held.isPresent() && !awaitsAcknowledgement) {
            awaitsAcknowledgement = true;
            final long waitNanos = Math.max(0, held.getAsLong() - System.nanoTime());
            sender.eventLoop().schedule(this::acknowledge, waitNanos, TimeUnit.NANOSECONDS);
        }
    }

    private void acknowledge() {
        awaitsAcknowledgement = false;
        if (receiver.isOpen()) {
            segmenter.acknowledge(System.nanoTime(), this::send);
            awaitAcknowledgement();
        }
    }

    @Override
    public void channelReadComplete(final ChannelHandlerContext context) {
        // A delayed acknowledgement would be the proxy's: 40 ms for a sender without TCP_NODELAY.
        sender.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_QUICKACK), true);
    }

    @Override
    public void userEventTriggered(final ChannelHandlerContext context, final Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            sender.config().setAutoRead(false);
            final long nowNanos = System.nanoTime();
            segmenter.end(nowNanos, this::send);
            put(new Segment(segmenter.arrivalNanos(nowNanos), Kind.END, Unpooled.EMPTY_BUFFER));
        }
    }

    /** After a reset, or when the sender's kernel refused what the other direction passed on. */
    @Override
    public void channelInactive(final ChannelHandlerContext context) {
        if (receiver.isActive()) {
            put(new Segment(segmenter.arrivalNanos(System.nanoTime()), Kind.RESET, Unpooled.EMPTY_BUFFER));
        }
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        context.close();
    }

    private void send(final int length, final long dueNanos) {
        put(new Segment(dueNanos, Kind.DATA, unsent.remove(length, sender.newPromise())));
    }

    private void put(final Segment segment) {
        inFlightBytes += segment.bytes().readableBytes();
        inFlight.add(segment);
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
        unsent.releaseAndFailAll(new ClosedChannelException());
    }
}
