// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.apache.nifi.remote.protocol.Response;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.peers.Message;
import org.nios2s.peers.OneGoSocket;
import org.nios2s.peers.PeerOptions;

/** A peer on a real socket, plain or TLS, that can say anything and leave in any way. Lives on its cell's thread. */
final class MatrixPeer implements AutoCloseable {
    private static final int RESOURCE_OK = 20;
    private static final int PATIENCE_MILLIS = 20_000;

    private final OneGoSocket plain = new OneGoSocket();
    private final Socket socket;
    private final DataInputStream in;

    /** @param tls makes the engine of the connection, or null for plain TCP */
    MatrixPeer(final InetSocketAddress listener, final SSLContext tls) throws IOException {
        this(listener, tls, new byte[0]);
    }

    /**
     * @param tls makes the engine of the connection, or null for plain TCP
     * @param header what a load balancer says before TLS
     */
    MatrixPeer(final InetSocketAddress listener, final SSLContext tls, final byte[] header) throws IOException {
        PeerOptions.set(plain);
        plain.connect(listener, PATIENCE_MILLIS);
        sayBelowTls(header);
        socket = tls == null
                ? plain
                : tls.getSocketFactory().createSocket(plain, listener.getHostString(), listener.getPort(), true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        if (socket instanceof SSLSocket secured) {
            secured.startHandshake();
        }
        in = new DataInputStream(socket.getInputStream());
    }

    int localPort() {
        return plain.getLocalPort();
    }

    void say(final byte[]... messages) throws IOException {
        socket.getOutputStream().write(Message.all(messages));
        socket.getOutputStream().flush();
    }

    /** Says something of which one half leaves first, and the other when the meantime is over. */
    void sayInHalves(final Runnable meantime, final byte[]... messages) throws IOException {
        plain.holdBack();
        say(messages);
        plain.releaseHalf();
        meantime.run();
        plain.release();
    }

    /** Says something and ends TLS behind it, which arrives as one. */
    void sayLast(final byte[] message) throws IOException {
        plain.holdBack();
        say(message);
        halfClose();
    }

    /** Says something on the socket that carries TLS, which is none. */
    void sayBelowTls(final byte[] bytes) throws IOException {
        plain.getOutputStream().write(bytes);
        plain.getOutputStream().flush();
    }

    /** Asks for new keys by TLS 1.3, so often or until the listener does not want to hear it any more. */
    void renewKeysInVain(final int times) {
        try {
            for (int time = 0; time < times; time++) {
                ((SSLSocket) socket).startHandshake();
            }
        } catch (final IOException e) {
            // As it should be; why, the listener's faults say.
            return;
        }
    }

    /** As {@link #say}, to a listener that may not want to hear it any more. */
    void sayInVain(final byte[]... messages) {
        try {
            say(messages);
        } catch (final IOException e) {
            // The listener has closed the connection; how it did is what the reader sees.
            return;
        }
    }

    void expectResource() throws IOException {
        final int answer = in.readUnsignedByte();
        if (answer != RESOURCE_OK) {
            throw new IOException("The proposal was answered by " + answer);
        }
    }

    Response expect(final ResponseCode code) throws IOException {
        final Response response = Response.read(in);
        if (response.getCode() != code) {
            throw new IOException("Expected " + code + ", not " + response);
        }
        return response;
    }

    byte[] read(final int bytes) throws IOException {
        return in.readNBytes(bytes);
    }

    /** Opens a conversation with a port, or with none. */
    void open(final String port, final String... properties) throws IOException {
        say(Message.magic(), Message.protocol(Place.Size.VERSION));
        expectResource();
        say(Message.handshake(port, properties));
        expect(ResponseCode.PROPERTIES_OK);
    }

    void openForTransactions(final String port, final String... properties) throws IOException {
        open(port, properties);
        say(Message.utf("NEGOTIATE_FLOWFILE_CODEC"), Message.codec());
        expectResource();
    }

    /**
     * Reads to the end.
     *
     * @return whether the listener ended the connection within the time, in whichever way
     */
    boolean isEndedWithin(final int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            in.transferTo(OutputStream.nullOutputStream());
            return true;
        } catch (final SocketTimeoutException e) {
            return false;
        } catch (final SocketException | javax.net.ssl.SSLException e) {
            return true;
        }
    }

    /** Sends nothing more, but still listens. */
    void halfClose() {
        try {
            socket.shutdownOutput();
        } catch (final IOException e) {
            // The listener has ended the connection already.
            return;
        }
    }

    /** Leaves as a program does that ends a connection. */
    void leave() throws IOException {
        socket.close();
    }

    /** Leaves with a reset, as a process that was killed. */
    void reset() throws IOException {
        plain.setSoLinger(true, 0);
        plain.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
