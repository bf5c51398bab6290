// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.apache.nifi.remote.RemoteResourceInitiator;
import org.apache.nifi.remote.RemoteResourceManager;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.wire.ModifiedUtf8;

/** Peer and listener agree on how FlowFiles are encoded. Lives on the connection's IO worker. */
record NegotiateCodecStep(PeerConnection connection, boolean portMissing) implements Step {
    private static final String NO_PORT = "Cannot transfer FlowFiles because no port was specified";

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        final VersionedName asked = VersionedName.readIfComplete(in);
        if (asked == null) {
            return this;
        }
        if (portMissing) {
            // The stock listener refuses once, and then takes another proposal.
            final ByteBuf answer = connection.allocate(1 + Short.BYTES + NO_PORT.length());
            ModifiedUtf8.write(answer.writeByte(RemoteResourceInitiator.ABORT), NO_PORT);
            connection.send(answer);
            return new NegotiateCodecStep(connection, false);
        }
        if (!RemoteResourceManager.isCodecSupported(asked.name(), asked.version())) {
            throw Kind.UNKNOWN_CODEC.fault(
                    "The peer asks for the unknown codec '" + asked.name() + "' version " + asked.version());
        }
        connection.agreeOnCodec();
        connection.sendByte(RemoteResourceInitiator.RESOURCE_OK);
        return connection.awaitRequest();
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.WITHIN_REQUEST;
    }
}
