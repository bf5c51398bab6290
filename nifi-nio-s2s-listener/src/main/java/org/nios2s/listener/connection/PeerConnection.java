// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.PeerDescription;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.protocol.CommunicationsSession;
import org.apache.nifi.remote.protocol.HandshakeProperties;
import org.apache.nifi.security.cert.StandardPrincipalFormatter;
import org.nios2s.listener.access.AccessLog;
import org.nios2s.listener.doubt.LastAnswer;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.limits.PeerKey;
import org.nios2s.listener.limits.PeerRate;
import org.nios2s.listener.limits.PeerTurn;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.port.PortDispatcher;
import org.nios2s.listener.port.SocketlessCommunicationsSession;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.tls.ReadKey;
import org.nios2s.listener.tls.TlsHandlerFactory;
import org.nios2s.listener.transaction.TransactionPeer;
import org.nios2s.wire.LogText;
import org.nios2s.wire.ResponseCode;
import org.nios2s.wire.ResponseMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of a connection beyond its current step: address and identity of the peer, and what was agreed with it. Lives on the
 * connection's IO worker, which alone writes; port tasks read, after the transaction that they read it for was handed
 * over to them through the port's queue.
 */
public final class PeerConnection implements TransactionPeer {
    private static final Logger logger = LoggerFactory.getLogger(PeerConnection.class);

    /** Of names and addresses, in a URL. */
    private static final Pattern FIT_FOR_URL = Pattern.compile("[\\w.:-]+");

    private final ListenerContext listener;
    private final ChannelHandlerContext channelContext;
    private final MessageSequenceHandler handler;
    private final PeerTurn turn = new PeerTurn();
    private final long acceptedNanos;
    private final long acceptedMillis;

    private InetSocketAddress remoteAddress;
    /** Its address's part of the handshakes under way. */
    private Grant shaking;
    /** Its peer's part of the connections; null during the handshake. */
    private Grant connected;

    private String identity;
    private int protocolVersion;
    private HandshakeProperties handshake;
    private PortDispatcher dispatcher;
    private boolean codecNegotiated;
    private boolean isAdmitted;
    private PeerRate rate = PeerRate.UNLIMITED;
    private long requestExpirationMillis;
    private int maxWriteBytes = TlsHandlerFactory.RECORD_BYTES;
    private ReadKey readKey = ReadKey.unlimited();
    private boolean unflushed;
    private final LastAnswer lastAnswer;

    PeerConnection(
            final ListenerContext listener,
            final ChannelHandlerContext channelContext,
            final MessageSequenceHandler handler) {
        this.listener = listener;
        this.channelContext = channelContext;
        this.handler = handler;
        this.acceptedNanos = listener.clock().nanoTime();
        this.lastAnswer = new LastAnswer(listener.clock());
        this.acceptedMillis = listener.endpoint().wallClock().millis();
        this.remoteAddress = (InetSocketAddress) channelContext.channel().remoteAddress();
        this.shaking = listener.limits().handshakes().begin(this);
        host();
    }

    /** @return what all connections share */
    public ListenerContext listener() {
        return listener;
    }

    /** @return the clock of the listener */
    public NanoClock clock() {
        return listener.clock();
    }

    /** @return whether connections are TLS */
    public boolean isSecure() {
        return listener.endpoint().isSecure();
    }

    /** @return the last step: nothing more is sent, and the connection closes when the peer has closed */
    public ClosingStep closing() {
        return new ClosingStep(channel(), clock());
    }

    /** Reads once from the socket, as soon as it has something. */
    void read() {
        channelContext.read();
    }

    public MessageSequenceHandler handler() {
        return handler;
    }

    /** @return whether the address is a load balancer's, which has to name the peer by a PROXY header */
    public boolean needsProxyHeader() {
        return listener.settings().peers().proxyProtocolFrom().test(remoteAddress.getAddress());
    }

    /**
     * A PROXY header has come: from now on the connection has the address in it.
     *
     * @param address of the peer, or null if the header names none; the connection then keeps its own
     */
    public void setProxiedAddress(final InetSocketAddress address) throws ConnectionFault {
        if (address != null) {
            remoteAddress = address;
            shaking.close();
            shaking = listener.limits().handshakes().begin(this);
            host();
        }
        handler.moveTo(remoteAddress.getAddress());
    }

    /** @return the address of the peer, as far as it is known */
    InetAddress address() {
        return remoteAddress.getAddress();
    }

    /**
     * The TLS handshake is over: takes the peer's identity from its certificate.
     *
     * @param key with which the peer reads
     */
    public void identify(final SSLEngine engine, final ReadKey key) throws ConnectionFault {
        maxWriteBytes = TlsHandlerFactory.recordBytes(engine);
        readKey = key;
        listener.metrics().add(Counter.TLS_HANDSHAKES, 1);
        if (TlsHandlerFactory.isResumed(engine, acceptedMillis)) {
            listener.metrics().add(Counter.TLS_RESUMPTIONS, 1);
        }
        try {
            final X509Certificate certificate =
                    (X509Certificate) engine.getSession().getPeerCertificates()[0];
            identity = StandardPrincipalFormatter.getInstance().getSubject(certificate);
        } catch (final SSLPeerUnverifiedException e) {
            throw Kind.TLS.fault("The peer sent no certificate, and Site-to-Site is secure here", e);
        }
    }

