// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.access;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of connections and transactions, for an audit or a search: a line for each peer that has connected and one for each
 * transaction that has ended. Stateless; on the connection's IO worker.
 *
 * <p>There may be thousands of lines a second. So both loggers are off unless an administrator sets them to DEBUG, and while they
 * are off nothing is computed for them.
 */
public final class AccessLog {
    private static final Logger CONNECTIONS = LoggerFactory.getLogger("org.nios2s.listener.access.Connections");
    private static final Logger TRANSACTIONS = LoggerFactory.getLogger("org.nios2s.listener.access.Transactions");

    private AccessLog() {}

    /** The direction of a transfer, seen from this NiFi. */
    public enum Direction {
        RECEIVED,
        SENT
    }

    /**
     * A transaction that has ended.
     *
     * @param peer whose text is fit for a log
     * @param bytes of contents
     * @param durationNanos from the beginning of the transaction
     */
    public record Transfer(
            Object peer, Object port, Direction direction, int flowFiles, long bytes, long durationNanos) {}

    /**
     * Logs a handshake that has succeeded.
     *
     * @param peer whose text is fit for a log
     * @param port that the peer named, or null for none
     * @param transport the layer below the protocol: TLS with its version and suite, or plain TCP
     */
    public static void connected(
            final Object peer, final Object port, final int protocolVersion, final Supplier<String> transport) {
        if (CONNECTIONS.isDebugEnabled()) {
            CONNECTIONS.debug("{}: connected to port {}: version {}, {}", peer, port, protocolVersion, transport.get());
        }
    }

    /** Logs a transaction that was committed. */
    public static void committed(final Supplier<Transfer> transfer) {
        ended(transfer, "committed");
    }

    /** Logs a transaction that was rolled back: the FlowFiles of a push are dropped, those of a pull are in their queue again. */
    public static void rolledBack(final Supplier<Transfer> transfer) {
        ended(transfer, "rolled back");
    }

    private static void ended(final Supplier<Transfer> ended, final String how) {
        if (TRANSACTIONS.isDebugEnabled()) {
            final Transfer transfer = ended.get();
            TRANSACTIONS.debug(
                    "{}: {}: {} {} FlowFiles with {} bytes in {} ms at {}",
                    transfer.peer,
                    how,
                    transfer.direction.name().toLowerCase(Locale.ROOT),
                    transfer.flowFiles,
                    transfer.bytes,
                    TimeUnit.NANOSECONDS.toMillis(transfer.durationNanos),
                    transfer.port);
        }
    }
}
