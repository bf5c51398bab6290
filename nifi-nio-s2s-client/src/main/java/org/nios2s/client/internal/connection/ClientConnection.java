// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.FailureReason;
import org.nios2s.client.PeerProxy;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.wire.ChunkDeflater;
import org.nios2s.wire.ProtocolException;
import org.nios2s.wire.RequestType;
import org.nios2s.wire.ResponseCode;
import org.nios2s.wire.ResponseMessage;

/**
 * One connection to a port: hands what arrives to the exchange under way, gathers what is written, and ends
 * everything on it once. Lives on its channel's IO worker; {@link #execute} leads there.
 */
public final class ClientConnection extends ReadOnDemandHandler {
    private static final int GATHER_BYTES = 1_024;
    private static final int GATHER_LIMIT_BYTES = 32_768;
    private static final int GOODBYE_SECONDS = 5;

    /** Told once that the connection is gone. */
    public interface CloseListener {
        void closed(ClientConnection connection);
    }

    private final Endpoint port;
    /** Null without one. */
    private final PeerProxy proxy;

    private final Channel channel;
    private final CloseListener closeListener;

    private Exchange exchange;
    private ByteBuf gathered;
    private ChunkDeflater deflater;
    private int protocolVersion;
    /** Empty until the handshake. */
    private String commsId = "";

    private boolean ended;
    private long lastProgressNanos = System.nanoTime();
    private boolean proxyDone;
    private boolean tlsDone;
    /** When it was last put back, by {@link System#nanoTime}; belongs to the pool and its lock. */
    private long idleSince;

    public ClientConnection(
            final Endpoint port,
            final PeerProxy proxy,
            final Channel channel,
            final Exchange opening,
            final CloseListener closeListener) {
        this.port = port;
        this.proxy = proxy;
        this.channel = channel;
        this.exchange = opening;
        this.closeListener = closeListener;
        this.proxyDone = proxy == null;
        this.tlsDone = port.tls() == null;
    }

    public Endpoint port() {
        return port;
    }

    public EventLoop worker() {
        return channel.eventLoop();
    }

    public Channel channel() {
        return channel;
    }

    /** @return the name that the handshake gives the connection, in the peer's log too */
    public String commsId() {
        return commsId;
    }

    void commsId(final String given) {
        commsId = given;
    }

    public int protocolVersion() {
        return protocolVersion;
    }

    public void protocolVersion(final int agreed) {
        protocolVersion = agreed;
    }

    long idleSince() {
        return idleSince;
    }

    void idleSince(final long nanoTime) {
        idleSince = nanoTime;
    }

    /** Runs the task on the IO worker: now if this is it. */
    public void execute(final Runnable task) {
        if (worker().inEventLoop()) {
            task.run();
        } else {
            worker().execute(task);
        }
    }

    /**
     * Makes the exchange the one under way.
     *
     * @return whether the connection is still there; if not, the exchange hears of nothing
     */
    public boolean begin(final Exchange next) {
        if (ended) {
            return false;
        }
        exchange = next;
        progress();
        return true;
    }

    public boolean isEnded() {
        return ended;
    }

    /** Ends the exchange under way; the connection is free for another. */
    public void finish(final Exchange finished) {
        if (exchange == finished) {
            exchange = null;
        }
    }

    @Override
    protected boolean wantsBytes() {
        return exchange == null || exchange.wantsBytes();
    }

    @Override
    protected void take(final ByteBuf in) {
        if (ended) {
            in.skipBytes(in.readableBytes());
            return;
        }
        lastProgressNanos = System.nanoTime();
        if (exchange == null) {
            if (in.isReadable()) {
                end(failure(FailureReason.PROTOCOL_VIOLATION, "The peer speaks without being asked", null));
            }
            return;
        }
        try {
            exchange.read(in);
        } catch (final ProtocolException e) {
            end(failure(FailureReason.PROTOCOL_VIOLATION, e.getMessage(), e));
        } catch (final TransactionException e) {
            shutDown(e);
        } catch (final RuntimeException | Error e) {
            end(failure(FailureReason.INTERNAL_ERROR, "What the peer says can't be handled: " + e, e));
        }
    }

    /** The exchange takes bytes again, unless another one is under way now. */
    public void resumeReading(final Exchange resumed) {
        if (exchange == resumed && !ended) {
            try {
                resume();
            } catch (final Exception e) {
                end(failure(FailureReason.INTERNAL_ERROR, "Reading can't go on: " + e, e));
            }
        }
    }

    /** Something moved between both ends. */
    void progress() {
        lastProgressNanos = System.nanoTime();
    }

    /** @return when bytes last came or could leave, by {@link System#nanoTime}; now, if the peer is not waited for */
    long lastProgressNanos() {
        if (exchange != null && !exchange.waitsForPeer()) {
            progress();
        }
        return lastProgressNanos;
    }