    @Override
    public String identity() {
        return identity;
    }

    /** @return the peer for which the connection counts where limits are shared among peers; its identity once TLS has shown it */
    @Override
    public PeerKey key() {
        return PeerKey.of(identity, remoteAddress.getAddress());
    }

    @Override
    public PeerTurn turn() {
        return turn;
    }

    @Override
    public void revoke(final ConnectionFault reason, final BooleanSupplier isStillDue, final Runnable otherwise) {
        handler.revoke(reason, isStillDue, otherwise);
    }

    @Override
    public String host() {
        return listener.endpoint().hostNames().nameOf(remoteAddress.getAddress());
    }

    /** @return the name of the peer's host, once it was looked up */
    public CompletableFuture<String> hostName() {
        return listener.endpoint().hostNames().whenKnown(remoteAddress.getAddress());
    }

    @Override
    public int remotePort() {
        return remoteAddress.getPort();
    }

    @Override
    public String transitUri(final String sourceIdentifier) {
        final String prefix = handshake.getTransitUriPrefix();
        if (prefix == null) {
            return url();
        }
        return prefix + sourceIdentifier;
    }

    /**
     * As the stock listener has it. But NiFi refuses a peer whose URL is none: so where a name has odd characters, or an
     * address of IPv6 names an interface, the address stands there, as a URL has it.
     */
    private String url() {
        String host = host();
        if (!FIT_FOR_URL.matcher(host).matches()) {
            host = bracketed().replace("%", "%25");
        }
        return "nifi://" + host + ":" + remoteAddress.getPort();
    }

    /** @return the address, in brackets if it is one of IPv6, so that a port can follow */
    private String bracketed() {
        final String address = remoteAddress.getAddress().getHostAddress();
        if (address.contains(":")) {
            return "[" + address + "]";
        }
        return address;
    }

    public PeerDescription description() {
        return new PeerDescription(host(), remoteAddress.getPort(), isSecure());
    }

    @Override
    public Peer toPeer(final Runnable interrupted) {
        final CommunicationsSession session = new SocketlessCommunicationsSession(identity, interrupted);
        return new Peer(
                description(),
                session,
                url(),
                "nifi://localhost:" + listener.endpoint().port());
    }

    @Override
    public int maxWriteBytes() {
        return maxWriteBytes;
    }

    /** @return the key with which the peer reads */
    public ReadKey readKey() {
        return readKey;
    }

    @Override
    public EventExecutor worker() {
        return channelContext.executor();
    }

    public Channel channel() {
        return channelContext.channel();
    }

    public ByteBuf allocate(final int bytes) {
        return channelContext.alloc().ioBuffer(bytes);
    }

    /** Queues a message; it is flushed with the others at the end of the turn. */
    public void send(final ByteBuf message) {
        write(message, channelContext.voidPromise());
    }

    /** @param left called on the IO worker when the message has left, or was lost */
    public void send(final ByteBuf message, final ChannelFutureListener left) {
        final ChannelPromise written;
        try {
            written = channelContext.newPromise().addListener(left);
        } catch (final Throwable e) {
            message.release();
            throw e;
        }
        write(message, written);
    }

    private void write(final ByteBuf message, final ChannelPromise written) {
        unflushed = true;
        readKey.encrypts(message.readableBytes());
        channelContext.write(message, written);
    }

    /**
     * Lets what was queued leave in a segment of TCP of its own, as far as that is ours to decide. Over TLS nothing looks at segments,
     * since a peer gets records.
     */
    public void endSegment() {
        if (!isSecure()) {
            channelContext.flush();
        }
    }

    /**
     * Flushes the messages that were queued.
     *
     * @return whether there was anything
     */
    boolean flush() {
        if (!unflushed) {
            return false;
        }
        unflushed = false;
        channelContext.flush();
        return true;
    }

    /** Queues a message of one byte. */
    public void sendByte(final int message) {
        send(allocate(1).writeByte(message));
    }

    public void send(final ResponseCode code) {
        send(ResponseMessage.encoded(code));
    }

    public void send(final ResponseCode code, final String text) throws IOException {
        // Heap memory needs no release if the text turns out to be too long.
        final ByteBuf message = Unpooled.buffer();
        ResponseMessage.write(message, code, text);
        send(message);
    }

    public Step awaitRequest() {
        return listener.protocol().awaitsRequest(this);
    }

    public int protocolVersion() {
        return protocolVersion;
    }

    public void agreeOnProtocol(final int version) {
        protocolVersion = version;
    }

    public HandshakeProperties handshake() {
        return handshake;
    }

    /** The handshake is over: its properties, as far as they were accepted, and the port that it named, or null. */
    public void agreeOnHandshake(final HandshakeProperties properties, final PublicPort requestedPort) {
        handshake = properties;
        // The stock listener gives it to the socket as an int.
        requestExpirationMillis = (int) properties.getExpirationMillis();
        shaking.close();
        connected = listener.limits().connections().hold(this);
        listener.limits().handshakes().remove(channelContext.channel());
        listener.metrics().recordSince(Histogram.HANDSHAKE_TIME_MS, acceptedNanos);
        if (requestedPort != null) {
            dispatcher = listener.ports().dispatchers().acquire(requestedPort);
            limitRate();
        }
    }

