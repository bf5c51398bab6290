/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
