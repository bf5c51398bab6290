// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.opening;

import java.util.Map;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.StandardVersionNegotiator;
import org.apache.nifi.remote.VersionNegotiator;
import org.apache.nifi.remote.exception.HandshakeException;
import org.apache.nifi.remote.protocol.HandshakeProperties;
import org.nios2s.listener.port.PartialServerProtocol;

/**
 * Checks the properties of a handshake with NiFi's own rules: same order, same texts, now and in later versions. Lives on
 * a thread for blocking tasks, for one handshake.
 */
final class HandshakeValidation extends PartialServerProtocol {
    private final VersionNegotiator version;

    HandshakeValidation(final ProcessGroup rootGroup, final int protocolVersion) {
        this.version = new StandardVersionNegotiator(protocolVersion);
        setRootProcessGroup(rootGroup);
    }

    /**
     * @param confirmed receives what is accepted, up to the first property that is not
     * @throws HandshakeException with what to answer; with null if the connection is closed without an answer
     */
    void validate(final HandshakeProperties confirmed, final Peer peer, final Map<String, String> properties)
            throws HandshakeException {
        validateHandshakeRequest(confirmed, peer, properties);
    }

    @Override
    public VersionNegotiator getVersionNegotiator() {
        return version;
    }
}
