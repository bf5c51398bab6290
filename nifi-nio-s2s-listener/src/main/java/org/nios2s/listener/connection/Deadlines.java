// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.util.concurrent.TimeUnit;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.limits.PeerTurn;
import org.nios2s.listener.limits.Revocation;
import org.nios2s.listener.settings.IdleTimeout;
import org.nios2s.listener.time.NanoClock;

/**
 * Measures how long a peer takes, and fails the connection if that is too long. Checked a few times a second. Lives on the connection's IO worker.
 *
 * <p>Slowness is no fault here: see {@link Revocation}. A wait of ours expires as in NiFi's port: after twice what the peer allows, and
 * never less than half a second.
 */
final class Deadlines {
    /** A worker that is later than this has itself to blame: it may not have read yet what the peer has sent. */
    private static final long MAX_COUNTED_NANOS =
            TimeUnit.MILLISECONDS.toNanos(2 * WorkerConnections.CHECK_INTERVAL_MILLIS);

    private static final long MIN_EXPIRATION_MILLIS = 500;

    private final long handshakeMillis;
    private final IdleTimeout idleTimeout;
    private final PeerTurn turn = new PeerTurn();
    private final NanoClock clock;
    private final long acceptedNanos;
    private long lastProgressNanos;
    private long lastBytesNanos;
    private long lastReadNanos;
    private long waitBeganNanos;
    private long countedNanos;

    Deadlines(final long handshakeMillis, final IdleTimeout idleTimeout, final NanoClock clock) {
        this.handshakeMillis = handshakeMillis;
        this.idleTimeout = idleTimeout;
        this.clock = clock;
        this.acceptedNanos = clock.nanoTime();
        this.waitBeganNanos = acceptedNanos;
        this.countedNanos = acceptedNanos;
        this.lastBytesNanos = acceptedNanos;
        this.lastReadNanos = acceptedNanos;
        startPeerTurn();
    }

    static Deadlines of(final ListenerContext listener) {
        return new Deadlines(
                listener.settings().connections().handshakeTimeout().toMillis(),
                listener.settings().connections().idleTimeout(),
                listener.clock());
    }

    /** @return the peer's time, by which others may take what it holds */
    PeerTurn turn() {
        return turn;
    }

    /** Bytes have come from the peer, or gone to it. */
    void recordProgress() {
        lastProgressNanos = clock.nanoTime();
        lastBytesNanos = lastProgressNanos;
    }

    /** The socket last had something then, which may be a part of a TLS record that has yet to come whole. */
    void recordRead(final long nanos) {
        lastReadNanos = nanos;
        if (nanos - lastProgressNanos > 0) {
            lastProgressNanos = nanos;
        }
    }

    /** The peer's turn begins: until now it was ours, or nothing was under way. */
    void startPeerTurn() {
        lastProgressNanos = clock.nanoTime();
    }

    /** A transaction begins, with its peer's turn. */
    void startTransaction() {
        startPeerTurn();
        turn.restart();
        countedNanos = lastProgressNanos;
    }

    /** It is our turn from now on: how fast the peer is shows only when its own turn begins again. */
    void startWait() {
        startPeerTurn();
        waitBeganNanos = lastProgressNanos;
    }

    long acceptedNanos() {
        return acceptedNanos;
    }

    /** @return when bytes last moved, or the peer's turn began, if that was later */
    long lastProgressNanos() {
        return lastProgressNanos;
    }

    /** @return when bytes last moved: a wait of ours is no sign of life */
    long lastBytesNanos() {
        return lastBytesNanos;
    }

    /**
     * @param expirationMillis what the peer asked for in its handshake; 0 for ever
     * @throws ConnectionFault if it has taken too long
     */
    void check(final Step step, final long expirationMillis, final long nowNanos) throws ConnectionFault {
        switch (step.timeoutPolicy()) {
            case HANDSHAKE -> checkHandshake(step, nowNanos);
            case WITHIN_REQUEST -> checkSilence(step, expirationMillis, nowNanos);
            case BETWEEN_REQUESTS -> checkSilence(step, idleTimeout.millis(expirationMillis), nowNanos);
            case EXPIRATION -> checkExpiration(2 * expirationMillis, nowNanos);
            default -> {}
        }
    }

    private void checkHandshake(final Step step, final long nowNanos) throws ConnectionFault {
        if (nowNanos - acceptedNanos > TimeUnit.MILLISECONDS.toNanos(handshakeMillis)) {
            throw Kind.HANDSHAKE_TIMEOUT.fault(
                    "The handshake was not complete after " + handshakeMillis + " ms, in step " + step.name());
        }
    }

    private void checkSilence(final Step step, final long allowedMillis, final long nowNanos) throws ConnectionFault {
        if (allowedMillis > 0 && nowNanos - lastProgressNanos > TimeUnit.MILLISECONDS.toNanos(allowedMillis)) {
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

    /**
     * Counts the peer's own time up to now, when a look at its socket began.
     *
     * @param isPeers whether it is the peer's turn
     * @param progress what bytes that moved mean
     */
    void count(final boolean isPeers, final Progress progress, final long nowNanos) {
        // A transaction may have begun since the look did.
        final long moreNanos = Math.max(0, nowNanos - countedNanos);
        final long sinceMovedNanos =
                switch (progress) {
                    case EXCUSED -> 0;
                    case BYTES -> Math.clamp(nowNanos - lastMovedNanos(), 0, moreNanos);
                    case NONE -> moreNanos;
                };
        if (progress == Progress.EXCUSED || progress == Progress.BYTES && lastMovedNanos() - countedNanos >= 0) {
            turn.heard();
        }
        turn.count(isPeers, Math.min(moreNanos, MAX_COUNTED_NANOS), sinceMovedNanos);
        countedNanos += moreNanos;
    }

    private long lastMovedNanos() {
        return Math.max(lastBytesNanos, lastReadNanos);
    }

    /** What bytes that moved say of a peer. */
    enum Progress {
        /** They are a sign of life. */
        BYTES,
        /** They cost the peer next to nothing, and us very much. */
        NONE,
        /** There could be none, since we do not read or write: the peer's rate is limited. */
        EXCUSED
    }
}
