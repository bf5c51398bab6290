// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.fault;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;

/**
 * Why a peer's connection is closed before it said good-bye. Thrown and caught on the connection's IO worker; carries no
 * stack trace, since the fault lies with the peer and not in our code.
 */
public final class ConnectionFault extends IOException {
    private static final long serialVersionUID = 1L;

    /** Causes, each with a rate limit of its own in the log. */
    public enum Kind {
        PROXY_HEADER,
        WRONG_MAGIC,
        UNKNOWN_PROTOCOL,
        HANDSHAKE_REFUSED,
        HANDSHAKE_TIMEOUT,
        UNKNOWN_CODEC,
        UNKNOWN_REQUEST,
        UNEXPECTED_REQUEST,
        PROTOCOL_ERROR,
        UNEXPECTED_RESPONSE,
        BAD_CHECKSUM,
        PEER_CLOSED,
        IDLE_TIMEOUT,
        SLOW_PEER,
        REQUEST_EXPIRED,
        PORT_NOT_RUNNING,
        NOT_AUTHORIZED,
        COMMIT_FAILED,
        POSSIBLE_DUPLICATES,
        TLS,
        TOO_MANY_CONNECTIONS,
        CONNECTION_LOST,
        INTERNAL;

        /** @return whether it is us who failed, and not the peer */
        public boolean isOurs() {
            return this == INTERNAL || this == COMMIT_FAILED;
        }

        public ConnectionFault fault(final String message) {
            return fault(message, null);
        }

        public ConnectionFault fault(final String message, final Throwable cause) {
            return new ConnectionFault(this, message, cause);
        }
    }

    private final Kind kind;

    private ConnectionFault(final Kind kind, final String message, final Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** @return what was thrown, or a fault of ours that says what has failed by it */
    public static ConnectionFault of(final Throwable thrown, final String what) {
        return thrown instanceof final ConnectionFault fault
                ? fault
                : Kind.INTERNAL.fault(what + " failed: " + thrown, thrown);
    }

    public Kind kind() {
        return kind;
    }

    /** @return whether the peer did nothing wrong but leave; in a TLS handshake it is the cause that says so */
    public boolean isDeparture() {
        return kind == Kind.PEER_CLOSED || kind == Kind.CONNECTION_LOST || getCause() instanceof ClosedChannelException;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
