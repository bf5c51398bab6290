// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.util.function.Consumer;
import org.apache.nifi.processor.ProcessSession;

/**
 * A session of NiFi's that belongs to one transaction for a while. Whoever holds it uses it on one thread at a time and
 * asks for its end; it ends exactly once, and the port sees to where that happens.
 */
public interface TransactionSession {
    /** @return NiFi's session; only until it is asked to end */
    ProcessSession session();

    /**
     * Has it committed inside a later visit to the port. If the port stops before, a push is rolled back, and a pull, whose
     * peer has the FlowFiles, is committed all the same.
     *
     * @param report hears the outcome, once, on any thread
     */
    void commit(Consumer<Outcome> report);

    /** Has it rolled back now, on a content worker; a commit that was asked for and has not begun is taken back. */
    void rollback();
}
