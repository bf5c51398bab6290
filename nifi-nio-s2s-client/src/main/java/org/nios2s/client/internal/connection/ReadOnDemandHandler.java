// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;

/**
 * Keeps what arrives on a channel until its user takes it, and reads the channel only while the user wants more: otherwise
 * the peer has to wait. Lives on the channel's IO worker.
 *
 * <p>Netty's {@code ByteToMessageDecoder} asks for more by itself whenever nothing was passed on, so what it feeds can
 * never pause. Here AUTO_READ is off, one read is asked for at a time, and at most what one read brought lies here
 * beside a message's beginning.
 */
public abstract class ReadOnDemandHandler extends ChannelInboundHandlerAdapter {
    private ChannelHandlerContext context;
    private ByteBuf arrived = Unpooled.EMPTY_BUFFER;
    private boolean readPending;
    private boolean taking;
    private boolean gone;

    /** @return whether bytes can be taken now; after a no, {@link #resume} tells that they can be again */
    protected abstract boolean wantsBytes();

    /** Takes what it can of the bytes; what is left comes again with those that arrive next. */
    protected abstract void take(ByteBuf in) throws Exception;

    /** Bytes are wanted again, or may be: takes those that are here, if there are any, and reads on. */
    protected final void resume() throws Exception {
        takeArrived(true);
        readIfWanted();
    }

    @Override
    public void handlerAdded(final ChannelHandlerContext added) {
        context = added;
        context.channel().config().setAutoRead(false);
        if (context.channel().isActive()) {
            readIfWanted();
        }
    }

    @Override
    public void channelActive(final ChannelHandlerContext active) throws Exception {
        super.channelActive(active);
        readIfWanted();
    }

    @Override
    public void channelRead(final ChannelHandlerContext read, final Object message) throws Exception {
        if (!(message instanceof final ByteBuf bytes)) {
            super.channelRead(read, message);
            return;
        }
        if (arrived.isReadable()) {
            arrived = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(read.alloc(), arrived, bytes);
        } else {
            arrived.release();
            arrived = bytes;
        }
        takeArrived(false);
    }

    /** @param firstEvenIfEmpty whether the user may have something to go on with although no bytes lie here */
    private void takeArrived(final boolean firstEvenIfEmpty) throws Exception {
        if (taking) {
            return;
        }
        taking = true;
        try {
            boolean goOn = firstEvenIfEmpty || arrived.isReadable();
            while (goOn && !gone && wantsBytes()) {
                final int before = arrived.readerIndex();
                take(arrived);
                goOn = arrived.readerIndex() != before && arrived.isReadable();
            }
        } finally {
            taking = false;
            if (gone || !arrived.isReadable()) {
                drop();
            }
        }
    }

    @Override
    public void channelReadComplete(final ChannelHandlerContext complete) throws Exception {
        readPending = false;
        super.channelReadComplete(complete);
        readIfWanted();
    }

    private void readIfWanted() {
        if (!readPending && !gone && wantsBytes()) {
            readPending = true;
            context.read();
        }
    }

    @Override
    public void channelInactive(final ChannelHandlerContext inactive) throws Exception {
        gone = true;
        drop();
        super.channelInactive(inactive);
    }

    @Override
    public void handlerRemoved(final ChannelHandlerContext removed) {
        gone = true;
        drop();
    }

    private void drop() {
        if (!taking) {
            arrived.release();
            arrived = Unpooled.EMPTY_BUFFER;
        }
    }
}
