// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.exception.ProtocolException;
import org.nios2s.listener.PeerFault;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Walks one connection through the sequence of messages: hands arriving bytes to the current step, enters the next one,
 * and closes the connection when a step ends in a fault. Lives on the connection's IO worker; only {@link #proceed} may be
 * called from elsewhere.
 *
 * <pre>
 * Magic → NegotiateProtocol → Handshake → Request ─┬→ NegotiateCodec → Request
 *                                                  ├→ PeerList → Request
 *                                                  ├→ AdmitTransaction → { ReceivePacket → ReceiveIndicator }*
 *                                                  │     → AwaitConfirmation → AwaitCommit → Request
 *                                                  ├→ AwaitFlowFiles → Send → AwaitReceipt → AwaitFinish
 *                                                  │     → CommitSent → Request
 *                                                  └→ Closing
 * </pre>
 *
 * While a step waits for our own side, bytes that arrive are left alone; the first of them stops the reading.
 */
public final class MessageSequenceHandler extends ByteToMessageDecoder {
    private static final Logger logger = LoggerFactory.getLogger(MessageSequenceHandler.class);

    private final ListenerContext listener;
    private final WorkerConnections siblings;

    private ChannelHandlerContext channelContext;
    private PeerConnection connection;
    private Step step;
    private long acceptedNanos;
    private long lastReadNanos;
    private long uncharged;
    private boolean inputEnded;

    /**
     * @param siblings the connections of the same IO worker
     */
    public MessageSequenceHandler(final ListenerContext listener, final WorkerConnections siblings) {
        this.listener = listener;
        this.siblings = siblings;
    }

    @Override
    public void handlerAdded(final ChannelHandlerContext context) {
        channelContext = context;
        if (context.channel().isActive()) {
            begin();
        }
    }

    @Override
    public void channelActive(final ChannelHandlerContext context) throws Exception {
        begin();
        super.channelActive(context);
    }

    private void begin() {
        if (connection == null) {
            connection = new PeerConnection(listener, channelContext, this);
            step = new MagicStep(connection);
            acceptedNanos = System.nanoTime();
            lastReadNanos = acceptedNanos;
            siblings.add(this);
        }
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) throws Exception {
        lastReadNanos = System.nanoTime();
        super.channelRead(context, message);
    }

    @Override
    protected void decode(final ChannelHandlerContext context, final ByteBuf in, final List<Object> out) {
        settle(0);
        try {
            Step before = null;
            while (step != before && !step.isWaiting()) {
                before = step;
                enter(step.receive(in));
            }
        } catch (final PeerFault e) {
            fail(e);
        } catch (final ProtocolException e) {
            fail(new PeerFault(PeerFault.Kind.MALFORMED, e.getMessage(), e));
        } catch (final IOException | RuntimeException e) {
            fail(new PeerFault(PeerFault.Kind.INTERNAL, "Step " + step.name() + " failed: " + e, e));
        }
        if (step instanceof ClosingStep) {
            // What the faulty step left would stay in memory until the peer leaves.
            in.skipBytes(in.readableBytes());
        } else if (step.isWaiting() && in.isReadable()) {
            context.channel().config().setAutoRead(false);
            settle(in.readableBytes());
        }
    }

    /** Bytes that have arrived and wait are held in memory too. */
    private void settle(final long waitingBytes) {
        if (waitingBytes > uncharged) {
            listener.budget().charge(waitingBytes - uncharged);
        } else {
            listener.budget().release(uncharged - waitingBytes);
        }
        uncharged = waitingBytes;
    }

    private void enter(final Step next) {
        if (next == step) {
            return;
        }
        logger.trace("{}: {} → {}", connection, step.name(), next.name());
        step = next;
        if (next instanceof ClosingStep) {
            sayNothingMore();
        }
    }

