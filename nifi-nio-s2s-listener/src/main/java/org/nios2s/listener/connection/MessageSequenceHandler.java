// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.apache.nifi.remote.exception.ProtocolException;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.ConnectionLimit;
import org.nios2s.listener.limits.ConnectionLimit.Activity;
import org.nios2s.listener.limits.Contention;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Walks one connection through the sequence of messages: hands arriving bytes to the current step, enters the next one,
 * and closes the connection when a step ends in a fault. Lives on the connection's IO worker; {@link #proceed},
 * {@link #fail(TransactionContext, ConnectionFault)} and what {@link ConnectionLimit} asks may be called from elsewhere.
 *
 * <p>One rule says when a step runs: bytes are there, what the peer was told before has left, and the step does not wait
 * for our own side. One rule says when more is read: the step can use it; and while it waits, until a first byte comes,
 * since so we learn that the peer has left. Nothing else starts or stops the reading.
 */
public final class MessageSequenceHandler extends ChannelInboundHandlerAdapter implements ConnectionLimit.Evictable {
    private static final Logger logger = LoggerFactory.getLogger(MessageSequenceHandler.class);

    private static final QuickAckOption QUICK_ACK = new QuickAckOption();

    /** What may wait unread. It is more only where a peer has left in mid-sentence: the kernel then gives us all it has. */
    private static final int MAX_UNREAD_BYTES = 1024 * 1024;

    /** What a connection may hold beside its transaction while memory is scarce. */
    private static final int FREE_BYTES = 4 * 1024;

    /** After so many steps in a row the connection lets others have their turn: peers may ask faster than we answer. */
    private static final int STEPS_IN_A_TURN = 64;

    /** At the limit of handshakes one in which nothing has moved for so long makes room for another. */
    private static final long STALLED_HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Before the next turn of a peer that says so much outside a transaction, where every message should have an answer. */
    private static final long CHATTY_PEER_PAUSE_MILLIS = 100;

    /** A buffer that is used to less than this part is exchanged for one of the right size. */
    private static final int SHRINK_FACTOR = 4;

    private final ListenerContext listener;
    private final WorkerConnections workerConnections;
    private final Deadlines deadlines;
    private final MemoryBudget.Account unreadCharge;
    private final QuickAck quickAck = new QuickAck(this::acknowledge);
    private final ReadThrottle reads = new ReadThrottle(this, quickAck);
    private final OverShareDeadline share = new OverShareDeadline();
    private final RatePause ratePause = new RatePause(this::worker, this::goOnReading);

    private ChannelHandlerContext channelContext;
    private PeerConnection connection;
    private Step step;
    private ByteBuf unread = Unpooled.EMPTY_BUFFER;
    private boolean stepWaits;
    private boolean advancing;
    private boolean hadItsTurn;
    private boolean inputEnded;
    private Activity activity = Activity.BUSY;

    public MessageSequenceHandler(final ListenerContext listener, final WorkerConnections workerConnections) {
        this.listener = listener;
        this.workerConnections = workerConnections;
        this.deadlines = new Deadlines(
                listener.settings().handshakeTimeout().toMillis(),
                listener.settings().idleTimeout(),
                this::scarcity,
                NanoClock.SYSTEM);
        this.unreadCharge = listener.budget().sharedQuota().open();
    }

    @Override
    public void handlerAdded(final ChannelHandlerContext context) {
        channelContext = context;
        final var config = context.channel().config();
        config.setAutoRead(false);
        config.setRecvByteBufAllocator(() -> reads);
        connection = new PeerConnection(listener, context, this);
        step = listener.conversation().begins(connection);
        reportActivity();
        workerConnections.add(this);
        context.read();
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        final ByteBuf bytes = (ByteBuf) message;
        deadlines.recordProgress(bytes.readableBytes());
        reads.decrypted(bytes.readableBytes());
        ratePause.begin(connection.rate().spendBytes(bytes.readableBytes()));
        // Takes the new bytes over when nothing is unread; otherwise appends them.
        unread = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(context.alloc(), unread, bytes);
        advance(null);
    }

    @Override
    public void channelReadComplete(final ChannelHandlerContext context) {
        if (reads.isTlsFlood()) {
            fail(Kind.TLS.fault("The peer keeps TLS busy and says nothing, in step " + step.name()));
        }
        // Also where TLS has had but a part of a record, and passed on nothing.
        acknowledgeOnPeersTurn();
        readIfWanted();
        context.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(final ChannelHandlerContext context) {
        advance(null);
        context.fireChannelWritabilityChanged();
    }

    /** Enters what is next, or goes on where it is for null; lets steps run, has their answers leave, looks after the rest. */
    private void advance(final Callable<Step> next) {
        if (advancing) {
            return;
        }
        advancing = true;
        try {
            if (next != null) {
                enter(next.call());
            }
            Step before = null;
            for (int steps = 0; step != before && mayRun(); steps++) {
                if (steps == STEPS_IN_A_TURN) {
                    yieldToOthers();
                    break;
                }
                before = step;
                enter(step.receive(unread));
            }
            if (unread.readableBytes() > MAX_UNREAD_BYTES) {
                throw Kind.PEER_CLOSED.fault("The peer left with bytes unread, in step " + step.name());
            }
            if (inputEnded && !hadItsTurn) {
                endInput();
            }
        } catch (final Throwable e) {
            fail(faultOf(e));
        } finally {
            advancing = false;
        }
        if (step instanceof final BeginTlsStep begins) {
            beginTls(begins.next());
        }
        if (connection.flush()) {
            quickAck.sent();
        }
        keepUnread();
        readIfWanted();
    }

    private void endInput() throws IOException {
        switch (step.endOfInput()) {
            case FAULT -> throw peerClosed();
            case CLOSE -> {
                if (step instanceof final ClosingStep closing) {
                    closing.closeWhenFlushed();
                } else {
                    enter(new ClosingStep(channelContext.channel()));
                }
            }
            default -> {} // The step that follows the answer decides.
        }
    }

    private ConnectionFault peerClosed() {
        return Kind.PEER_CLOSED.fault("The peer left in step " + step.name());
    }

    /** Puts TLS in front of this handler, and passes the unread bytes to it: they are the first of its handshake. */
    private void beginTls(final Step next) {
        final ByteBuf first = unread;
        unread = Unpooled.EMPTY_BUFFER;
        final ChannelPipeline pipeline = channelContext.pipeline();
        try {
            enter(next);
            pipeline.addBefore(channelContext.name(), null, listener.newTlsHandler(channelContext.channel()));
        } catch (final Throwable e) {
            first.release();
            fail(faultOf(e));
            return;
        }
        pipeline.fireChannelRead(first);
        pipeline.fireChannelReadComplete();
    }

    private void yieldToOthers() {
        hadItsTurn = true;
        final Runnable goOn = () -> {
            hadItsTurn = false;
            if (channelContext.channel().isActive()) {
                advance(null);
                acknowledgeOnPeersTurn();
            }
        };
        if (!isInTransaction(step)) {
            connection.worker().schedule(goOn, CHATTY_PEER_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            afterLoopIteration(goOn);
        }
    }

    /** Runs it once the IO worker has looked at all of its sockets: a plain task may run before that, for a second on end. */
    public void afterLoopIteration(final Runnable task) {
        final var worker = (SingleThreadEventLoop) channelContext.channel().eventLoop();
        worker.executeAfterEventLoopIteration(() -> worker.execute(task));
    }

    private boolean mayRun() {
        return !hadItsTurn && !stepWaits && (channelContext.channel().isWritable() || step instanceof ClosingStep);
    }

    /** Has the kernel acknowledge what has come, if the peer may be waiting for that before it says the rest. */
    private void acknowledgeOnPeersTurn() {
        if (mayRun() && !inputEnded && !(step instanceof ClosingStep)) {
            quickAck.awaitsPeer();
        }
    }

    private void acknowledge() {
        if (QUICK_ACK.set(channelContext.channel())) {
            connection.metrics().add(Counter.QUICK_ACKS, 1);
        }
    }

    /** @return whether little is to be read at once */
    boolean readsMinimally() {
        return stepWaits
                || !isInTransaction(step) && !listener.budget().sharedQuota().hasRoomForLarge();
    }

    /** @return whether it has use for more than it has */
    boolean wantsRead() {
        return !inputEnded && !reads.isTlsFlood() && !isRatePaused() && (mayRun() || stepWaits && !unread.isReadable());
    }

    /** @return whether nothing is read because the peer has used up its rate */
    boolean isRatePaused() {
        return ratePause.isOn() && step.isRateLimited();
    }

    /** @return how many bytes its rate allows it to read at once */
    int maxBytesAtOnce() {
        return connection.rate().bytesAtOnce();
    }

    /** Reads nothing for so long, since the peer has used up its rate. */
    void pauseReading(final long nanos) {
        ratePause.begin(nanos);
    }

    private EventExecutor worker() {
        return connection.worker();
    }

    /** It was us who did not read: no deadline counts that time. */
    private void goOnReading() {
        if (!channelContext.channel().isActive()) {
            return;
        }
        if (step.isRateLimited()) {
            deadlines.startPeerTurn();
        }
        readIfWanted();
    }

    private void readIfWanted() {
        if (wantsRead()) {
            channelContext.read();
        }
    }

    /** Charges what is held beside the transaction: what stays unread, in no larger a buffer than it needs, and answers. */
    private void keepUnread() {
        final int bytes = unread.readableBytes();
        if (bytes == 0 || step instanceof ClosingStep) {
            unread.release();
            unread = Unpooled.EMPTY_BUFFER;
        } else if (bytes < unread.capacity() / SHRINK_FACTOR) {
            final ByteBuf fitting = channelContext.alloc().ioBuffer(bytes).writeBytes(unread);
            unread.release();
            unread = fitting;
        }
        final ChannelOutboundBuffer unsent = channelContext.channel().unsafe().outboundBuffer();
        // What a pull sends is charged to that, and leaves while its step waits.
        final boolean owed = unsent != null && (!isInTransaction(step) || !stepWaits);
        unreadCharge.set(unread.capacity() + step.heldBytes() + (owed ? unsent.totalPendingWriteBytes() : 0));
    }

    /** @return whether others wait for what its transaction holds, or will soon for what the peer makes us hold beside one */
    private Contention scarcity() {
        if (!(step instanceof final TransactionStep inTransaction)) {
            if (unreadCharge.held() > FREE_BYTES
                    && !listener.budget().sharedQuota().hasRoomForLarge()) {
                return Contention.CONTENDED;
            }
            return Contention.NONE;
        }
        if (step.timeoutPolicy() == Step.TimeoutPolicy.WITHIN_REQUEST) {
            return inTransaction.transaction().scarcity();
        }
        return Contention.NONE;
    }

    private ConnectionFault faultOf(final Throwable thrown) {
        return thrown instanceof final ProtocolException violation
                ? Kind.PROTOCOL_ERROR.fault(violation.getMessage(), violation)
                : ConnectionFault.of(thrown, "Step " + step.name());
    }

    private static boolean isInTransaction(final Step step) {
        return step instanceof TransactionStep;
    }

    private void enter(final Step next) throws IOException {
        if (next == step) {
            return;
        }
        if (logger.isTraceEnabled()) {
            logger.trace("{}: {} → {}", connection, step.name(), next.name());
        }
        if (!isInTransaction(next)) {
            deadlines.endTransaction();
        } else if (!isInTransaction(step)) {
            deadlines.startTransaction();
        }
        step = next;
        stepWaits = next.isWaiting();
        if (stepWaits) {
            deadlines.startWait();
        }
        reportActivity();
        if (next instanceof ClosingStep) {
            shutdownOutput();
        }
        enter(next.begin());
    }

    /**
     * A wait is over: goes on with another step. From any thread.
     *
     * @param otherwise runs in its place, on the IO worker too, if the connection has moved on
     */
    void proceed(final Step from, final Callable<Step> next, final Runnable otherwise) {
        connection.worker().execute(() -> {
            if (step == from) {
                proceedOnWorker(from, next);
            } else {
                otherwise.run();
            }
        });
    }

    /** As {@link #proceed}, for who is on the IO worker already, and not within another step. */
    public void proceedOnWorker(final Step from, final Callable<Step> next) {
        if (step != from) {
            return;
        }
        deadlines.startPeerTurn();
        advance(next);
        acknowledgeOnPeersTurn();
    }

    /** So many of the bytes came from a load balancer. A peer that adds none of its own leaves without a word. */
    public void excludeProxyHeader(final int bytes) {
        reads.excludeProxyHeader(bytes);
    }

    /** Bytes have gone to the peer: it makes progress. */
    public void sent(final int bytes) {
        deadlines.recordProgress(bytes);
    }

    /** Something went wrong for a transaction elsewhere; nothing happens if the connection is past it. From any thread. */
    public void fail(final TransactionContext transaction, final ConnectionFault fault) {
        connection.worker().execute(() -> {
            if (step instanceof final TransactionStep inTransaction && inTransaction.transaction() == transaction) {
                fail(fault);
            }
        });
    }

    private void fail(final ConnectionFault fault) {
        if (step instanceof ClosingStep) {
            return;
        }
        report(fault);
        Guarded.run("Releasing the resources of a step", step::abandon);
        try {
            enter(new ClosingStep(channelContext.channel()));
        } catch (final Throwable e) {
            logger.error("{} could not be closed in good order; it is cut", connection, e);
            channelContext.close();
        }
        keepUnread();
        readIfWanted();
    }

    private void report(final ConnectionFault fault) {
        if (!reads.hasReadFromPeer() && fault.isDeparture()) {
            // A health check, or a scan of ports.
            logger.debug("{} left without a word", connection);
            return;
        }
        connection.metrics().peers().failed(connection.key().name());
        countAndLog(fault);
    }

    private void countAndLog(final ConnectionFault fault) {
        connection.metrics().add(Counter.FAULTS, 1);
        listener.faultLog().report(connection, fault);
    }

    /**
     * Leaves when the peer has left too, or soon: a plain close would reset the connection under an answer that the peer
     * has yet to read.
     */
    private void shutdownOutput() {
        // Behind what was said before; for how long the peer may take to read that, the step looks.
        channelContext.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(said -> {
            if (channelContext.pipeline().get(SslHandler.class) == null
                    && channelContext.channel() instanceof DuplexChannel duplex
                    && !duplex.isInputShutdown()) {
                duplex.shutdownOutput();
            } else {
                channelContext.close();
            }
        });
    }

    /** Closes in good order, if no transaction is under way: the listener drains. Otherwise the next request step does so. */
    void closeIfIdle() {
        final boolean betweenTransactions =
                step.isEvictable() || step.timeoutPolicy() == Step.TimeoutPolicy.BETWEEN_REQUESTS;
        if (betweenTransactions && connection.isDraining()) {
            proceedOnWorker(step, () -> new ClosingStep(channelContext.channel()));
        }
    }

    /** Closes at once: the listener stops. */
    void closeNow() {
        end();
        channelContext.close();
    }

    private void end() {
        Guarded.run("Releasing the resources of a step", step::abandon);
        step = new ClosingStep(channelContext.channel());
        stepWaits = false;
    }

    /** Between steps of a transaction there is nothing to tell. */
    private void reportActivity() {
        final Activity before = activity;
        activity = activityOf(step);
        if (activity != Activity.BUSY || before != Activity.BUSY) {
            listener.connections().set(this, activity);
        }
    }

    private static Activity activityOf(final Step step) {
        if (!step.isEvictable()) {
            return Activity.BUSY;
        }
        if (step.isWaiting()) {
            return Activity.WAITING;
        }
        return Activity.IDLE;
    }

    @Override
    public void evict(final ConnectionFault fault) {
        connection.worker().execute(() -> {
            if (step.isEvictable()) {
                // It is no fault of the peer's: the peers' statistics don't count it.
                countAndLog(fault);
                closeNow();
            }
        });
    }

    @Override
    public void userEventTriggered(final ChannelHandlerContext context, final Object event) {
        if (event instanceof final SslHandshakeCompletionEvent handshake) {
            tlsHandshakeCompleted(handshake);
        } else if (event instanceof ChannelInputShutdownEvent) {
            inputEnded = true;
            advance(null);
        }
        context.fireUserEventTriggered(event);
    }

    private void tlsHandshakeCompleted(final SslHandshakeCompletionEvent event) {
        try {
            if (!event.isSuccess()) {
                throw Kind.TLS.fault("The TLS handshake failed", event.cause());
            }
            connection.identify(channelContext.pipeline().get(SslHandler.class).engine());
        } catch (final ConnectionFault e) {
            fail(e);
        }
    }

    /** The connection is gone. */
    @Override
    public void handlerRemoved(final ChannelHandlerContext context) {
        Guarded.run("Reporting how a connection ended", this::reportUnlessExpected);
        end();
        workerConnections.remove(this);
        connection.closed();
        ratePause.cancel();
        keepUnread();
        unreadCharge.close();
    }

    /** Where a peer may stop sending, it may leave as well. */
    private void reportUnlessExpected() {
        if (step.endOfInput() != Step.EndOfInput.CLOSE) {
            report(peerClosed());
        }
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        if (step instanceof ClosingStep) {
            logger.debug("A connection that is being closed failed", cause);
        } else {
            // As which Netty passes on what fails in TLS.
            final Throwable thrown =
                    cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
            final Kind kind = thrown instanceof SSLException
                    ? Kind.TLS
                    : thrown instanceof IOException ? Kind.CONNECTION_LOST : Kind.INTERNAL;
            fail(kind.fault("The connection failed in step " + step.name() + ": " + thrown, thrown));
        }
        context.close();
    }

    /** Looks after all deadlines; called a few times a second. */
    void checkDeadlines(final long nowNanos) {
        try {
            step.checkDeadline(nowNanos);
            keepUnread();
            if (connection.rate().limitsBytes()) {
                share.check(step, nowNanos);
            }
            if (isRatePaused()) {
                // It is neither silent nor slow: it is us who do not read.
                deadlines.startPeerTurn();
            } else {
                deadlines.check(step, connection.requestExpirationMillis(), nowNanos);
            }
            checkHandshake(nowNanos);
            if (step.needsRunningPort() && !connection.isPortRunning()) {
                throw Kind.PORT_NOT_RUNNING.fault(connection.port() + " was stopped in step " + step.name());
            }
        } catch (final Throwable e) {
            fail(faultOf(e));
        }
    }

    /** At the limit of handshakes nobody is accepted: one that stands still, where it is the peer's turn, is in the way. */
    private void checkHandshake(final long nowNanos) throws ConnectionFault {
        if (step.timeoutPolicy() != Step.TimeoutPolicy.HANDSHAKE
                || !listener.handshakes().isFull()
                || isTlsOurTurn()) {
            return;
        }
        if (nowNanos - lastProgressNanos() > STALLED_HANDSHAKE_NANOS) {
            throw Kind.HANDSHAKE_TIMEOUT.fault("The handshake stood still for "
                    + TimeUnit.NANOSECONDS.toSeconds(STALLED_HANDSHAKE_NANOS) + " s, in step " + step.name()
                    + ", and others wait to be accepted");
        }
    }

    private long lastProgressNanos() {
        if (!step.countsPartialMessages()) {
            return deadlines.acceptedNanos();
        }
        return Math.max(reads.lastReadNanos(), deadlines.lastProgressNanos());
    }

    /** @return whether what TLS has to compute is with our threads */
    private boolean isTlsOurTurn() {
        final SslHandler tls = channelContext.pipeline().get(SslHandler.class);
        return tls != null && tls.engine().getHandshakeStatus() == HandshakeStatus.NEED_TASK;
    }

    /** Tells when something last moved here, if the peer named a port. */
    void reportLastProgress(final Map<String, Long> latestOfPeers) {
        if (connection.port() != null) {
            latestOfPeers.merge(connection.key().name(), deadlines.lastBytesNanos(), Math::max);
        }
    }

    Step step() {
        return step;
    }
}
