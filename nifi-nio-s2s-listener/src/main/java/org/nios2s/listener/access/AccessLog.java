// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.access;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A line for each peer that has connected and one for each transaction that has ended, for an audit or a search. Stateless;
 * on the connection's IO worker.
 *
 * <p>There may be thousands a second: both loggers are off unless an administrator sets them to DEBUG, and then nothing is
 * computed for them.
 */
public final class AccessLog {
    private static final Logger CONNECTIONS = LoggerFactory.getLogger("org.nios2s.listener.access.Connections");
    private static final Logger TRANSACTIONS = LoggerFactory.getLogger("org.nios2s.listener.access.Transactions");

    private AccessLog() {}

    /** Which way FlowFiles went, from here. */
    public enum Direction {
        RECEIVED("received"),
        SENT("sent");

        private final String word;

        Direction(final String word) {
            this.word = word;
        }
    }

    /**
     * What was transferred.
     *
     * @param peer with whom, fit for a log
     * @param bytes of contents
     * @param startNanos when the transaction began, as {@link System#nanoTime}
     */
    public record Transfer(Object peer, Object port, Direction direction, int flowFiles, long bytes, long startNanos) {}

    /**
     * A Site-to-Site handshake is over.
     *
     * @param peer who, fit for a log
     * @param port that it named, or null for none
     * @param transport under what the protocol runs: TLS with its version and suite, or not
     */
    public static void connected(
            final Object peer, final Object port, final int protocolVersion, final Supplier<String> transport) {
        if (CONNECTIONS.isDebugEnabled()) {
            CONNECTIONS.debug("{}: connected to port {}: version {}, {}", peer, port, protocolVersion, transport.get());
        }
    }

    /** A transaction was committed. */
    public static void committed(final Supplier<Transfer> transfer) {
        ended(transfer, "committed");
    }

    /** A transaction came to nothing: the FlowFiles of a push are dropped, those of a pull are in their queue again. */
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
                    transfer.direction.word,
                    transfer.flowFiles,
                    transfer.bytes,
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - transfer.startNanos),
                    transfer.port);
        }
    }
}
