// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import io.netty.util.concurrent.EventExecutor;
import org.apache.nifi.remote.Peer;
import org.nios2s.listener.limits.Holder;

/** The other side of a transaction, as a port task sees it. All methods may be called from any thread. */
public interface TransactionPeer extends Holder {
    /** @return its distinguished name, or null without TLS */
    String identity();

    /** @return its host name, or its address where the name is not known */
    String host();

    int remotePort();

    /**
     * @param sourceIdentifier the packet's {@code uuid} attribute, or null
     * @return the transit URI for provenance
     */
    String transitUri(String sourceIdentifier);

    /**
     * @param interrupted called by NiFi when the port is stopped while it serves the request; must not block
     * @return as the port wants it for a request
     */
    Peer toPeer(Runnable interrupted);

    /** @return how many bytes leave as one, in a record of TLS if there is TLS */
    int maxWriteBytes();

    /** @return the thread on which the outcome is to be reported */
    EventExecutor worker();
}
