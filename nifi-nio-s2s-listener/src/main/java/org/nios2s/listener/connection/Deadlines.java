// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.util.concurrent.TimeUnit;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.limits.PeerTurn;
import org.nios2s.listener.limits.Revocation;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.tls.TlsTasks;

/**
 * All that may end one connection because of the time, or because its port has stopped. Checked a few times a second. Lives on the
 * connection's IO worker.
 *
 * <p>Slowness is no fault here: what a peer takes is counted for {@link Revocation}. A wait of ours expires as in NiFi's port: after
 * twice what the peer allows, and never less than half a second.
 */
final class Deadlines {
    /** A worker that is later than this has itself to blame: it may not have read yet what the peer has sent. */
    private static final long MAX_COUNTED_NANOS =
            TimeUnit.MILLISECONDS.toNanos(2 * WorkerConnections.CHECK_INTERVAL_MILLIS);

    private static final long MIN_EXPIRATION_MILLIS = 500;

    private final PeerConnection connection;
    private final ReadGate reading;
    private final TlsTasks tlsTasks;
    private final ListenerSettings.Connections settings;
    private final PeerTurn turn;
    private final NanoClock clock;
    private final long acceptedNanos;
    private long lastProgressNanos;
    private long lastBytesNanos;
    private long waitBeganNanos;
    private long countedNanos;

    Deadlines(
            final PeerConnection connection,
            final ReadGate reading,
            final TlsTasks tlsTasks,
            final ListenerSettings.Connections settings) {
        this.connection = connection;
        this.reading = reading;
        this.tlsTasks = tlsTasks;
        this.settings = settings;
        this.turn = connection.turn();
        this.clock = connection.clock();
        this.acceptedNanos = clock.nanoTime();
        this.lastProgressNanos = acceptedNanos;
        this.lastBytesNanos = acceptedNanos;
        this.waitBeganNanos = acceptedNanos;
        this.countedNanos = acceptedNanos;
    }

    /** Bytes have come from the peer, or gone to it. */
    void recordProgress() {
        lastProgressNanos = clock.nanoTime();
        lastBytesNanos = lastProgressNanos;
    }

    /** The peer's turn begins: until now it was ours, or nothing was under way. */
    void startPeerTurn() {
        lastProgressNanos = clock.nanoTime();
    }

    /** The connection goes from one step to another. */
    void entered(final Step next, final Step before) {
        if (next instanceof TransactionStep && !(before instanceof TransactionStep)) {
            startPeerTurn();
            turn.restart();
            countedNanos = lastProgressNanos;
        }
        if (next.isWaiting()) {
            startPeerTurn();
            waitBeganNanos = lastProgressNanos;
        }
    }

    /** @return when bytes last moved: a wait of ours is no sign of life */
    long lastBytesNanos() {
        return lastBytesNanos;
    }

    /**
     * Called behind a look at the socket: what the peer had sent until then has been read.
     *
     * @param nowNanos when the look began
     * @throws ConnectionFault if the connection has to end
     */
    void check(final Step step, final long nowNanos) throws ConnectionFault {
        step.checkDeadline(nowNanos);
        count(step, nowNanos);
        if (reading.isRatePaused()) {
            // The peer is neither silent nor slow: we do not read what it sends.
            startPeerTurn();
        } else {
            checkTimeout(step, nowNanos);
        }
        if (step.needsRunningPort() && !connection.isPortRunning()) {
            throw Kind.PORT_NOT_RUNNING.fault(connection.port() + " was stopped in step " + step.name());
        }
    }

    private void checkTimeout(final Step step, final long nowNanos) throws ConnectionFault {
        final long expirationMillis = connection.requestExpirationMillis();
        switch (step.timeoutPolicy()) {
            case HANDSHAKE -> checkHandshake(step, nowNanos);
            case WITHIN_REQUEST -> checkSilence(step, expirationMillis, nowNanos);
            case BETWEEN_REQUESTS -> checkSilence(step, settings.idleTimeout().millis(expirationMillis), nowNanos);
            case EXPIRATION -> checkExpiration(2 * expirationMillis, nowNanos);
            default -> {}
        }
    }

    private void checkHandshake(final Step step, final long nowNanos) throws ConnectionFault {
        final long allowedMillis = settings.handshakeTimeout().toMillis();
        if (nowNanos - acceptedNanos > TimeUnit.MILLISECONDS.toNanos(allowedMillis)) {
            throw Kind.HANDSHAKE_TIMEOUT.fault(
                    "The handshake was not complete after " + allowedMillis + " ms, in step " + step.name());
        }
    }

    private void checkSilence(final Step step, final long allowedMillis, final long nowNanos) throws ConnectionFault {
        // The socket may have had a part of a TLS record that has yet to come whole.
        final long lastNanos = later(lastProgressNanos, reading.lastReadNanos());
        if (allowedMillis > 0 && nowNanos - lastNanos > TimeUnit.MILLISECONDS.toNanos(allowedMillis)) {
            throw Kind.IDLE_TIMEOUT.fault("The peer was silent for " + allowedMillis + " ms in step " + step.name());
        }
    }

    private void checkExpiration(final long allowedMillis, final long nowNanos) throws ConnectionFault {
        final long millis = Math.max(MIN_EXPIRATION_MILLIS, allowedMillis);
        if (allowedMillis > 0 && nowNanos - waitBeganNanos > TimeUnit.MILLISECONDS.toNanos(millis)) {
            throw Kind.REQUEST_EXPIRED.fault("No port task took the transaction within " + millis
                    + " ms: the port's destination may be full, or the port has too few concurrent tasks");
        }
    }

    /** Counts the peer's own time up to now. */
    private void count(final Step step, final long nowNanos) {
        // A transaction may have begun since the look did.
        final long moreNanos = Math.max(0, nowNanos - countedNanos);
        final long lastMovedNanos = later(lastBytesNanos, reading.lastReadNanos());
        long silentNanos = moreNanos;
        if (reading.isRatePaused() || step.isDelayed()) {
            // There could be no sign of life, since we do not read or write.
            turn.heard();
            silentNanos = 0;
        } else if (!inflatesAbnormally(step)) {
            if (lastMovedNanos - countedNanos >= 0) {
                turn.heard();
            }
            silentNanos = Math.clamp(nowNanos - lastMovedNanos, 0, moreNanos);
        }
        final boolean isPeers = step.isPeersTurn() && !tlsTasks.areRunning();
        turn.count(isPeers, Math.min(moreNanos, MAX_COUNTED_NANOS), silentNanos);
        countedNanos += moreNanos;
    }

    /** Its bytes cost the peer next to nothing, and us very much: they are no sign of life. */
    private static boolean inflatesAbnormally(final Step step) {
        return step instanceof final TransactionStep inTransaction
                && inTransaction.transaction().inflatesAbnormally();
    }

    private static long later(final long nanos, final long otherNanos) {
        return nanos + Math.max(0, otherNanos - nanos);
    }
}
