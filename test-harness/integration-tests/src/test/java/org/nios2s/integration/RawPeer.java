// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.apache.nifi.remote.protocol.RequestType;
import org.apache.nifi.remote.protocol.Response;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.peers.Message;
import org.nios2s.peers.OneGoSocket;
import org.nios2s.peers.PeerOptions;

/**
 * One end of a RAW Site-to-Site connection, spoken byte by byte, so that a test can also say what no client would.
 * For one thread; every read has a deadline.
 */
public final class RawPeer implements Closeable {

    static final int RESOURCE_OK = 20;

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Socket socket;
    /** What TLS writes to, or null where there is none. */
    private final OneGoSocket plain;

    private final DataInputStream in;
    private final OutputStream out;

    RawPeer(final NifiNodeInfo nifi) throws IOException {
        this(connect(nifi));
    }

    /** Connects to a NiFi as its flow's client: over TLS if it is secured. */
    static RawPeer of(final NifiNode nifi) throws IOException {
        if (nifi.info().security() == null) {
            return new RawPeer(nifi.info());
        }
        final SSLContext context = nifi.security().context(nifi.security().keyStore(Identity.CLIENT));
        final OneGoSocket plain = new OneGoSocket();
        plain.connect(new InetSocketAddress(nifi.info().s2sHost(), nifi.info().s2sPort()));
        final SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket(plain, nifi.info().s2sHost(), nifi.info().s2sPort(), true);
        socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
        socket.startHandshake();
        return new RawPeer(socket, plain);
    }

    /** Speaks over a connection that is there. */
    public RawPeer(final Socket socket) throws IOException {
        this(socket, null);
    }

    private RawPeer(final Socket socket, final OneGoSocket plain) throws IOException {
        this.socket = socket;
        this.plain = plain;
        PeerOptions.set(socket);
        socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    private static Socket connect(final NifiNodeInfo nifi) throws IOException {
        final Socket socket = new Socket();
        socket.connect(new InetSocketAddress(nifi.s2sHost(), nifi.s2sPort()), Math.toIntExact(PATIENCE.toMillis()));
        return socket;
    }

    /** A peer that has come as far as to say what it wants of an input port. */
    public static RawPeer atPort(final NifiNode nifi, final String portId) throws IOException {
        return atPort(of(nifi), portId);
    }

    /** A peer without TLS that has come as far as to say what it wants of an input port. */
    static RawPeer atPort(final NifiNodeInfo nifi, final String portId) throws IOException {
        return atPort(new RawPeer(nifi), portId);
    }

    /** A peer on a connection that is there, which has come as far as to say what it wants of an input port. */
    public static RawPeer atPort(final Socket socket, final String portId) throws IOException {
        return atPort(new RawPeer(socket), portId);
    }

    private static RawPeer atPort(final RawPeer peer, final String portId) throws IOException {
        peer.negotiate(Message.NEWEST_VERSION);
        final ResponseCode answer = peer.handshake(Message.NEWEST_VERSION, Message.properties(portId))
                .getCode();
        if (answer != ResponseCode.PROPERTIES_OK) {
            peer.close();
            throw new IOException("The handshake was answered by " + answer);
        }
        peer.negotiateCodec();
        return peer;
    }

    /** Sends the magic and agrees on a version of the protocol. */
    public void negotiate(final int version) throws IOException {
        bytes(Message.all(Message.magic(), Message.protocol(version)));
        expectResourceOk();
    }

    void magic() throws IOException {
        bytes(Message.magic());
    }

    public Response handshake(final int version, final Map<String, String> properties) throws IOException {
        return handshake(version, Message.COMMUNICATIONS_ID, properties);
    }

    /** Sends a handshake; returns its answer. */
    public Response handshake(final int version, final String communicationsId, final Map<String, String> properties)
            throws IOException {
        bytes(Message.handshake(version, communicationsId, properties));
        return response();
    }

    public void negotiateCodec() throws IOException {
        bytes(Message.negotiateCodec());
        expectResourceOk();
    }

    public void request(final RequestType type) throws IOException {
        bytes(Message.utf(type.name()));
    }

    void packet(final Map<String, String> attributes, final byte[] content) throws IOException {
        bytes(Message.packet(attributes, content));
    }

    void say(final ResponseCode code) throws IOException {
        bytes(Message.response(code));
    }

    void say(final ResponseCode code, final String message) throws IOException {
        bytes(Message.response(code, message));
    }

    void bytes(final byte[] bytes) throws IOException {
        out.write(bytes);
    }

    Response response() throws IOException {
        return Response.read(in);
    }

    /** What the other end says, for a test that reads it itself. */
    public DataInputStream in() {
        return in;
    }

    int answer() throws IOException {
        return in.readUnsignedByte();
    }

    /** Pushes one packet in a transaction of its own; returns how the transaction ended. */
    public ResponseCode push(final Map<String, String> attributes, final byte[] content) throws IOException {
        request(RequestType.SEND_FLOWFILES);
        packet(attributes, content);
        return finishPush();
    }

    /** Ends a push whose packets have been sent; returns how the transaction ended. */
    ResponseCode finishPush() throws IOException {
        say(ResponseCode.FINISH_TRANSACTION);
        final ResponseCode confirmation = response().getCode();
        if (confirmation != ResponseCode.CONFIRM_TRANSACTION) {
            return confirmation;
        }
        say(ResponseCode.CONFIRM_TRANSACTION, "");
        return response().getCode();
    }

    /** What is said last and that nothing follows arrive as one, over TLS. */
    void holdBack() {
        if (plain != null) {
            plain.holdBack();
        }
    }

    void halfClose() throws IOException {
        socket.shutdownOutput();
    }

    /** Reads on until the other end has closed the connection; false when it does not within its time. */
    boolean isClosedByOtherEnd() throws IOException {
        return rest(PATIENCE).closed();
    }

    /**
     * What the other end says without being asked.
     * Immutable, for any thread.
     *
     * @param bytes what it said
     * @param closed whether it closed the connection then
     */
    record Rest(byte[] bytes, boolean closed) {}

    /** Reads on until the other end closes the connection or falls silent. */
    Rest rest(final Duration patience) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        socket.setSoTimeout(Math.toIntExact(patience.toMillis()));
        try {
            for (int next = in.read(); next >= 0; next = in.read()) {
                bytes.write(next);
            }
            return new Rest(bytes.toByteArray(), true);
        } catch (final SocketException | SSLException e) {
            return new Rest(bytes.toByteArray(), true);
        } catch (final SocketTimeoutException e) {
            return new Rest(bytes.toByteArray(), false);
        } finally {
            restoreTimeout();
        }
    }

    private void restoreTimeout() throws IOException {
        if (!socket.isClosed()) {
            socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
        }
    }

    private void expectResourceOk() throws IOException {
        final int answer = answer();
        if (answer != RESOURCE_OK) {
            throw new IOException("The proposal was answered by " + answer);
        }
    }

    /** Leaves without a word, as a peer whose process ended. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