    /**
     * A wait is over: goes on with another step, unless the connection has moved on. From any thread.
     *
     * @param from the step that waited
     * @param next makes the step that follows, on the IO worker
     */
    void proceed(final Step from, final StepSupplier next) {
        proceedOrElse(from, next, () -> logger.trace("{}: step {} is over already", connection, from.name()));
    }

    /**
     * As {@link #proceed}, for a next step that is entrusted with something.
     *
     * @param otherwise called in place of {@code next}, on the IO worker, if the connection has moved on
     */
    void proceedOrElse(final Step from, final StepSupplier next, final Runnable otherwise) {
        connection.worker().execute(() -> {
            if (step == from) {
                proceedHere(from, next);
            } else {
                otherwise.run();
            }
        });
    }

    /** As {@link #proceed}, for who is on the IO worker already, and not within another step. */
    void proceedHere(final Step from, final StepSupplier next) {
        if (step != from) {
            return;
        }
        // Only from now on is it the peer's turn.
        lastReadNanos = System.nanoTime();
        try {
            enter(next.get());
            resumeReading();
            endInput();
        } catch (final PeerFault e) {
            fail(e);
        } catch (final IOException | RuntimeException e) {
            fail(new PeerFault(PeerFault.Kind.INTERNAL, "Step " + from.name() + " failed: " + e, e));
        }
    }

    private void resumeReading() throws IOException {
        // Offers the step what has arrived meanwhile; it may also hold something back itself.
        decode(channelContext, internalBuffer(), List.of());
        try {
            super.channelRead(channelContext, Unpooled.EMPTY_BUFFER);
        } catch (final Exception e) {
            throw new IOException(e);
        }
        if (!step.isWaiting() && !channelContext.channel().config().isAutoRead()) {
            channelContext.channel().config().setAutoRead(true);
        }
    }

    @Override
    public void channelReadComplete(final ChannelHandlerContext context) {
        // Not the superclass's: it would ask for more where reading has paused.
        discardSomeReadBytes();
        context.fireChannelReadComplete();
    }

    /** Makes the step that follows a wait. */
    @FunctionalInterface
    interface StepSupplier {
        Step get() throws IOException;
    }

    /** Something went wrong for this connection elsewhere. From any thread. */
    void failFromOutside(final PeerFault fault) {
        connection.worker().execute(() -> fail(fault));
    }

    private void fail(final PeerFault fault) {
        if (step instanceof ClosingStep) {
            return;
        }
        listener.metrics().faulted();
        listener.faultLog().report(connection, fault);
        step.abandon();
        enter(new ClosingStep(channelContext.channel()));
    }

    /**
     * Leaves when the peer has left too, or soon: a plain close would reset the connection under an answer that the peer
     * has yet to read.
     */
    private void sayNothingMore() {
        settle(0);
        if (channelContext.pipeline().get(SslHandler.class) == null
                && channelContext.channel() instanceof DuplexChannel duplex
                && !duplex.isInputShutdown()) {
            channelContext.flush();
            duplex.shutdownOutput();
            channelContext.channel().config().setAutoRead(true);
        } else {
            channelContext.close();
        }
    }

    /** @return whether the peer should still hear of a commit */
    boolean isCommitting() {
        return step.isCommitting();
    }

    /** Closes at once: the listener stops. */
    void cut() {
        step.abandon();
        step = new ClosingStep(channelContext.channel());
        settle(0);
        channelContext.close();
    }

    @Override
    protected void decodeLast(final ChannelHandlerContext context, final ByteBuf in, final List<Object> out) {
        // What is incomplete when the peer has left stays incomplete; the step has been told.
    }

