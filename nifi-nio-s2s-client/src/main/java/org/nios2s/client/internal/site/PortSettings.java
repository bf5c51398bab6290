// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.site;

import java.time.Duration;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.PeerProxy;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.NettyTls;
import org.nios2s.client.internal.transaction.ListedPeer;

/**
 * Settings of connections to a port of a site. Immutable; any thread.
 *
 * @param tls where NiFi wants TLS; null for none
 * @param proxy null for what the JVM says
 * @param compress whether packets are deflated on the wire
 * @param timeout how long an answer may take, and what NiFi is told to wait for us
 * @param batchLimits where a pulled batch ends
 */
public record PortSettings(NettyTls tls, PeerProxy proxy, boolean compress, Duration timeout, BatchLimits batchLimits) {
    public Endpoint port(final ListedPeer peer, final String identifier, final String name, final boolean secure) {
        return new Endpoint(
                peer.host(), peer.port(), identifier, name, compress, timeout, batchLimits, secure ? tls : null, proxy);
    }
}
