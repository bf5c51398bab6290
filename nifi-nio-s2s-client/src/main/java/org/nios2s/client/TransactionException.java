// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nios2s.wire.LogText;

/**
 * A transaction failed: says with which peer and port, in which step, and why. Immutable; any thread.
 *
 * <p>Unless {@link #isOutcomeUnknown()}, nothing of the transaction was taken over and all of it can be sent again.
 */
public final class TransactionException extends IOException {
    /** The failure is not one of a single packet. */
    public static final int NO_PACKET = -1;

    private static final long serialVersionUID = 1L;

    /** Peers, proxies and REST APIs have a part in a message: it is one printable line, and has an end. */
    private static final int LONGEST_MESSAGE = 4_000;

    private final String peer;
    private final String port;
    private final String commsId;
    private final TransactionStep step;
    private final FailureReason reason;
    private final String detail;
    private final int failedPacket;
    private final int attempts;
    private final boolean outcomeUnknown;

    private TransactionException(final Builder builder) {
        super(LogText.of(message(builder), LONGEST_MESSAGE), builder.cause);
        peer = builder.peer;
        port = builder.port;
        commsId = builder.commsId;
        step = builder.step;
        reason = builder.reason;
        detail = LogText.of(String.valueOf(builder.detail), LONGEST_MESSAGE);
        failedPacket = builder.failedPacket;
        attempts = builder.attempts;
        outcomeUnknown = builder.outcomeUnknown;
        builder.earlier.forEach(this::addSuppressed);
    }

    private static String message(final Builder builder) {
        return "Transaction with " + builder.peer + (builder.port.isEmpty() ? "" : ", port " + builder.port)
                + ", failed in step " + builder.step + ": " + builder.reason + ": " + builder.detail
                + (builder.commsId.isEmpty() ? "" : " (CommsID=" + builder.commsId + ")");
    }

    /**
     * Begins to describe a failure; also for tests of code that handles one.
     *
     * @param step in which it failed
     * @param reason why
     * @return to be completed by what else is known
     */
    public static Builder builder(final TransactionStep step, final FailureReason reason) {
        return new Builder(step, reason);
    }

    /**
     * Begins to describe the same failure, with more that is known of it.
     *
     * @return with all that this one says, but its stack trace
     */
    public Builder toBuilder() {
        final Builder same = new Builder(step, reason)
                .peer(peer)
                .port(port)
                .commsId(commsId)
                .message(detail)
                .cause(getCause())
                .failedPacket(failedPacket)
                .attempts(attempts);
        same.outcomeUnknown = outcomeUnknown;
        return same;
    }

    /**
     * The peer of the transaction.
     *
     * @return the peer as {@code host:port}, or the URLs of the cluster while no peer is chosen
     */
    public String peer() {
        return peer;
    }

    /**
     * The port of the transaction.
     *
     * @return the name of the NiFi port, or its identifier if only that is known; empty if it is about no port
     */
    public String port() {
        return port;
    }

    /**
     * The connection of the transaction, as {@link TransactionResult#commsId}.
     *
     * @return empty if it failed before the handshake
     */
    public String commsId() {
        return commsId;
    }

    /**
     * The step of the protocol in which it failed.
     *
     * @return the step of the protocol
     */
    public TransactionStep step() {
        return step;
    }

    /**
     * The reason of the failure.
     *
     * @return the reason; more may be added: handle unknown ones
     */
    public FailureReason reason() {
        return reason;
    }

    /**
     * The message without peer, port and step.
     *
     * @return the last part of the message
     */
    public String detail() {
        return detail;
    }

    /**
     * The packet of a push that failed.
     *
     * @return counted from 0; {@link #NO_PACKET} if it was not one of them
     */
    public int failedPacket() {
        return failedPacket;
    }

    /**
     * Counts.
     *
     * @return how many attempts were made, this one included; the earlier ones are {@link #getSuppressed suppressed}
     */
    public int attempts() {
        return attempts;
    }

    /**
     * Whether sending again may make duplicates.
     *
     * @return whether NiFi may have taken the packets over, in this attempt or an earlier one, although the transaction
     *     failed
     */
    public boolean isOutcomeUnknown() {
        return outcomeUnknown;
    }

    /** Describes a failure. Belongs to one thread until {@link #build}. */
    public static final class Builder {
        private final TransactionStep step;
        private final FailureReason reason;
        private String peer = "";
        private String port = "";
        private String commsId = "";
        private String detail = "";
        private @Nullable Throwable cause;
        private List<TransactionException> earlier = List.of();
        private int failedPacket = NO_PACKET;
        private int attempts = 1;
        private boolean outcomeUnknown;

        private Builder(final TransactionStep step, final FailureReason reason) {
            this.step = Objects.requireNonNull(step, "step");
            this.reason = Objects.requireNonNull(reason, "reason");
            outcomeUnknown = step == TransactionStep.COMPLETE;
        }

        /**
         * Sets the peer.
         *
         * @param name as {@code host:port}, or URLs
         * @return this
         */
        public Builder peer(final String name) {
            peer = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Sets the port.
         *
         * @param nameOrId of the NiFi port
         * @return this
         */
        public Builder port(final String nameOrId) {
            port = Objects.requireNonNull(nameOrId, "nameOrId");
            return this;
        }

        /**
         * Sets the connection.
         *
         * @param id as NiFi's log has it
         * @return this
         */
        public Builder commsId(final String id) {
            commsId = Objects.requireNonNull(id, "id");
            return this;
        }

        /**
         * Sets the message.
         *
         * @param text a sentence; null is written as such
         * @return this
         */
        public Builder message(final @Nullable String text) {
            detail = String.valueOf(text);
            return this;
        }

        /**
         * Names the cause.
         *
         * @param thrown null for none
         * @return this
         */
        public Builder cause(final @Nullable Throwable thrown) {
            cause = thrown;
            return this;
        }

        /**
         * Sets the packet that failed.
         *
         * @param number counted from 0
         * @return this
         */
        public Builder failedPacket(final int number) {
            failedPacket = number;
            return this;
        }

        /**
         * Counts the attempts.
         *
         * @param made with this one
         * @return this
         */
        public Builder attempts(final int made) {
            attempts = made;
            return this;
        }

        /**
         * Adds the failures of earlier attempts.
         *
         * @param failures become suppressed exceptions
         * @return this
         */
        public Builder earlier(final List<TransactionException> failures) {
            earlier = List.copyOf(failures);
            return this;
        }

        /**
         * Marks that NiFi may have the packets, as it may anyway in the step {@link TransactionStep#COMPLETE}.
         *
         * @param unknown whether it is so
         * @return this
         */
        public Builder outcomeUnknown(final boolean unknown) {
            outcomeUnknown = unknown || step == TransactionStep.COMPLETE;
            return this;
        }

        /**
         * Ends the description.
         *
         * @return the failure
         */
        public TransactionException build() {
            return new TransactionException(this);
        }
    }
}
