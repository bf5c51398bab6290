// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.util.concurrent.TimeUnit;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.limits.HandshakeLimit;
import org.nios2s.listener.tls.TlsTasks;

/**
 * All that may end a connection because of the time, or because its port has stopped; looked at a few times a second. Lives on
 * the connection's IO worker.
 */
final class ConnectionDeadlines {
    /** At the limit of handshakes one in which nothing has moved for so long makes room for another. */
    private static final long STALLED_HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final PeerConnection connection;
    private final ReadGate reading;
    private final Deadlines deadlines;
    private final TlsTasks tlsTasks;
    private final HandshakeLimit handshakes;

    ConnectionDeadlines(
            final PeerConnection connection,
            final ReadGate reading,
            final Deadlines deadlines,
            final TlsTasks tlsTasks,
            final HandshakeLimit handshakes) {
        this.connection = connection;
        this.reading = reading;
        this.deadlines = deadlines;
        this.tlsTasks = tlsTasks;
        this.handshakes = handshakes;
    }

    /** The connection goes from one step to another. */
    void entered(final Step next, final Step before) {
        if (next instanceof TransactionStep && !(before instanceof TransactionStep)) {
            deadlines.startTransaction();
        }
        if (next.isWaiting()) {
            deadlines.startWait();
        }
    }

    /** Only from now on is it the peer's turn. */
    void startPeerTurn() {
        deadlines.startPeerTurn();
    }

    /** Bytes have come from the peer, or gone to it. */
    void recordProgress() {
        deadlines.recordProgress();
    }

    /** @return when bytes last came from the peer, or went to it: a wait of ours is no sign of life */
    long lastProgressNanos() {
        return deadlines.lastBytesNanos();
    }

    /**
     * Called behind a look at the socket: what the peer had sent until then has been read.
     *
     * @param nowNanos when the look began
     * @throws ConnectionFault if the connection has to end
     */
    void check(final Step step, final long nowNanos) throws ConnectionFault {
        deadlines.recordRead(reading.lastReadNanos());
        step.checkDeadline(nowNanos);
        deadlines.count(step.isPeersTurn() && !tlsTasks.areRunning(), progressIn(step), nowNanos);
        if (reading.isRatePaused()) {
            // The peer is neither silent nor slow: we do not read what it sends.
            deadlines.startPeerTurn();
        } else {
            deadlines.check(step, connection.requestExpirationMillis(), nowNanos);
        }
        checkStalledHandshake(step, nowNanos);
        if (step.needsRunningPort() && !connection.isPortRunning()) {
            throw Kind.PORT_NOT_RUNNING.fault(connection.port() + " was stopped in step " + step.name());
        }
    }

    private Deadlines.Progress progressIn(final Step step) {
        if (reading.isRatePaused() || step.isDelayedByRate()) {
            return Deadlines.Progress.EXCUSED;
        }
        if (step instanceof final TransactionStep inTransaction
                && inTransaction.transaction().inflatesAbnormally()) {
            return Deadlines.Progress.NONE;
        }
        return Deadlines.Progress.BYTES;
    }

    /** At the limit of handshakes nobody is accepted: one that stands still, where it is the peer's turn, is in the way. */
    private void checkStalledHandshake(final Step step, final long nowNanos) throws ConnectionFault {
        if (step.timeoutPolicy() != Step.TimeoutPolicy.HANDSHAKE || !handshakes.isFull()) {
            return;
        }
        if (step.isWaiting() || tlsTasks.areRunning()) {
            // The peer waits for us.
            return;
        }
        if (nowNanos - lastHandshakeProgressNanos(step) > STALLED_HANDSHAKE_NANOS) {
            throw Kind.HANDSHAKE_TIMEOUT.fault("The handshake stood still for "
                    + TimeUnit.NANOSECONDS.toSeconds(STALLED_HANDSHAKE_NANOS) + " s, in step " + step.name()
                    + ", and others wait to be accepted");
        }
    }

    private long lastHandshakeProgressNanos(final Step step) {
        if (!step.countsPartialMessages()) {
            return deadlines.acceptedNanos();
        }
        return Math.max(deadlines.lastProgressNanos(), tlsTasks.lastEndNanos());
    }
}
