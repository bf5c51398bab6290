// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;

/**
 * Hears what a client does, for metrics and alarms. Called on IO workers and on threads that end a call or a poll: must
 * not block; what it throws is logged and has no effect. Every method does nothing unless it is overridden.
 *
 * <p>Results and failures name the port ({@link TransactionResult#port}, {@link TransactionException#port}) and the
 * connection as NiFi's log does ({@link TransactionResult#commsId}, {@link TransactionException#commsId}).
 */
public interface ClientObserver {
    /** Ignores everything. */
    ClientObserver NONE = new ClientObserver() {};

    /**
     * A connection, as it is reported to an observer.
     *
     * @param peer as {@code host:port}
     * @param port the name of the NiFi port that it serves, or its identifier while the name is not known
     * @param portIdentifier of that port
     * @param commsId by which NiFi's log and the listener's know the connection, as {@code CommsID}
     */
    record Connection(String peer, String port, String portIdentifier, String commsId) {}

    /**
     * A connection is ready for transactions.
     *
     * @param connection which one
     */
    default void connectionOpened(final Connection connection) {}

    /**
     * A connection that was ready is gone.
     *
     * @param connection which one
     */
    default void connectionClosed(final Connection connection) {}

    /**
     * A connection could not be opened; what waits for it may be served by another.
     *
     * @param failure says to which peer and why
     */
    default void connectionFailed(final TransactionException failure) {}

    /**
     * A transaction succeeded, after as many attempts as it took.
     *
     * @param direction of its packets
     * @param result port, packets, bytes, times
     */
    default void transactionCompleted(final Direction direction, final TransactionResult result) {}

    /**
     * A transaction failed, and is not tried again.
     *
     * @param direction of its packets
     * @param failure says which port, who, where and why
     */
    default void transactionFailed(final Direction direction, final TransactionException failure) {}

    /**
     * An attempt failed, and another follows.
     *
     * @param direction of its packets
     * @param failure of the attempt
     * @param attempts that have failed so far
     * @param pause before the next one
     */
    default void retrying(
            final Direction direction, final TransactionException failure, final int attempts, final Duration pause) {}
}
