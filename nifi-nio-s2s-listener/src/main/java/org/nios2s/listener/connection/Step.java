// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.wire.ResponseMessage;

/**
 * One step of the conversation with a peer, named after what the protocol calls it. Lives on the connection's IO worker.
 *
 * <p>A step holds what belongs to it alone and ends by naming its successor. The {@link PeerConnection} holds what outlives the
 * step. A step between the beginning and the end of a transaction is a {@link TransactionStep}, one that waits for our own side
 * is a {@link WaitingStep}, and one that is both is a {@link WaitingTransactionStep}.
 *
 * <pre>
 * step                   time-out          waits  evictable  needs port  end of input
 * ProxyHeaderStep        HANDSHAKE         no     yes        no          FAULT
 * BeginTlsStep           HANDSHAKE         no     yes        no          FAULT
 * MagicStep              HANDSHAKE         no     yes        no          FAULT
 * NegotiateProtocolStep  HANDSHAKE         no     yes        no          FAULT
 * HandshakeStep          HANDSHAKE         no     yes        no          FAULT
 * ValidateHandshakeStep  HANDSHAKE         yes    yes        no          AFTER_ANSWER
 * RequestStep            BETWEEN_REQUESTS  no     yes        no          CLOSE
 * NegotiateCodecStep     WITHIN_REQUEST    no     yes        no          FAULT
 * PeerListStep           NONE              yes    no         no          AFTER_ANSWER
 * AwaitRateStep          NONE              yes    yes        no          FAULT
 * ClosingStep            NONE              no     no         no          CLOSE
 *
 * AdmitTransactionStep   EXPIRATION        yes    yes        yes         FAULT
 * ReceivePacketStep      WITHIN_REQUEST    no     no         yes         FAULT
 * ReceiveIndicatorStep   WITHIN_REQUEST    no     no         yes         FAULT
 * AwaitMemoryStep        EXPIRATION        yes    no         yes         FAULT
 * AwaitSessionStep       EXPIRATION        yes    no         yes         FAULT
 * AwaitWriterStep        NONE              yes    no         yes         FAULT
 * AwaitRoomStep          EXPIRATION        yes    no         yes         FAULT
 * AwaitConfirmationStep  WITHIN_REQUEST    no     no         yes         FAULT
 * AwaitCommitStep        NONE              yes    no         yes/no      FAULT
 *
 * AwaitFlowFilesStep     EXPIRATION        yes    yes        yes         FAULT
 * SendStep               WITHIN_REQUEST/NONE yes  no         yes         FAULT
 * AwaitChecksumStep      WITHIN_REQUEST    no     no         yes         FAULT
 * AwaitFinishedStep      WITHIN_REQUEST    no     no         no          FAULT
 * CommitPullStep         NONE              yes    no         no          CLOSE
 * </pre>
 *
 * <p>The two cells with two values: {@code AwaitCommitStep} needs its port until a port task has claimed the transaction, and
 * {@code SendStep} has a time-out while a piece is with the socket.
 */
public interface Step {
    /** The bound of the time that a step may take. */
    enum TimeoutPolicy {
        /** From accept to the end of the handshake. */
        HANDSHAKE,
        /** The request expiration, from the last byte that moved. */
        WITHIN_REQUEST,
        /** The idle time-out of the settings, from the last byte that moved; twice the request expiration by default. */
        BETWEEN_REQUESTS,
        /** The wait is ours, from the step's beginning, and lasts as long as a request may wait in NiFi's port. */
        EXPIRATION,
        /** No time-out of the connection's applies: the step itself decides when it ends. */
        NONE
    }

    /** The reaction to a peer that has closed its side of the connection. */
    enum EndOfInput {
        /** The peer owes us something: the step ends in a fault. */
        FAULT,
        /** The peer may still read: it gets the answer that is being made, and the step behind it decides. */
        AFTER_ANSWER,
        /** The peer may leave here: we close, too. */
        CLOSE
    }

    /** Called when the step is entered: does its first work, and names the next step, or itself. If it throws, it is abandoned. */
    default Step begin() throws IOException {
        return this;
    }

    /**
     * Takes what it can from the bytes that have arrived, and names the next step, or this one if it needs more.
     *
     * @throws IOException if the conversation can't go on: a {@link ConnectionFault}, or a protocol violation found by a codec
     */
    Step receive(ByteBuf in) throws IOException;

    /** @return how long it may take now */
    TimeoutPolicy timeoutPolicy();

    /** @return whether nothing is lost but a connection, or its place in a queue, when the peer is cut off here */
    default boolean isEvictable() {
        return true;
    }

    /** @return whether arriving bytes have to wait, since it is our turn */
    default boolean isWaiting() {
        return false;
    }

    /** @return whether a peer that has used up its rate is not read here */
    default boolean isRateLimited() {
        return false;
    }

    /** @return whether the time passes on the peer's account: it holds what others may wait for, and could be faster */
    default boolean isPeersTurn() {
        return !isWaiting();
    }

    /** @return whether the peer's rate, its key of TLS, or other peers delay this step now, though it is the peer's turn */
    default boolean isDelayed() {
        return false;
    }

    /** @return memory that it holds, in addition to what its transaction is charged */
    default int heldBytes() {
        return 0;
    }

    /** @return whether the port has to run for this step to go on */
    default boolean needsRunningPort() {
        return false;
    }

    /** @return the reaction to a peer that sends nothing more */
    default EndOfInput endOfInput() {
        return EndOfInput.FAULT;
    }

    /** The connection is gone, or this step was left for a fault: gives back what it holds. */
    default void abandon() {}

    /** Looks after its own deadline; called a few times a second. */
    default void checkDeadline(final long nowNanos) throws ConnectionFault {}

    default String name() {
        return getClass().getSimpleName();
    }

    /** @return the fault of a peer that sends another response than the step takes */
    static ConnectionFault unexpected(final ResponseMessage received, final String expected) {
        return Kind.UNEXPECTED_RESPONSE.fault("The peer sends " + received + " in place of " + expected);
    }

    /** The first step of a conversation, and the one between requests. Immutable; any thread. */
    interface Protocol {
        Step begins(PeerConnection connection);

        Step awaitsRequest(PeerConnection connection);
    }
}
