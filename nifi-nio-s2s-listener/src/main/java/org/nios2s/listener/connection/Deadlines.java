// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.limits.Contention;
import org.nios2s.listener.settings.IdleTimeout;
import org.nios2s.listener.time.NanoClock;

/**
 * Measures how long a peer takes, and fails the connection if that is too long. Checked a few times a second. Lives on the connection's IO worker.
 *
 * <p>Slowness alone is no fault. But a peer that holds what others wait for has to move a kilobyte a second, and one more
 * for each minute that its transaction has lasted, up to eight. If it holds more than its share, and another peer waits, it has to
 * move sixteen. Otherwise it loses its transaction. A wait of ours expires as in NiFi's port: after twice what the peer allows, and never less than half a second.
 */
final class Deadlines {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long MIN_BYTES_PER_SECOND = 1024;
    private static final long MAX_DEMANDED_BYTES_PER_SECOND = 8 * MIN_BYTES_PER_SECOND;
    private static final long BYTES_PER_SECOND_BEYOND_SHARE = 16 * MIN_BYTES_PER_SECOND;
    private static final long MIN_EXPIRATION_MILLIS = 500;

    private final long handshakeMillis;
    private final IdleTimeout idleTimeout;
    private final Supplier<Contention> scarcity;
    private final NanoClock clock;
    private final long acceptedNanos;
    private long lastProgressNanos;
    private long lastBytesNanos;
    private long waitBeganNanos;
    private long windowStartNanos;
    private long windowBytes;
    /** Rate in the last window that has passed; above any limit before the first has. */
    private long bytesPerSecond;

    private long transferBeganNanos;
    private boolean isInTransfer;

    /**
     * @param scarcity whether others wait for what the peer makes us hold
     */
    Deadlines(
            final long handshakeMillis,
            final IdleTimeout idleTimeout,
            final Supplier<Contention> scarcity,
            final NanoClock clock) {
        this.handshakeMillis = handshakeMillis;
        this.idleTimeout = idleTimeout;
        this.scarcity = scarcity;
        this.clock = clock;
        this.acceptedNanos = clock.nanoTime();
        this.waitBeganNanos = acceptedNanos;
        this.lastBytesNanos = acceptedNanos;
        startPeerTurn();
    }

    /** @param scarcity whether others wait for what the peer makes us hold */
    static Deadlines of(final ListenerContext listener, final Supplier<Contention> scarcity) {
        return new Deadlines(
                listener.settings().connections().handshakeTimeout().toMillis(),
                listener.settings().connections().idleTimeout(),
                scarcity,
                listener.clock());
    }

    /** Bytes have come from the peer, or gone to it. */
    void recordProgress(final int bytes) {
        lastProgressNanos = clock.nanoTime();
        lastBytesNanos = lastProgressNanos;
        windowBytes += bytes;
    }

    /** The socket last had something then, which may be a part of a TLS record that has yet to come whole. */
    void recordRead(final long nanos) {
        if (nanos - lastProgressNanos > 0) {
            lastProgressNanos = nanos;
        }
    }

    /** The peer's turn begins: until now it was ours, or nothing was under way. */
    void startPeerTurn() {
        lastProgressNanos = clock.nanoTime();
        windowStartNanos = lastProgressNanos;
        windowBytes = 0;
        bytesPerSecond = Long.MAX_VALUE;
    }

    /** A transaction begins, with its peer's turn. */
    void startTransaction() {
        startPeerTurn();
        transferBeganNanos = lastProgressNanos;
        isInTransfer = true;
    }

    void endTransaction() {
        isInTransfer = false;
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
        checkProgress(step, nowNanos);
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

    private void checkProgress(final Step step, final long nowNanos) throws ConnectionFault {
        if (nowNanos - windowStartNanos >= WINDOW_NANOS) {
            // Whole windows only: within one, a burst or a pause would say nothing about the peer.
            bytesPerSecond = windowBytes / TimeUnit.NANOSECONDS.toSeconds(WINDOW_NANOS);
            windowStartNanos = nowNanos;
            windowBytes = 0;
        }
        if (bytesPerSecond >= BYTES_PER_SECOND_BEYOND_SHARE) {
            return;
        }
        final long demanded = demanded(nowNanos);
        if (bytesPerSecond < demanded) {
            throw Kind.SLOW_PEER.fault("The peer transfers less than " + demanded + " bytes per second in step "
                    + step.name() + ", and other peers wait for what it holds");
        }
    }

    private long demanded(final long nowNanos) {
        return switch (scarcity.get()) {
            case NONE -> 0;
            case CONTENDED ->
                Math.min(MAX_DEMANDED_BYTES_PER_SECOND, MIN_BYTES_PER_SECOND * (1 + minutesOfTransfer(nowNanos)));
            case BEYOND_SHARE -> BYTES_PER_SECOND_BEYOND_SHARE;
        };
    }

    private long minutesOfTransfer(final long nowNanos) {
        if (isInTransfer) {
            return TimeUnit.NANOSECONDS.toMinutes(nowNanos - transferBeganNanos);
        }
        return 0;
    }
}
