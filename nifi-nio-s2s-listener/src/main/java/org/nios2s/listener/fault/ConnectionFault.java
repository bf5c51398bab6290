// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.fault;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;

/**
 * The reason for which the listener closes a peer's connection in the middle of a conversation. Thrown and caught on the
 * connection's IO worker.
 *
 * <p>It carries no stack trace: peers can cause faults by the thousand, and {@link #kind} and message say what happened. A fault
 * of our own has the cause with its trace.
 */
public final class ConnectionFault extends IOException {
    private static final long serialVersionUID = 1L;

    /** The kinds, each with a rate limit of its own in the log; docs/troubleshooting.md has a row for each. */
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

        /** @return whether NiFi or the listener failed, and not the peer or the network */
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

    /**
     * @param what failed, for the log
     * @return the thrown fault itself; anything else as the cause of an internal fault
     */
    public static ConnectionFault of(final Throwable thrown, final String what) {
        if (thrown instanceof final ConnectionFault fault) {
            return fault;
        }
        return Kind.INTERNAL.fault(what + " failed: " + thrown, thrown);
    }

    public Kind kind() {
        return kind;
    }

    /** @return whether the peer did nothing wrong but leave. In a TLS handshake only the cause tells */
    public boolean isDeparture() {
        return kind == Kind.PEER_CLOSED || kind == Kind.CONNECTION_LOST || getCause() instanceof ClosedChannelException;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
