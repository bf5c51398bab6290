// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.nifi;

import org.apache.nifi.remote.Communicant;
import org.nios2s.client.internal.connection.Endpoint;

/**
 * The peer of a transaction, as NiFi describes it. Immutable; any thread.
 *
 * @param port where it listens
 * @param distinguishedName of its certificate; null without TLS
 */
record PeerCommunicant(Endpoint port, String distinguishedName) implements Communicant {
    @Override
    public String getUrl() {
        return port.url();
    }

    @Override
    public String getHost() {
        return port.host();
    }

    @Override
    public int getPort() {
        return port.port();
    }

    @Override
    public String getDistinguishedName() {
        return distinguishedName;
    }

    @Override
    public String createTransitUri(final String sourceFlowFileIdentifier) {
        return port.url() + "/" + sourceFlowFileIdentifier;
    }
}
