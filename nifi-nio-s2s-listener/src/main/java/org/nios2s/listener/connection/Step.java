// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.limits.Contention;
import org.nios2s.wire.ResponseMessage;

/**
 * One step of the conversation with a peer, named after what the protocol calls it. Lives on the connection's IO worker.
 *
 * <p>A step holds what belongs to it alone and ends by naming its successor; what outlives it is in the
 * {@link PeerConnection}.
 */
public interface Step {
    /** How long a step may take. */
    enum TimeoutPolicy {
        /** From accept to the end of the handshake. */
        HANDSHAKE,
        /** The request expiration, from the last byte that moved. */
        WITHIN_REQUEST,
        /** The idle time-out of the settings, from the last byte that moved; twice the request expiration by default. */
        BETWEEN_REQUESTS,
        /** The wait is ours, from the step's beginning, and lasts as long as a request may wait in NiFi's port. */
        EXPIRATION,
        /** The wait is ours, and the step itself decides when it ends. */
        NONE
    }

    /** It has been entered: does what it begins with, and names the next step, or itself; if it throws, it is abandoned. */
    default Step begin() throws IOException {
        return this;
    }

    /**
     * Takes what it can from the bytes that have arrived, and names the next step, or this one if it needs more.
     *
     * @throws IOException if the conversation can't go on: a {@link ConnectionFault}, or a protocol violation found by a codec
     */
    Step receive(ByteBuf in) throws IOException;

    default TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.WITHIN_REQUEST;
    }

    /** @return whether nothing is lost but a connection, or its place in a line, when the peer is cut off here */
    default boolean isEvictable() {
        return transfer() == null && timeoutPolicy() != TimeoutPolicy.NONE;
    }

    /** @return whether arriving bytes have to wait, since it is our turn */
    default boolean isWaiting() {
        return false;
    }

    /** @return whether a peer that has used up its rate is not read here */
    default boolean isRateLimited() {
        return false;
    }

    /** @return whether the peer's rate decides how long this step takes */
    default boolean isDelayedByRate() {
        return isRateLimited();
    }

    /** @return whether a part of its message counts as progress while others wait to be accepted */
    default boolean countsPartialMessages() {
        return true;
    }

    /** @return memory that it holds, beside what its transaction is charged */
    default int heldBytes() {
        return 0;
    }

    /** @return the transaction that has begun and not ended; null outside of one */
    default Transfer transfer() {
        return null;
    }

    /** @return whether the port has to run for this step to go on */
    default boolean needsRunningPort() {
        return transfer() != null || timeoutPolicy() == TimeoutPolicy.EXPIRATION;
    }

    /** The peer will send nothing more: names the next step, or throws if that is a fault in this one. */
    default Step endOfInput() throws IOException {
        throw Kind.PEER_CLOSED.fault("The peer left in step " + name());
    }

    /** @return whether a peer that will send nothing more still gets its answer first */
    default boolean answersBeforeEndOfInput() {
        return false;
    }

    /** The connection is gone, or this step was left for a fault: gives back what it holds. */
    default void abandon() {
        if (transfer() != null) {
            transfer().abandon();
        }
    }

    /** @return for a peer that says something else than this step takes */
    default ConnectionFault unexpected(final ResponseMessage said, final String expected) {
        return Kind.UNEXPECTED_RESPONSE.fault("The peer says " + said + " in place of " + expected);
    }

    /** Looks after its own deadline; called a few times a second. */
    default void checkDeadline(final long nowNanos) throws ConnectionFault {}

    default String name() {
        return getClass().getSimpleName();
    }

    /** What the steps of one push or pull share while packets are on their way. Lives on the connection's IO worker. */
    interface Transfer {
        PeerConnection connection();

        /** @return whether others wait for what it holds: then its peer makes progress or loses it */
        Contention scarcity();

        /** Nothing comes of it: gives back what it holds. */
        void abandon();
    }

    /** Where a conversation begins and where it returns to between requests. Immutable; any thread. */
    interface Protocol {
        Step begins(PeerConnection connection);

        Step awaitsRequest(PeerConnection connection);
    }
}
