// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;

/**
 * RAW Site-to-Site, from its first byte. Immutable; any thread.
 *
 * <pre>
 * [ProxyHeader →] Magic → NegotiateProtocol → Handshake → ValidateHandshake → Request ─┬→ NegotiateCodec → Request
 *                                                                                      ├→ PeerList → Request
 *                                                                                      ├→ a push, see AdmitTransactionStep
 *                                                                                      ├→ a pull, see AwaitFlowFilesStep
 *                                                                                      └→ Closing
 * </pre>
 *
 * @param peers the answer to a request for the list of peers
 */
public record RawProtocol(PeerList peers) implements Step.Protocol {
    @Override
    public Step begins(final PeerConnection connection) {
        if (connection.needsProxyHeader()) {
            return new ProxyHeaderStep(connection);
        }
        return new MagicStep(connection);
    }

    @Override
    public Step awaitsRequest(final PeerConnection connection) {
        return new RequestStep(connection, peers);
    }
}
