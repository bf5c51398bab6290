// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;

/**
 * Hears what a client does, for metrics and alarms. Called on IO workers: must not block; what it throws is logged and
 * has no effect. Every method does nothing unless it is overridden.
 */
public interface ClientObserver {
    /** Hears nothing. */
    ClientObserver NONE = new ClientObserver() {};

    /**
     * A connection is ready for transactions.
     *
     * @param peer as {@code host:port}
     * @param portIdentifier of the NiFi port that it serves
     */
    default void connectionOpened(final String peer, final String portIdentifier) {}

    /**
     * A connection that was ready is gone.
     *
     * @param peer as {@code host:port}
     * @param portIdentifier of the NiFi port that it served
     */
    default void connectionClosed(final String peer, final String portIdentifier) {}

    /** A connection could not be opened; what waits for it may be served by another. */
    default void connectionFailed(final TransactionException failure) {}

    /**
     * A transaction succeeded, after as many attempts as it took.
     *
     * @param direction {@code SEND} or {@code RECEIVE}
     * @param result packets, bytes, times
     */
    default void transactionCompleted(final String direction, final TransactionResult result) {}

    /**
     * A transaction failed, and is not tried again.
     *
     * @param direction {@code SEND} or {@code RECEIVE}
     * @param failure says who, where and why
     */
    default void transactionFailed(final String direction, final TransactionException failure) {}

    /**
     * An attempt failed, and another follows.
     *
     * @param failure of the attempt
     * @param attempts that have failed so far
     * @param pause before the next one
     */
    default void retrying(final TransactionException failure, final int attempts, final Duration pause) {}
}
