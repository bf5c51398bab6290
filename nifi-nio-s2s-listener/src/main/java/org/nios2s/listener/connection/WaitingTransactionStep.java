// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

/** A step of a transaction in which it is our turn. Lives on the connection's IO worker. */
public interface WaitingTransactionStep extends WaitingStep, TransactionStep {
    @Override
    default PeerConnection connection() {
        return transaction().connection();
    }
}
