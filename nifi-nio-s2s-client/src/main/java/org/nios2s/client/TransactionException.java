// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.IOException;
import java.util.List;

/**
 * A transaction failed: says with which peer and port, in which step, and why. Immutable; any thread.
 *
 * <p>Unless {@link #isOutcomeUnknown()}, nothing of the transaction was taken over and all of it can be sent again.
 */
public final class TransactionException extends IOException {
    /** The failure is not one of a single packet. */
    static final int NO_PACKET = -1;

    private static final int LONGEST_DETAIL = 1_000;

    private final String peer;
    private final String portIdentifier;
    private final TransactionStep step;
    private final FailureReason reason;
    private final String detail;
    /** Which packet of a push it was, from 0; belongs to the IO worker until the transaction is over. */
    private int failedPacket = NO_PACKET;
    /** These two are set before the exception is handed to anybody. */
    private int attempts = 1;

    private boolean unknownBefore;

    TransactionException(
            final Endpoint port,
            final TransactionStep step,
            final FailureReason reason,
            final String message,
            final Throwable cause) {
        this(port.peer(), port.portIdentifier(), step, reason, message, cause);
    }

    TransactionException(
            final String peer,
            final String portIdentifier,
            final TransactionStep step,
            final FailureReason reason,
            final String message,
            final Throwable cause) {
        super(
                "Transaction with " + peer + (portIdentifier.isEmpty() ? "" : ", port " + portIdentifier)
                        + ", failed in step " + step + ": " + reason + ": " + message,
                cause);
        this.peer = peer;
        this.portIdentifier = portIdentifier;
        this.step = step;
        this.reason = reason;
        this.detail = String.valueOf(message);
    }

    /** @return the peer as {@code host:port}, or the URLs of the cluster while no peer is chosen */
    public String peer() {
        return peer;
    }

    /** @return the identifier of the NiFi port, or its name while the identifier is not known */
    public String portIdentifier() {
        return portIdentifier;
    }

    /** @return the step in which it failed */
    public TransactionStep step() {
        return step;
    }

    /** @return why it failed */
    public FailureReason reason() {
        return reason;
    }

    /** @return how many attempts were made, this one included; the earlier ones are {@link #getSuppressed suppressed} */
    public int attempts() {
        return attempts;
    }

    /**
     * The failure of a whole call. An exception of one attempt may belong to many calls, so it is copied.
     *
     * @param made attempts, this one included
     * @param earlier what failed before
     * @param unknown whether the outcome of any attempt is unknown
     */
    TransactionException after(final int made, final List<TransactionException> earlier, final boolean unknown) {
        final TransactionException last =
                new TransactionException(peer, portIdentifier, step, reason, detail, getCause());
        last.setStackTrace(getStackTrace());
        last.failedPacket = failedPacket;
        last.attempts = made;
        last.unknownBefore = unknown;
        for (final Throwable own : getSuppressed()) {
            last.addSuppressed(own);
        }
        earlier.forEach(last::addSuppressed);
        return last;
    }

    /** @return which packet of a push it was that failed, from 0 */
    int failedPacket() {
        return failedPacket;
    }

    TransactionException ofPacket(final long number) {
        failedPacket = (int) Math.min(number, Integer.MAX_VALUE);
        return this;
    }

    /** @return what happened, without peer, port and step; short enough for the wire */
    String detail() {
        return detail.substring(0, Math.min(detail.length(), LONGEST_DETAIL));
    }

    /**
     * @return whether NiFi may have taken the packets over, in this attempt or an earlier one, although the transaction
     *     failed; to send them again may make duplicates
     */
    public boolean isOutcomeUnknown() {
        return unknownBefore || step == TransactionStep.COMPLETE;
    }
}
