// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.ConnectionLimit;
import org.nios2s.listener.limits.Holder;
import org.nios2s.listener.tls.TlsHandlerFactory;
import org.nios2s.listener.tls.TlsTasks;
import org.nios2s.wire.ProtocolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Walks one connection through the sequence of messages: hands arriving bytes to the current step, enters the next one,
 * and closes the connection when a step ends in a fault. Lives on the connection's IO worker; {@link #proceed},
 * {@link #fail(TransactionContext, ConnectionFault)} and {@link #evict} may be called from any thread.
 *
 * <p>One rule says when a step runs: bytes are there, the earlier answers have left, and the step does not wait for our own side.
 * {@link ReadGate} says when more is read.
 */
public final class MessageSequenceHandler extends ChannelInboundHandlerAdapter implements ConnectionLimit.Evictable {
    private static final Logger logger = LoggerFactory.getLogger(MessageSequenceHandler.class);

    /** After so many steps in a row other connections have their turn: peers may ask faster than we answer. */
    private static final int STEPS_IN_A_TURN = 64;

    /** Before the next turn of a peer that sends so much outside a transaction, where every message has an answer. */
    private static final long CHATTY_PEER_PAUSE_MILLIS = 100;

    private final ListenerContext listener;
    private final WorkerConnections workerConnections;
    private final TlsTasks tlsTasks;

    // Made when the handler is added to its channel.
    private ChannelHandlerContext channelContext;
    private PeerConnection connection;
    private UnreadBuffer unread;
    private ReadGate reading;
    private Deadlines deadlines;

    private ConnectionLimit.Place place;
    private boolean isIdle;

    private Step step;
    /** A step is running: an event that it causes may not run another one. */
    private boolean advancing;
    /** The connection has had its turn: until others have had theirs, bytes are kept and no step takes them. */
    private boolean yielded;

    public MessageSequenceHandler(final ListenerContext listener, final WorkerConnections workerConnections) {
        this.listener = listener;
        this.workerConnections = workerConnections;
        this.tlsTasks = new TlsTasks();
    }

    /**
     * Counts the connection, until it is closed.
     *
     * @param isProxied whether a PROXY header will name its address
     * @throws ConnectionFault if it is one too many
     */
    public void takePlace(final Channel channel, final InetAddress address, final boolean isProxied)
            throws ConnectionFault {
        final ConnectionLimit limit = listener.limits().connections();
        place = isProxied ? limit.addProxied(address, this) : limit.add(address, this);
        channel.closeFuture().addListener(closed -> place.close());
    }

    /** A PROXY header has come: the connection counts for that address. */
    void moveTo(final InetAddress address) throws ConnectionFault {
        place.setAddress(address);
    }

    @Override
    public void handlerAdded(final ChannelHandlerContext context) {
        channelContext = context;
        connection = new PeerConnection(listener, context, this);
        unread = new UnreadBuffer(listener.limits().memory().common(), connection);
        reading = new ReadGate(this, connection, unread);
        deadlines =
                new Deadlines(connection, reading, tlsTasks, listener.settings().connections());
        reading.attach(context.channel().config());
        step = listener.protocol().begins(connection);
        reportIdle();
        workerConnections.add(this);
        context.read();
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        final ByteBuf bytes = (ByteBuf) message;
        deadlines.recordProgress();
        reading.received(bytes.readableBytes());
        connection.lastAnswer().peerContinues();
        unread.append(context.alloc(), bytes);
        advance(null);
    }

    @Override
    public void channelReadComplete(final ChannelHandlerContext context) {
        if (reading.isTlsFlood()) {
            fail(Kind.TLS.fault(
                    "The peer sends TLS messages without data (renegotiations, key updates or empty records), in step "
                            + step.name()));
        }
        // Behind TLS, which has read the request for a new key if this was one.
        connection.readKey().renewed();
        // Also where TLS has had only a part of a record, and passed nothing on.
        reading.acknowledgeIfPeerMustContinue();
        reading.readIfWanted();
        context.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(final ChannelHandlerContext context) {
        advance(null);
        context.fireChannelWritabilityChanged();
    }

    /** Enters the next step, or stays where it is for null; runs steps, has their answers leave, and reads on. */
    private void advance(final Callable<Step> next) {
        if (advancing) {
            return;
        }
        advancing = true;
        try {
            if (next != null) {
                enter(next.call());
            }
            runSteps();
            // No step stops the reading once the peer has closed: the kernel then delivers all that it holds.
            if (unread.isOverfull()) {
                throw Kind.PEER_CLOSED.fault(
                        "The peer closed the connection before all of its data was read, in step " + step.name());
            }
            if (reading.hasInputEnded() && !yielded) {
                endInput();
            }
        } catch (final Throwable e) {
            fail(faultOf(e));
        } finally {
            advancing = false;
        }
        // Behind the loop: the pipeline may not change while a step runs, and bytes for TLS may not reach another step.
        if (step instanceof final BeginTlsStep begins) {
            beginTls(begins.next());
        }
        // Once for all answers of this turn: one system call for many small messages.
        if (connection.flush()) {
            reading.flushed();
        }
        updateCharge();
        reading.readIfWanted();
    }

    private void runSteps() throws IOException {
        // A step that names itself has taken what it can.
        Step before = null;
        for (int steps = 0; step != before && mayRun(); steps++) {
            if (steps == STEPS_IN_A_TURN) {
                yieldToOthers();
                return;
            }
            before = step;
            enter(step.receive(unread.bytes()));
        }
    }

    private void endInput() throws IOException {
        switch (step.endOfInput()) {
            case FAULT -> throw peerClosed();
            case CLOSE -> {
                if (step instanceof final ClosingStep closing) {
                    closing.closeWhenFlushed();
                } else {
                    enter(connection.closing());
                }
            }
            default -> {} // The step that follows the answer decides.
        }
    }

    private ConnectionFault peerClosed() {
        return Kind.PEER_CLOSED.fault("The peer closed the connection in step " + step.name());
    }

    /** Puts TLS in front of this handler, and passes the unread bytes to it: they are the first of its handshake. */
    private void beginTls(final Step next) {
        final ByteBuf first = unread.takeAll();
        final ChannelPipeline pipeline = channelContext.pipeline();
        try {
            enter(next);
            pipeline.addBefore(
                    channelContext.name(), null, newTlsHandler(channelContext.channel(), connection.address()));
        } catch (final Throwable e) {
            first.release();
            fail(faultOf(e));
            return;
        }
        pipeline.fireChannelRead(first);
        pipeline.fireChannelReadComplete();
    }

    /**
     * @param address of the peer
     * @return what makes this connection TLS, if connections are
     */
    public SslHandler newTlsHandler(final Channel channel, final InetAddress address) {
        return listener.endpoint()
                .tls()
                .create(channel, address, listener.settings().connections().handshakeTimeout(), tlsTasks);
    }

    /** The connection has had its turn: it goes on behind others. */
    public void yieldToOthers() {
        yielded = true;
        // A transaction waits for one look at the other sockets. Outside of one each message
        // costs an answer, and a peer that sends so many of them at once is slowed down.
        if (step instanceof TransactionStep) {
            workerConnections.afterLoopIteration(this::endYield);
        } else {
            connection.worker().schedule(this::endYield, CHATTY_PEER_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void endYield() {
        yielded = false;
        if (channelContext.channel().isActive()) {
            deadlines.startPeerTurn();
            advance(null);
            reading.acknowledgeIfPeerMustContinue();
        }
    }

    /** @return whether the current step may take bytes now */
    boolean mayRun() {
        // A closing connection drops what arrives, also while its last answers wait for the peer to read them.
        return !yielded && !step.isWaiting() && (channelContext.channel().isWritable() || step instanceof ClosingStep);
    }

    /** Charges what is held beside the transaction: what stays unread, in no larger a buffer than it needs, and answers. */
    private void updateCharge() {
        if (step instanceof ClosingStep) {
            unread.clear();
        } else {
            unread.shrink(channelContext.alloc());
        }
        unread.charge(step.heldBytes() + unsentBytes());
    }

    private long unsentBytes() {
        // The bytes that a pull sends are charged to the pull. They leave while its step waits.
        if (step instanceof TransactionStep && step.isWaiting()) {
            return 0;
        }
        final ChannelOutboundBuffer unsent = channelContext.channel().unsafe().outboundBuffer();
        // Netty takes the buffer away from a channel that is closed.
        if (unsent == null) {
            return 0;
        }
        return unsent.totalPendingWriteBytes();
    }

    private ConnectionFault faultOf(final Throwable thrown) {
        if (thrown instanceof final ProtocolException violation) {
            return Kind.PROTOCOL_ERROR.fault(violation.getMessage(), violation);
        }
        return ConnectionFault.of(thrown, "Step " + step.name());
    }

    private void enter(final Step next) throws IOException {
        if (next == step) {
            return;
        }
        if (logger.isTraceEnabled()) {
            logger.trace("{}: {} → {}", connection, step.name(), next.name());
        }
        deadlines.entered(next, step);
        step = next;
        reportIdle();
        enter(next.begin());
    }

    /** Says whether the connection may be closed for a newcomer, and since when. */
    private void reportIdle() {
        final boolean wasIdle = isIdle;
        isIdle = step.isEvictable();
        // All connections share the limit's lock, and from one step of a transaction to the next nothing changes.
        if (isIdle || wasIdle) {
            place.setIdle(isIdle);
        }
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

    /** As {@link #proceed}, for a caller that is on the IO worker already, and not within another step. */
    public void proceedOnWorker(final Step from, final Callable<Step> next) {
        if (step != from) {
            return;
        }
        deadlines.startPeerTurn();
        advance(next);
        reading.acknowledgeIfPeerMustContinue();
    }

    /** So many of the bytes came from a load balancer. A peer that adds none of its own leaves without a log line. */
    public void excludeProxyHeader(final int bytes) {
        reading.excludeProxyHeader(bytes);
    }

    /** Bytes have gone to the peer: it makes progress. */
    public void sent(final int bytes) {
        deadlines.recordProgress();
        reading.sent(bytes);
    }

    /** Reads nothing for so long, since the peer has used up its rate. */
    void pauseReading(final long nanos) {
        reading.pauseFor(nanos);
    }

    /** Something went wrong for a transaction elsewhere; nothing happens if the connection is past it. From any thread. */
    public void fail(final TransactionContext transaction, final ConnectionFault fault) {
        connection.worker().execute(() -> {
            if (step instanceof final TransactionStep inTransaction && inTransaction.transaction() == transaction) {
                fail(fault);
            }
        });
    }

    /** As {@link Holder#revoke}. From any thread. */
    void revoke(final ConnectionFault reason, final BooleanSupplier isStillDue, final Runnable otherwise) {
        connection.worker().execute(() -> {
            // Bytes that the peer has sent by now are read first: a worker that was busy would take its own delay for
            // silence.
            workerConnections.afterLoopIteration(() -> {
                if (step.isPeersTurn() && isStillDue.getAsBoolean()) {
                    fail(reason);
                } else {
                    otherwise.run();
                }
            });
        });
    }

    private void fail(final ConnectionFault fault) {
        if (step instanceof ClosingStep) {
            return;
        }
        report(fault);
        abandonStep();
        try {
            enter(connection.closing());
        } catch (final Throwable e) {
            logger.error("{} could not be closed in good order: the connection is closed at once", connection, e);
            channelContext.close();
        }
        updateCharge();
        reading.readIfWanted();
    }

    private void abandonStep() {
        Guarded.run("Releasing the resources of a step", step::abandon);
    }

    private void report(final ConnectionFault fault) {
        if (!reading.hasReadFromPeer() && fault.isDeparture()) {
            // A health check, or a scan of ports.
            logger.debug("{} closed its connection before it sent anything", connection);
            return;
        }
        connection.reportFault(fault);
    }

    /** Closes in good order, if no transaction is under way: the listener drains. Otherwise the next request step does so. */
    void closeIfIdle() {
        final boolean betweenTransactions =
                step.isEvictable() || step.timeoutPolicy() == Step.TimeoutPolicy.BETWEEN_REQUESTS;
        if (betweenTransactions && connection.isDraining()) {
            // A push that waits for memory has a place already.
            abandonStep();
            proceedOnWorker(step, connection::closing);
        }
    }

    /** Closes at once: the listener stops, or another connection takes the place of this one. */
    void closeNow() {
        end();
        channelContext.close();
    }

    /** Nothing more is done with the connection: its step is left, and none is entered in good order. */
    private void end() {
        abandonStep();
        step = connection.closing();
    }

    @Override
    public void evict(final ConnectionFault fault) {
        connection.worker().execute(() -> {
            // The connection may have become busy since the limit chose it; then it stays, and reports that it is busy.
            if (step.isEvictable()) {
                connection.reportEviction(fault);
                closeNow();
            }
        });
    }

    @Override
    public void userEventTriggered(final ChannelHandlerContext context, final Object event) {
        if (event instanceof final SslHandshakeCompletionEvent handshake) {
            tlsHandshakeCompleted(handshake);
        } else if (event instanceof ChannelInputShutdownEvent) {
            reading.endInput();
            connection.lastAnswer().peerEnds(connection::isUnacknowledged);
            advance(null);
        }
        context.fireUserEventTriggered(event);
    }

    private void tlsHandshakeCompleted(final SslHandshakeCompletionEvent event) {
        final TlsHandlerFactory tls = listener.endpoint().tls();
        try {
            final SSLEngine engine =
                    channelContext.pipeline().get(SslHandler.class).engine();
            if (!event.isSuccess()) {
                final Throwable cause = event.cause();
                // A health check that says nothing shows nothing.
                final boolean learnt =
                        reading.hasReadFromPeer() && tls.learnFromHandshake(engine, connection.address(), cause);
                throw Kind.TLS.fault("The TLS handshake failed" + remarkOf(learnt), cause);
            }
            connection.identify(engine, tls.readKey(engine));
            tls.learnFromPeer(engine, connection.address());
        } catch (final IOException e) {
            fail(faultOf(e));
        }
    }

    private static String remarkOf(final boolean learnt) {
        if (learnt) {
            return " (OpenSSL may be the cause, so the JDK's TLS serves the next connection from this address)";
        }
        return "";
    }

    /** The connection is gone. */
    @Override
    public void handlerRemoved(final ChannelHandlerContext context) {
        Guarded.run("Reporting how a connection ended", this::reportUnlessExpected);
        end();
        workerConnections.remove(this);
        connection.closed();
        reading.close();
        updateCharge();
        unread.close();
        connection.lastAnswer().ended();
    }

    /** Where a peer may stop sending, it may leave as well. */
    private void reportUnlessExpected() {
        if (step.endOfInput() != Step.EndOfInput.CLOSE) {
            report(peerClosed());
        }
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        connection.lastAnswer().reset();
        if (step instanceof ClosingStep) {
            logger.debug("A connection failed while it was being closed", cause);
        } else {
            final Throwable thrown = unwrapped(cause);
            final Kind kind = kindOf(thrown);
            final boolean learnt = kind == Kind.TLS
                    && listener.endpoint().tls().learnFromNewKeys(connection.address(), (SSLException) thrown);
            fail(kind.fault("The connection failed in step " + step.name() + remarkOf(learnt) + ": " + thrown, thrown));
        }
        context.close();
    }

    /** Netty wraps what fails in TLS. */
    private static Throwable unwrapped(final Throwable cause) {
        if (cause instanceof DecoderException && cause.getCause() != null) {
            return cause.getCause();
        }
        return cause;
    }

    private static Kind kindOf(final Throwable thrown) {
        return switch (thrown) {
            case final SSLException ofTls -> Kind.TLS;
            case final IOException ofSocket -> Kind.CONNECTION_LOST;
            default -> Kind.INTERNAL;
        };
    }

    /** Looks after all deadlines; called a few times a second. */
    void checkDeadlines(final long nowNanos) {
        try {
            updateCharge();
            connection.lastAnswer().check(nowNanos, connection::isUnacknowledged);
            deadlines.check(step, nowNanos);
        } catch (final Throwable e) {
            fail(faultOf(e));
        }
    }

    /** @return when something last moved here, if the peer named a port */
    void reportLastProgress(final Map<String, Long> latestOfPeers) {
        if (connection.port() != null) {
            latestOfPeers.merge(connection.key().name(), deadlines.lastBytesNanos(), Math::max);
        }
    }

    /** @return whether nothing is read because the peer has used up its rate */
    boolean isRatePaused() {
        return reading.isRatePaused();
    }

    Step step() {
        return step;
    }
}