    /** The handshake has succeeded. */
    public void reportConnected() {
        AccessLog.connected(this, port(), protocolVersion, this::transport);
    }

    /** Counts and logs that the handshake is answered by a refusal. */
    public void reportRefusal(final ResponseCode code, final String reason) {
        listener.logs().refusals().report(this, key().name(), code, reason);
    }

    private void limitRate() {
        rate = listener.limits().rates().acquire(identity, remoteAddress.getAddress());
        if (!rate.limitsBytes()) {
            return;
        }
        // The peer counts bytes in our socket's buffer as sent. A small buffer keeps the time between its last write
        // and our answer below its time-out.
        try {
            channel().config().setOption(ChannelOption.SO_RCVBUF, rate.socketBufferBytes());
        } catch (final ChannelException e) {
            // The peer may have gone already, which the next read finds out.
            logger.debug("SO_RCVBUF can't be set for {}", this, e);
        }
        // All connections of a peer share its rate, so that a new connection does not get around the limit.
        handler.pauseReading(rate.spendBytes(0));
    }

    /** @return how fast the peer may be */
    public PeerRate rate() {
        return rate;
    }

    private String transport() {
        final SslHandler tls = channelContext.pipeline().get(SslHandler.class);
        if (tls == null) {
            return "plain TCP";
        }
        final SSLSession session = tls.engine().getSession();
        return session.getProtocol() + " " + session.getCipherSuite();
    }

    /** Counts and logs why the connection ends. */
    void reportFault(final ConnectionFault fault) {
        metrics().peers().failed(key().name());
        reportEviction(fault);
    }

    /** As {@link #reportFault}, where the fault is not the peer's: the peer's statistics don't count it. */
    void reportEviction(final ConnectionFault fault) {
        metrics().add(Counter.FAULTS, 1);
        listener.logs().faults().report(this, fault);
    }

    /** Reports that one side has committed FlowFiles of which the other may not know: they may come, or go, a second time. */
    public void reportPossibleDuplicates(final int flowFiles, final String reason) {
        listener.logs()
                .faults()
                .report(
                        this,
                        Kind.POSSIBLE_DUPLICATES.fault(
                                reason + ", possibly resulting in duplication of " + flowFiles + " FlowFiles"));
    }

    /** @return the port that the peer named at the handshake, or null */
    public PublicPort port() {
        if (dispatcher == null) {
            return null;
        }
        return dispatcher.port();
    }

    /** @return whether the port that the peer named is running, as {@link PortDispatcher#isPortRunning} */
    public boolean isPortRunning() {
        return dispatcher != null && dispatcher.isPortRunning();
    }

    public PortDispatcher dispatcher() {
        return dispatcher;
    }

    /** @return where its transactions and faults count: at its port, as far as it has one */
    public ListenerMetrics metrics() {
        if (dispatcher == null) {
            return listener.metrics();
        }
        return dispatcher.metrics();
    }

    public boolean isCodecNegotiated() {
        return codecNegotiated;
    }

    public void agreeOnCodec() {
        codecNegotiated = true;
    }

    /** @return the answer of the last push, while its peer has not shown that it has it */
    public LastAnswer lastAnswer() {
        return lastAnswer;
    }

    /** @return whether the peer's kernel has not acknowledged all that was sent, as far as the system tells */
    boolean isUnacknowledged() {
        return channel() instanceof final EpollSocketChannel socket
                && socket.isOpen()
                && socket.tcpInfo().unacked() > 0;
    }

    /** @return how long the peer wants to wait for an answer, and may be silent itself; 0 for ever */
    public long requestExpirationMillis() {
        return requestExpirationMillis;
    }

    /** @return whether the peer may begin transactions: always, unless the listener drains */
    public boolean admit() {
        if (!isAdmitted) {
            isAdmitted = listener.drain().admit();
        }
        return isAdmitted && !listener.drain().isDraining();
    }

    /** @return whether nothing more is to come of this connection once no transaction is under way */
    public boolean isDraining() {
        return isAdmitted && listener.drain().isDraining();
    }

    /** The connection is gone. */
    void closed() {
        shaking.close();
        if (connected != null) {
            connected.close();
        }
        listener.limits().rates().release(rate);
        if (isAdmitted) {
            listener.drain().release();
        }
        listener.metrics().add(Counter.CONNECTIONS_CLOSED, 1);
        if (dispatcher != null) {
            listener.ports().dispatchers().release(dispatcher);
        }
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder("Peer " + bracketed() + ":" + remoteAddress.getPort());
        if (identity != null) {
            text.append(" (").append(LogText.of(identity)).append(')');
        }
        if (handshake != null) {
            text.append(" CommsID=").append(LogText.of(String.valueOf(handshake.getCommsIdentifier())));
        }
        return text.toString();
    }
}
