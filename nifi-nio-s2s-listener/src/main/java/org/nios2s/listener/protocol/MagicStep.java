// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import io.netty.buffer.ByteBuf;
import org.apache.nifi.remote.protocol.CommunicationsSession;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;

/** The peer sends {@code NiFi}. Lives on the connection's IO worker. */
record MagicStep(PeerConnection connection) implements Step {
    @Override
    public Step receive(final ByteBuf in) throws ConnectionFault {
        final byte[] magic = CommunicationsSession.MAGIC_BYTES;
        if (in.readableBytes() < magic.length) {
            return this;
        }
        for (final byte expected : magic) {
            if (in.readByte() != expected) {
                throw Kind.WRONG_MAGIC.fault("The peer does not speak Site-to-Site: its first bytes are not 'NiFi'");
            }
        }
        return new NegotiateProtocolStep(connection);
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.HANDSHAKE;
    }
}
