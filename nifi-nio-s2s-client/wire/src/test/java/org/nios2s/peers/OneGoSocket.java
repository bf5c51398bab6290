// SPDX-License-Identifier: Apache-2.0
package org.nios2s.peers;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.ssl.SSLContext;

/**
 * Can hold back what is written until its output ends, to have all leave in one go: what TLS says last, and that it ends;
 * or a part of it, such as half a record. For one thread.
 */
public final class OneGoSocket extends Socket {
    private static final int MOST_HELD_BYTES = 64 * 1024;

    private boolean holdsBack;
    private HeldOutput out;

    /** A connection with the {@link PeerOptions options} of peers. */
    public static OneGoSocket connect(final InetSocketAddress listener) throws IOException {
        final OneGoSocket socket = new OneGoSocket();
        PeerOptions.set(socket);
        socket.connect(listener, PeerOptions.PATIENCE_MILLIS);
        return socket;
    }

    /**
     * The same connection with TLS, whose handshake is made with the first byte, or earlier by the caller.
     *
     * @param tls makes the engine, or null for plain TCP
     */
    public Socket secured(final SSLContext tls) throws IOException {
        if (tls == null) {
            return this;
        }
        final InetSocketAddress listener = (InetSocketAddress) getRemoteSocketAddress();
        return tls.getSocketFactory().createSocket(this, listener.getHostString(), listener.getPort(), true);
    }

    /** From now on nothing leaves before the output ends, or is released. */
    public void holdBack() {
        holdsBack = true;
    }

    /** Lets half of what is held leave. */
    public void releaseHalf() throws IOException {
        heldOutput().releaseHalf();
    }

    /** Lets all leave, and holds back nothing more. */
    public void release() throws IOException {
        holdsBack = false;
        heldOutput().flush();
    }

    /** What is written leaves when it is flushed, as TLS does after each record. */
    @Override
    public OutputStream getOutputStream() throws IOException {
        return heldOutput();
    }

    private HeldOutput heldOutput() throws IOException {
        if (out == null) {
            out = new HeldOutput(super.getOutputStream());
        }
        return out;
    }

    @Override
    public void shutdownOutput() throws IOException {
        release();
        super.shutdownOutput();
    }

    private final class HeldOutput extends BufferedOutputStream {
        HeldOutput(final OutputStream socket) {
            super(socket, MOST_HELD_BYTES);
        }

        @Override
        public synchronized void flush() throws IOException {
            if (!holdsBack) {
                super.flush();
            }
        }

        synchronized void releaseHalf() throws IOException {
            final int half = count / 2;
            super.out.write(buf, 0, half);
            super.out.flush();
            count -= half;
            System.arraycopy(buf, half, buf, 0, count);
        }
    }
}