    @Override
    public void userEventTriggered(final ChannelHandlerContext context, final Object event) throws Exception {
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            tlsHandshakeEnded(handshake);
        } else if (event instanceof ChannelInputShutdownEvent && step != null) {
            inputEnded = true;
            endInput();
            // Not the superclass's: it would drop what has arrived and waits for its turn.
            context.fireUserEventTriggered(event);
            return;
        }
        super.userEventTriggered(context, event);
    }

    /** The peer has said its last word; where it is our turn to answer, it hears us first. */
    private void endInput() {
        if (!inputEnded || step.answersBeforeInputEnds()) {
            return;
        }
        try {
            enter(step.inputEnds());
        } catch (final PeerFault e) {
            fail(e);
        } catch (final IOException e) {
            fail(new PeerFault(PeerFault.Kind.INTERNAL, "Step " + step.name() + " failed: " + e, e));
        }
    }

    private void tlsHandshakeEnded(final SslHandshakeCompletionEvent event) {
        begin();
        try {
            if (!event.isSuccess()) {
                throw new PeerFault(PeerFault.Kind.TLS, "The TLS handshake failed", event.cause());
            }
            connection.identify(
                    channelContext.pipeline().get(SslHandler.class).engine().getSession());
        } catch (final PeerFault e) {
            fail(e);
        }
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) throws Exception {
        if (connection != null) {
            reportUnlessExpected();
            step.abandon();
            step = new ClosingStep(context.channel());
            settle(0);
            siblings.remove(this);
            connection.closed();
        }
        super.channelInactive(context);
    }

    /** Where a peer may stop sending, it may leave as well. */
    private void reportUnlessExpected() {
        try {
            step.inputEnds();
        } catch (final PeerFault e) {
            listener.metrics().faulted();
            listener.faultLog().report(connection, e);
        } catch (final IOException e) {
            logger.warn("{} left in step {}", connection, step.name(), e);
        }
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        if (connection == null || step instanceof ClosingStep) {
            logger.debug("A connection that is being closed failed", cause);
            context.close();
            return;
        }
        final PeerFault.Kind kind =
                cause instanceof IOException ? PeerFault.Kind.CONNECTION_LOST : PeerFault.Kind.INTERNAL;
        fail(new PeerFault(kind, "The connection failed in step " + step.name() + ": " + cause, cause));
        context.close();
    }

    /** Looks after all deadlines; called a few times a second. */
    void checkDeadlines(final long nowNanos) {
        try {
            step.checkDeadline(nowNanos);
            checkPatience(nowNanos);
            if (step.needsRunningPort() && !connection.port().isRunning()) {
                throw new PeerFault(
                        PeerFault.Kind.PORT_NOT_RUNNING, connection.port() + " was stopped in step " + step.name());
            }
        } catch (final PeerFault e) {
            fail(e);
        } catch (final RuntimeException e) {
            fail(new PeerFault(PeerFault.Kind.INTERNAL, "Step " + step.name() + " failed: " + e, e));
        }
    }

    private void checkPatience(final long nowNanos) throws PeerFault {
        final long expirationMillis = connection.requestExpirationMillis();
        switch (step.patience()) {
            case HANDSHAKE:
                final long handshakeMillis =
                        listener.settings().handshakeTimeout().toMillis();
                if (nowNanos - acceptedNanos > TimeUnit.MILLISECONDS.toNanos(handshakeMillis)) {
                    throw new PeerFault(
                            PeerFault.Kind.HANDSHAKE_TIMEOUT,
                            "The handshake was not complete after " + handshakeMillis + " ms, in step " + step.name());
                }
                break;
            case WITHIN_REQUEST:
                checkSilence(nowNanos, expirationMillis);
                break;
            case BETWEEN_REQUESTS:
                checkSilence(nowNanos, 2 * expirationMillis);
                break;
            default:
                break;
        }
    }

    private void checkSilence(final long nowNanos, final long allowedMillis) throws PeerFault {
        if (allowedMillis > 0 && nowNanos - lastReadNanos > TimeUnit.MILLISECONDS.toNanos(allowedMillis)) {
            throw new PeerFault(
                    PeerFault.Kind.SILENT, "The peer was silent for " + allowedMillis + " ms in step " + step.name());
        }
    }

    Step step() {
        return step;
    }
}
