// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.apache.nifi.remote.protocol.RequestType;
import org.apache.nifi.remote.protocol.Response;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.integration.RawPeer;
import org.nios2s.peers.Message;

/**
 * One TLS connection to the RAW port, on which a test walks the conversation step by step.
 * For one thread.
 */
final class TlsPeer implements Closeable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final SSLSocket socket;
    private final RawPeer conversation;

    private TlsPeer(final SSLSocket socket) throws IOException {
        this.socket = socket;
        conversation = new RawPeer(socket);
    }

    /** Connects and shakes hands in a version of TLS. */
    static TlsPeer connect(final SSLContext context, final NifiNodeInfo nifi, final String tlsVersion)
            throws IOException {
        final SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(nifi.s2sHost(), nifi.s2sPort());
        boolean connected = false;
        try {
            socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
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
        return socket.getSession();
    }

    /** Goes as far as the protocol's handshake for a port; returns its answer. */
    Response shakeHands(final String portId) throws IOException {
        conversation.negotiate(Message.NEWEST_VERSION);
        return conversation.handshake(Message.NEWEST_VERSION, Message.properties(portId));
    }

    /** The same, with a communications id and properties of the test's own. */
    Response shakeHands(final String communicationsId, final Map<String, String> properties) throws IOException {
        conversation.negotiate(Message.NEWEST_VERSION);
        return conversation.handshake(Message.NEWEST_VERSION, communicationsId, properties);
    }

    void request(final RequestType type) throws IOException {
        conversation.request(type);
    }

    Response response() throws IOException {
        return Response.read(conversation.in());
    }

    void negotiateCodec() throws IOException {
        conversation.negotiateCodec();
    }

    /** Asks for the peers; returns how many there are. */
    int countPeers() throws IOException {
        conversation.request(RequestType.REQUEST_PEER_LIST);
        return conversation.in().readInt();
    }

    /** Asks for the peers; returns host, port, whether over TLS and how many FlowFiles each has queued. */
    List<String> peers() throws IOException {
        final List<String> peers = new ArrayList<>();
        for (int left = countPeers(); left > 0; left--) {
            final DataInputStream in = conversation.in();
            peers.add(in.readUTF() + ":" + in.readInt() + " " + in.readBoolean() + " " + in.readInt());
        }
        return peers;
    }

    /** Pushes one packet in a transaction of its own; returns how the transaction ended. */
    ResponseCode push(final Map<String, String> attributes, final byte[] content) throws IOException {
        return conversation.push(attributes, content);
    }

    @Override
    public void close() throws IOException {
        conversation.close();
    }
}
