// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

/** Is told how a transaction has ended. Each implementation says on which thread it is called. */
@FunctionalInterface
public interface OutcomeListener {
    /** The transaction was committed or rolled back; called once. */
    void completed(Outcome outcome);
}
