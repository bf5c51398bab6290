// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.apache.nifi.remote.RemoteResourceInitiator;
import org.apache.nifi.remote.StandardVersionNegotiator;
import org.apache.nifi.remote.VersionNegotiator;
import org.apache.nifi.remote.protocol.socket.SocketFlowFileServerProtocol;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.ConnectionFault.Kind;

/**
 * Peer and listener agree on a version of the {@code SocketFlowFileProtocol}: the highest that is not above what the peer
 * asks for. Lives on the connection's IO worker.
 */
record NegotiateProtocolStep(PeerConnection connection) implements Step {
    /** The latest version whose messages are known here. */
    private static final int LATEST_KNOWN = 6;

    private static final VersionNegotiator VERSIONS =
            servedOf(new SocketFlowFileServerProtocol().getVersionNegotiator());

    /** @return those of NiFi's versions, in its order, that are known here: of a later one no message could be understood */
    static VersionNegotiator servedOf(final VersionNegotiator nifi) {
        return new StandardVersionNegotiator(nifi.getSupportedVersions().stream()
                .mapToInt(Integer::intValue)
                .filter(version -> version <= LATEST_KNOWN)
                .toArray());
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        final VersionedName asked = VersionedName.readIfComplete(in);
        if (asked == null) {
            return this;
        }
        if (!SocketFlowFileServerProtocol.RESOURCE_NAME.equals(asked.name())) {
            throw Kind.UNKNOWN_PROTOCOL.fault("The peer asks for the unknown protocol '" + asked.name() + "'");
        }
        if (VERSIONS.isVersionSupported(asked.version())) {
            connection.agreeOnProtocol(asked.version());
            connection.sendByte(RemoteResourceInitiator.RESOURCE_OK);
            return new HandshakeStep(connection);
        }
        final Integer preferred = VERSIONS.getPreferredVersion(asked.version());
        if (preferred == null) {
            connection.sendByte(RemoteResourceInitiator.ABORT);
            throw Kind.UNKNOWN_PROTOCOL.fault("The peer asks for version " + asked.version()
                    + " of the protocol; served are " + VERSIONS.getSupportedVersions());
        }
        connection.send(connection
                .allocate(1 + Integer.BYTES)
                .writeByte(RemoteResourceInitiator.DIFFERENT_RESOURCE_VERSION)
                .writeInt(preferred));
        return new NegotiateProtocolStep(connection);
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.HANDSHAKE;
    }
}
