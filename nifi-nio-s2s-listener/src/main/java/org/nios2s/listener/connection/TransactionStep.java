// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

/**
 * A step between the beginning of a transaction and the moment from which nobody may take it back. Lives on the connection's IO
 * worker.
 *
 * <p>While a connection is in such a step, it is not evicted, its port has to run, and the deadlines of a transaction hold. If the
 * connection ends here, the transaction is abandoned.
 */
public interface TransactionStep extends Step {
    /** @return the transaction to which the step belongs */
    TransactionContext transaction();

    @Override
    default boolean isEvictable() {
        return false;
    }

    @Override
    default boolean needsRunningPort() {
        return true;
    }

    @Override
    default void abandon() {
        transaction().abandon();
    }
}
