// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.listener.fault.PeerFault.Kind;
import org.nios2s.listener.settings.IdleTimeout;

/**
 * How long a peer has taken, and whether it may. Looked at a few times a second. Lives on the connection's IO worker.
 *
 * <p>Slowness alone is no fault. But a peer that holds what others wait for, and moves less than a kilobyte a second, loses
 * it. A wait of ours expires as in NiFi's port: after twice what the peer allows, and never less than half a second.
 */
final class Deadlines {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long LEAST_BYTES_PER_SECOND = 1024;
    private static final long SHORTEST_EXPIRATION_MILLIS = 500;

    private final long handshakeMillis;
    private final IdleTimeout idleTimeout;
    private final BooleanSupplier holdsScarce;
    private final LongSupplier nanoTime;
    private final long acceptedNanos;
    private long lastMovedNanos;
    private long waitBeganNanos;
    private long windowStartNanos;
    private long windowBytes;
    private boolean slow;

    /**
     * @param holdsScarce whether others wait for what the peer makes us hold
     * @param nanoTime as {@link System#nanoTime}
     */
    Deadlines(
            final long handshakeMillis,
            final IdleTimeout idleTimeout,
            final BooleanSupplier holdsScarce,
            final LongSupplier nanoTime) {
        this.handshakeMillis = handshakeMillis;
        this.idleTimeout = idleTimeout;
        this.holdsScarce = holdsScarce;
        this.nanoTime = nanoTime;
        this.acceptedNanos = nanoTime.getAsLong();
        this.waitBeganNanos = acceptedNanos;
        peersTurn();
    }

    /** Bytes have come from the peer, or gone to it. */
    void moved(final int bytes) {
        lastMovedNanos = nanoTime.getAsLong();
        windowBytes += bytes;
    }

    /** Only from now on is it the peer's turn: it was ours, or nothing was under way. */
    void peersTurn() {
        lastMovedNanos = nanoTime.getAsLong();
        windowStartNanos = lastMovedNanos;
        windowBytes = 0;
        slow = false;
    }

    /** From now on it is ours: how fast the peer is shows only when it is its turn again. */
    void waitBegins() {
        peersTurn();
        waitBeganNanos = lastMovedNanos;
    }

    long lastMovedNanos() {
        return lastMovedNanos;
    }

    /**
     * @param expirationMillis what the peer asked for in its handshake; 0 for ever
     * @throws PeerFault if it has taken too long
     */
    void check(final Step step, final long expirationMillis, final long nowNanos) throws PeerFault {
        switch (step.patience()) {
            case HANDSHAKE -> checkHandshake(step, nowNanos);
            case WITHIN_REQUEST -> checkSilence(step, expirationMillis, nowNanos);
            case BETWEEN_REQUESTS -> checkSilence(step, idleTimeout.millis(expirationMillis), nowNanos);
            case EXPIRATION -> checkExpiration(2 * expirationMillis, nowNanos);
            default -> {}
        }
        checkProgress(step, nowNanos);
    }

    private void checkHandshake(final Step step, final long nowNanos) throws PeerFault {
        if (nowNanos - acceptedNanos > TimeUnit.MILLISECONDS.toNanos(handshakeMillis)) {
            throw Kind.HANDSHAKE_TIMEOUT.fault(
                    "The handshake was not complete after " + handshakeMillis + " ms, in step " + step.name());
        }
    }

    private void checkSilence(final Step step, final long allowedMillis, final long nowNanos) throws PeerFault {
        if (allowedMillis > 0 && nowNanos - lastMovedNanos > TimeUnit.MILLISECONDS.toNanos(allowedMillis)) {
            throw Kind.SILENT.fault("The peer was silent for " + allowedMillis + " ms in step " + step.name());
        }
    }

    private void checkExpiration(final long allowedMillis, final long nowNanos) throws PeerFault {
        final long millis = Math.max(SHORTEST_EXPIRATION_MILLIS, allowedMillis);
        if (allowedMillis > 0 && nowNanos - waitBeganNanos > TimeUnit.MILLISECONDS.toNanos(millis)) {
            throw Kind.EXPIRED.fault(
                    "No port task took the transaction within " + millis + " ms; the port's destination may be full");
        }
    }

    private void checkProgress(final Step step, final long nowNanos) throws PeerFault {
        if (nowNanos - windowStartNanos >= WINDOW_NANOS) {
            slow = windowBytes < LEAST_BYTES_PER_SECOND * TimeUnit.NANOSECONDS.toSeconds(WINDOW_NANOS);
            windowStartNanos = nowNanos;
            windowBytes = 0;
        }
        if (slow && holdsScarce.getAsBoolean()) {
            throw Kind.TOO_SLOW.fault("The peer moves less than " + LEAST_BYTES_PER_SECOND + " bytes a second in step "
                    + step.name() + ", and what it holds is scarce");
        }
    }
}