    @Override
    public void channelWritabilityChanged(final ChannelHandlerContext context) {
        if (channel.isWritable()) {
            progress();
            if (exchange != null) {
                exchange.writable();
            }
        }
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void userEventTriggered(final ChannelHandlerContext context, final Object event) throws Exception {
        if (!proxyDone && ProxyHandlers.isConnected(event)) {
            proxyDone = true;
        } else if (event instanceof SslHandshakeCompletionEvent tls) {
            if (tls.isSuccess()) {
                tlsDone = true;
            } else if (proxyDone) {
                end(handshakeFailure(tls.cause()));
            }
        }
        super.userEventTriggered(context, event);
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) throws Exception {
        super.channelInactive(context);
        end(failure(FailureReason.CONNECTION_LOST, "The peer closed the connection", null));
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        if (!proxyDone) {
            end(failure(FailureReason.CONNECT_FAILED, "The " + proxy + " does not lead there: " + cause, cause));
        } else if (cause instanceof DecoderException && cause.getCause() instanceof SSLException) {
            end(tlsFailure(cause.getCause()));
        } else if (!tlsDone) {
            end(brokenHandshake(cause));
        } else {
            end(failure(FailureReason.CONNECTION_LOST, "The connection broke: " + cause, cause));
        }
    }

    /** A peer that leaves says nothing of certificates: it may be about to restart, or have no room. */
    private TransactionException handshakeFailure(final Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof ClosedChannelException) {
                return brokenHandshake(cause);
            }
        }
        return cause instanceof SSLException ? tlsFailure(cause) : brokenHandshake(cause);
    }

    private TransactionException brokenHandshake(final Throwable cause) {
        return failure(
                FailureReason.CONNECTION_LOST,
                "The connection ended during the TLS handshake; does the peer speak TLS? " + cause,
                cause);
    }

    private TransactionException tlsFailure(final Throwable cause) {
        Throwable root = cause;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        final String detail = root == cause ? "" : ": " + root.getMessage();
        return failure(FailureReason.TLS_FAILED, cause.getMessage() + detail, cause);
    }

    /** @return the connection as users see it */
    public ClientObserver.Connection observed() {
        return new ClientObserver.Connection(port.peer(), port.portName(), port.portIdentifier(), commsId);
    }

    public TransactionException failure(final FailureReason reason, final String message, final Throwable cause) {
        return failing(reason).message(message).cause(cause).build();
    }

    /** Begins to describe a failure of what happens on it now. */
    public TransactionException.Builder failing(final FailureReason reason) {
        return failing(step(), reason);
    }

    /** The same in a step that its exchange knows, which may be over. */
    public TransactionException.Builder failing(final TransactionStep step, final FailureReason reason) {
        return port.failing(step, reason).commsId(commsId);
    }

    /** @return where what happens on it is, for errors and for the time that the peer has */
    TransactionStep step() {
        if (!proxyDone) {
            return TransactionStep.CONNECT;
        }
        if (!tlsDone) {
            return TransactionStep.TLS_HANDSHAKE;
        }
        return exchange == null ? TransactionStep.WAIT_FOR_CONNECTION : exchange.step();
    }

    /** @return where small writes gather until {@link #flush}; valid until the next write to this connection */
    public ByteBuf gather() {
        if (gathered != null && gathered.readableBytes() >= GATHER_LIMIT_BYTES) {
            writeGathered();
        }
        if (gathered == null) {
            gathered = channel.alloc().directBuffer(GATHER_BYTES);
        }
        return gathered;
    }

    /** Says a code with a text that is short by nature; it gathers until {@link #flush}. */
    public void say(final ResponseCode code, final String text) {
        try {
            ResponseMessage.write(gather(), code, text);
        } catch (final ProtocolException e) {
            throw new IllegalStateException("The text of " + code + " does not fit", e);
        }
    }

    /** Writes a buffer, which is released, behind what has gathered. */
    public void write(final ByteBuf bytes) {
        writeGathered();
        channel.write(bytes, channel.voidPromise());
    }

    public void flush() {
        writeGathered();
        channel.flush();
    }

    /** @return completed when everything written until now has left this process or failed to */
    public ChannelFuture flushed() {
        final ByteBuf last = gathered == null ? channel.alloc().directBuffer(0) : gathered;
        gathered = null;
        return channel.writeAndFlush(last);
    }

    private void writeGathered() {
        if (gathered != null) {
            final ByteBuf bytes = gathered;
            gathered = null;
            channel.write(bytes, channel.voidPromise());
        }
    }

    public ChunkDeflater deflater() {
        if (deflater == null) {
            deflater = new ChunkDeflater();
        }
        return deflater;
    }

    /** Closes; the exchange under way fails. Every later end is ignored. */
    public void end(final TransactionException failure) {
        if (ended) {
            return;
        }
        ended = true;
        if (gathered != null) {
            gathered.release();
            gathered = null;
        }
        closeDeflater();
        channel.close();
        final Exchange failing = exchange;
        exchange = null;
        closeListener.closed(this);
        if (failing != null) {
            failing.failed(failure);
        }
    }

    /** Says goodbye as NiFi's client does, then closes; the exchange under way fails. */
    public void shutDown(final TransactionException failure) {
        if (ended) {
            return;
        }
        ended = true;
        closeDeflater();
        RequestType.SHUTDOWN.write(gather());
        final ChannelFuture said = flushed().addListener(ChannelFutureListener.CLOSE);
        if (!said.isDone()) {
            // A peer that does not read does not hear it either.
            worker().schedule(() -> channel.close(), GOODBYE_SECONDS, TimeUnit.SECONDS);
        }
        final Exchange failing = exchange;
        exchange = null;
        closeListener.closed(this);
        if (failing != null) {
            failing.failed(failure);
        }
    }

    private void closeDeflater() {
        if (deflater != null) {
            deflater.close();
            deflater = null;
        }
    }
}
