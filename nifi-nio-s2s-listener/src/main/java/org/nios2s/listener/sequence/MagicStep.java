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
package org.nios2s.listener.sequence;

import io.netty.buffer.ByteBuf;
import org.apache.nifi.remote.protocol.CommunicationsSession;
import org.nios2s.listener.PeerFault;

/** The peer says {@code NiFi}. Lives on the connection's IO worker. */
final class MagicStep implements Step {
    private final PeerConnection connection;

    MagicStep(final PeerConnection connection) {
        this.connection = connection;
    }

    @Override
    public Step receive(final ByteBuf in) throws PeerFault {
        final byte[] magic = CommunicationsSession.MAGIC_BYTES;
        if (in.readableBytes() < magic.length) {
            return this;
        }
        for (final byte expected : magic) {
            if (in.readByte() != expected) {
                throw new PeerFault(
                        PeerFault.Kind.WRONG_MAGIC,
                        "The peer does not speak Site-to-Site: its first bytes are not 'NiFi'");
            }
        }
        return new NegotiateProtocolStep(connection);
    }

    @Override
    public Patience patience() {
        return Patience.HANDSHAKE;
    }
}
