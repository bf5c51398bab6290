// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

/** Why a transaction failed, so that a program can decide what to do. Immutable; any thread. More may be added. */
public enum FailureReason {
    /** No TCP connection could be opened. */
    CONNECT_FAILED(true),
    /** The peer's certificate is not trusted, or it does not trust ours, or it does not speak TLS. */
    TLS_FAILED(false),
    /** The peer has no public port with this identifier. */
    UNKNOWN_PORT(false),
    /** The port is stopped, disabled or invalid. */
    PORT_NOT_RUNNING(true),
    /** The destination of the port is full: the peer takes nothing now. */
    DESTINATION_FULL(true),
    /** The peer does not let us use this port. */
    UNAUTHORIZED(false),
    /** The peer refused the handshake for another reason, told in the message. */
    REFUSED(false),
    /** The peer said something that the protocol does not have here. */
    PROTOCOL_VIOLATION(true),
    /** The peer closed the connection, or it broke. */
    CONNECTION_LOST(true),
    /** The checksums differ: the data was changed on its way. */
    BAD_CHECKSUM(true),
    /** The transaction was not over at its deadline. */
    DEADLINE_EXCEEDED(true),
    /** The peer took nothing and said nothing for as long as the idle time-out allows. */
    IDLE_TIMEOUT(true),
    /** Too many transactions of this port are pending already. */
    TOO_MANY_PENDING(true),
    /** The packets could not be had, or a packet's content could not be read or is not as long as declared. */
    CONTENT_FAILED(false),
    /** The handler of pulled packets threw an exception, or did not read all of them. */
    HANDLER_FAILED(false),
    /** The peer closed the connection before the handler of pulled packets returned, for it waited too long. */
    HANDLER_TOO_SLOW(false),
    /** The caller cancelled the transaction. */
    CANCELLED(false),
    /** The client was closed. */
    CLIENT_CLOSED(false),
    /** The client itself failed; the cause says how. */
    INTERNAL_ERROR(false),
    /** No peer could be found: the REST API does not answer, or no node tells the peers. The cause says more. */
    NO_PEER(true);

    private final boolean isTransient;

    FailureReason(final boolean isTransient) {
        this.isTransient = isTransient;
    }

    /**
     * Whether another attempt may succeed.
     *
     * @return whether the same transaction may succeed later without anybody changing anything
     */
    public boolean isTransient() {
        return isTransient;
    }
}
