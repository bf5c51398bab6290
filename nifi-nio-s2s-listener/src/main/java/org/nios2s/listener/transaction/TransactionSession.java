// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.util.function.Consumer;
import org.apache.nifi.processor.ProcessSession;

/**
 * A session of NiFi's that belongs to one transaction for a while. Whoever holds it uses it on one thread at a time and
 * ends it once; the port sees to where that happens.
 */
public interface TransactionSession {
    /** @return NiFi's session; only until it is asked to end */
    ProcessSession session();

    /**
     * Has it committed inside a later visit to the port; rolled back if the port has stopped.
     *
     * @param owner whose transaction it is
     * @param report hears the outcome, on any thread
     */
    void commit(TransactionPeer owner, Consumer<Outcome> report);

    /**
     * Has it committed inside a later visit to the port, or at once if the port has stopped.
     *
     * @param owner whose transaction it is
     * @param report hears the outcome, on any thread
     */
    void commitAnyway(TransactionPeer owner, Consumer<Outcome> report);

    /**
     * Has it rolled back, even if a commit was asked for, unless it has ended already.
     *
     * @param owner whose transaction it is
     */
    void rollback(TransactionPeer owner);
}
