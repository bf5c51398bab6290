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
package org.nios2s.integration.clients;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.protocol.RequestType;
import org.apache.nifi.remote.protocol.Response;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.remote.util.StandardDataPacket;
import org.nios2s.harness.nifi.InstanceRecord;

/**
 * One TLS connection to the RAW port, on which a test walks the conversation step by step.
 * For one thread.
 */
final class TlsPeer implements Closeable {

    private static final int PROTOCOL_VERSION = 6;
    private static final int CODEC_VERSION = 1;
    private static final int RESOURCE_OK = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final SSLSocket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    private TlsPeer(final SSLSocket socket) throws IOException {
        this.socket = socket;
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    /** Connects and shakes hands in a version of TLS. */
    static TlsPeer connect(final SSLContext context, final InstanceRecord nifi, final String tlsVersion)
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
        out.write("NiFi".getBytes(StandardCharsets.US_ASCII));
        propose("SocketFlowFileProtocol", PROTOCOL_VERSION);
        final ByteArrayOutputStream message = new ByteArrayOutputStream();
        final DataOutputStream data = new DataOutputStream(message);
        data.writeUTF("tls-peer");
        data.writeUTF("nifi://tls-peer:1234/");
        final Map<String, String> properties =
                Map.of("GZIP", "false", "PORT_IDENTIFIER", portId, "REQUEST_EXPIRATION_MILLIS", "30000");
        data.writeInt(properties.size());
        for (final Map.Entry<String, String> property : properties.entrySet()) {
            data.writeUTF(property.getKey());
            data.writeUTF(property.getValue());
        }
        out.write(message.toByteArray());
        return Response.read(in);
    }

    void negotiateCodec() throws IOException {
        out.writeUTF(RequestType.NEGOTIATE_FLOWFILE_CODEC.name());
        propose("StandardFlowFileCodec", CODEC_VERSION);
    }

    /** Asks for the peers; returns how many there are. */
    int countPeers() throws IOException {
        out.writeUTF(RequestType.REQUEST_PEER_LIST.name());
        return in.readInt();
    }

    /** Pushes one packet in a transaction of its own; returns how the transaction ended. */
    ResponseCode push(final Map<String, String> attributes, final byte[] content) throws IOException {
        final ByteArrayOutputStream packet = new ByteArrayOutputStream();
        new StandardFlowFileCodec()
                .encode(new StandardDataPacket(attributes, new ByteArrayInputStream(content), content.length), packet);
        out.writeUTF(RequestType.SEND_FLOWFILES.name());
        out.write(packet.toByteArray());
        ResponseCode.FINISH_TRANSACTION.writeResponse(out);
        final ResponseCode confirmation = Response.read(in).getCode();
        if (confirmation != ResponseCode.CONFIRM_TRANSACTION) {
            return confirmation;
        }
        ResponseCode.CONFIRM_TRANSACTION.writeResponse(out, "");
        return Response.read(in).getCode();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private void propose(final String name, final int version) throws IOException {
        final ByteArrayOutputStream message = new ByteArrayOutputStream();
        final DataOutputStream data = new DataOutputStream(message);
        data.writeUTF(name);
        data.writeInt(version);
        out.write(message.toByteArray());
        final int answer = in.read();
        if (answer < 0) {
            throw new EOFException("Closed instead of answering the proposal of " + name);
        }
        if (answer != RESOURCE_OK) {
            throw new IOException("The proposal of " + name + " was answered by " + answer);
        }
    }
}
