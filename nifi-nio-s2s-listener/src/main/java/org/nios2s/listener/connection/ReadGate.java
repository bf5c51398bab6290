// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.channel.ChannelConfig;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;

/**
 * Decides when the socket of one connection is read. Lives on the connection's IO worker.
 *
 * <p>One rule: more is read if the current step can use it. While a step waits for our own side, reading goes on until a first
 * byte has come, which is how we notice that the peer has left. A peer that has used up its rate is not read between or within
 * packets. No other class starts or stops the reading.
 */
final class ReadGate {
    private static final QuickAckOption QUICK_ACK = new QuickAckOption();

    private final MessageSequenceHandler handler;
    private final PeerConnection connection;
    private final UnreadBuffer unread;
    private final QuickAck quickAck = new QuickAck(this::acknowledge);
    private final ReadThrottle throttle;
    private final RatePause ratePause;
    private boolean inputEnded;

    ReadGate(final MessageSequenceHandler handler, final PeerConnection connection, final UnreadBuffer unread) {
        this.handler = handler;
        this.connection = connection;
        this.unread = unread;
        this.throttle = new ReadThrottle(this, quickAck, connection.clock());
        this.ratePause = new RatePause(connection.worker(), this::resume, connection.clock());
    }

    /** From now on the channel reads only when it is told to, and as much as the throttle says. */
    void attach(final ChannelConfig config) {
        config.setAutoRead(false);
        config.setRecvByteBufAllocator(() -> throttle);
    }

    /** So many bytes have come, out of TLS if there is TLS. */
    void received(final int bytes) {
        throttle.decrypted(bytes);
        pauseFor(connection.rate().spendBytes(bytes));
    }

    /** So many bytes have gone to the peer, which may answer each record of them by a new key. */
    void sent(final int bytes) {
        throttle.sent(bytes);
    }

    /** The peer has closed its side: nothing more can come. */
    void endInput() {
        inputEnded = true;
    }

    boolean hasInputEnded() {
        return inputEnded;
    }

    void readIfWanted() {
        if (wantsRead()) {
            connection.read();
        }
    }

    /** @return whether the connection has use for more bytes than it has */
    boolean wantsRead() {
        if (inputEnded || throttle.isTlsFlood() || isRatePaused()) {
            return false;
        }
        return handler.mayRun() || handler.step().isWaiting() && unread.isEmpty();
    }

    /** @return whether little is to be read at once */
    boolean readsMinimally() {
        final Step step = handler.step();
        return step.isWaiting() || !(step instanceof TransactionStep) && !unread.hasRoomToGrow();
    }

    /** @return how many bytes its rate allows the connection to read at once */
    int maxBytesAtOnce() {
        return connection.rate().bytesAtOnce();
    }

    /** Reads nothing for so long, since the peer has used up its rate; no pause for 0. */
    void pauseFor(final long nanos) {
        ratePause.begin(nanos);
    }

    boolean isRatePaused() {
        return ratePause.isOn() && handler.step().isRateLimited();
    }

    /** The pause is over. */
    private void resume() {
        if (connection.channel().isActive()) {
            readIfWanted();
        }
    }

    /** The answers have left, and the kernel's acknowledgement of received bytes with them. */
    void flushed() {
        quickAck.sent();
    }

    /** Has the kernel acknowledge what has come, if the peer may be waiting for that before it sends the rest. */
    void acknowledgeIfPeerMustContinue() {
        if (handler.mayRun() && !inputEnded && !(handler.step() instanceof ClosingStep)) {
            quickAck.awaitsPeer();
        }
    }

    private void acknowledge() {
        if (QUICK_ACK.set(connection.channel())) {
            connection.metrics().add(Counter.QUICK_ACKS, 1);
        }
    }

    /** @return whether the peer keeps TLS busy, by renegotiations, new keys or empty records, and sends no data */
    boolean isTlsFlood() {
        return throttle.isTlsFlood();
    }

    /** @return whether a byte has come from the peer, for us or for TLS */
    boolean hasReadFromPeer() {
        return throttle.hasReadFromPeer();
    }

    /** So many of the bytes came from a load balancer, and not from the peer. */
    void excludeProxyHeader(final int bytes) {
        throttle.excludeProxyHeader(bytes);
    }

    /** @return when the socket last had something, TLS included */
    long lastReadNanos() {
        return throttle.lastReadNanos();
    }

    /** The connection is gone. */
    void close() {
        ratePause.cancel();
    }
}
