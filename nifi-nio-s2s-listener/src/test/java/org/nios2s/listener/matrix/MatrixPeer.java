// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.nios2s.peers.OneGoSocket;
import org.nios2s.peers.TestPeer;

/** A peer on a real socket, plain or TLS, that can say anything, leave in any way, and reads nothing ahead. Lives on its cell's thread. */
final class MatrixPeer extends TestPeer {
    private final OneGoSocket plain;

    /** @param tls makes the engine of the connection, or null for plain TCP */
    MatrixPeer(final InetSocketAddress listener, final SSLContext tls) throws IOException {
        this(listener, tls, new byte[0]);
    }

    /**
     * @param tls makes the engine of the connection, or null for plain TCP
     * @param header what a load balancer says before TLS
     */
    MatrixPeer(final InetSocketAddress listener, final SSLContext tls, final byte[] header) throws IOException {
        this(connect(listener, header), tls);
    }

    private MatrixPeer(final OneGoSocket plain, final SSLContext tls) throws IOException {
        this(plain, plain.secured(tls));
    }

    private MatrixPeer(final OneGoSocket plain, final Socket layered) throws IOException {
        super(layered, layered.getInputStream());
        this.plain = plain;
    }

    private static OneGoSocket connect(final InetSocketAddress listener, final byte[] header) throws IOException {
        final OneGoSocket plain = OneGoSocket.connect(listener);
        say(plain, header);
        return plain;
    }

    private static void say(final OneGoSocket plain, final byte[] bytes) throws IOException {
        plain.getOutputStream().write(bytes);
        plain.getOutputStream().flush();
    }

    int localPort() {
        return plain.getLocalPort();
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
        say(plain, bytes);
    }

    /** Asks for new keys by TLS 1.3, so often. */
    void renewKeys(final int times) throws IOException {
        for (int time = 0; time < times; time++) {
            ((SSLSocket) socket()).startHandshake();
        }
    }

    /** As {@link #renewKeys}, of a listener that may not want to hear it any more. */
    void renewKeysInVain(final int times) {
        try {
            renewKeys(times);
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

    byte[] read(final int bytes) throws IOException {
        return in().readNBytes(bytes);
    }

    /** Sends nothing more, but still listens. */
    @Override
    public void halfClose() {
        try {
            super.halfClose();
        } catch (final IOException e) {
            // The listener has ended the connection already.
            return;
        }
    }

    /** Leaves as a program does that ends a connection. */
    void leave() throws IOException {
        close();
    }

    /** Leaves with a reset, as a process that was killed. */
    void reset() throws IOException {
        plain.setSoLinger(true, 0);
        plain.close();
    }
}
