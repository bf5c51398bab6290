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

import io.netty.util.concurrent.EventExecutor;
import org.apache.nifi.remote.Peer;

/**
 * The other side of a transaction, as a port task sees it. All methods may be called from any thread.
 */
public interface TransactionPeer {
    /** @return its distinguished name, or null without TLS */
    String identity();

    /** @return its host name, or its address where the name is not known */
    String host();

    /** @return the port of its socket */
    int remotePort();

    /**
     * @param sourceIdentifier the packet's {@code uuid} attribute, or null
     * @return the transit URI for provenance
     */
    String transitUri(String sourceIdentifier);

    /** @return as the port wants it for a request; its communications session can be interrupted */
    Peer toPeer();

    /** @return the thread on which the outcome is to be reported */
    EventExecutor worker();

    /** What became of its transaction; called on {@link #worker()}. */
    void served(InboundTransaction transaction, Outcome outcome);
}
