// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.apache.nifi.remote.protocol.RequestType;
import org.apache.nifi.remote.protocol.Response;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.integration.RawPeer;
import org.nios2s.peers.Message;
import org.nios2s.peers.PeerOptions;

/**
 * One TLS connection to the RAW port, on which a test walks the conversation step by step.
 * For one thread.
 */
final class TlsPeer extends RawPeer {

    private TlsPeer(final SSLSocket socket) throws IOException {
        super(socket);
    }

    /** Connects and shakes hands in a version of TLS. */
    static TlsPeer connect(final SSLContext context, final NifiNodeInfo nifi, final String tlsVersion)
            throws IOException {
        return connect(context, nifi, tlsVersion, null);
    }

    /** The same from an address of this machine, or any for null. */
    static TlsPeer connect(
            final SSLContext context, final NifiNodeInfo nifi, final String tlsVersion, final InetAddress from)
            throws IOException {
        final SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(nifi.s2sHost(), nifi.s2sPort(), from, 0);
        boolean connected = false;
        try {
            PeerOptions.set(socket);
            socket.setEnabledProtocols(new String[] {tlsVersion});
            socket.startHandshake();
            connected = true;
            return new TlsPeer(socket);
        } finally {
            if (!connected) {
                socket.close();
            }
        }
    }

    /** The TLS session. */
    SSLSession session() {
        return ((SSLSocket) socket()).getSession();
    }

    /** Goes as far as the protocol's handshake for a port; returns its answer. */
    Response shakeHands(final String portId) throws IOException {
        negotiate(Message.NEWEST_VERSION);
        return handshake(Message.NEWEST_VERSION, Message.properties(portId));
    }

    /** The same, with a communications id and properties of the test's own. */
    Response shakeHands(final String communicationsId, final Map<String, String> properties) throws IOException {
        negotiate(Message.NEWEST_VERSION);
        return handshake(Message.NEWEST_VERSION, communicationsId, properties);
    }

    /** Asks for the peers; returns host, port, whether over TLS and how many FlowFiles each has queued. */
    List<String> peers() throws IOException {
        request(RequestType.REQUEST_PEER_LIST);
        return peerList();
    }
}
