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
package org.nios2s.listener.port;

import org.nios2s.listener.PeerFault;
import org.nios2s.listener.transaction.TransactionPeer;

/**
 * A transaction that needs a session of its own: it takes the one of the port task that serves it, and the port task
 * returns to NiFi without waiting for anything.
 */
public interface SessionTaker {
    /** @return whose transaction it is */
    TransactionPeer peer();

    /**
     * Takes the session, on the port task.
     *
     * @param session to be ended by whoever keeps it
     * @return whether the session is kept
     */
    boolean take(HeldSession session);

    /** There will be no session. On the port task or a dispatcher thread. */
    void refuse(PeerFault fault);
}
