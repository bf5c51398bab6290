// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.apache.nifi.remote.protocol.Response;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.peers.Message;
import org.nios2s.peers.PeerOptions;

/**
 * A peer that asks for the list of peers, one request behind the other's answer.
 * For one thread; every read has a deadline.
 */
final class ListPeer implements Closeable {

    /** Of a list for which the listener waits as long as it ever does. */
    private static final int PATIENCE_MILLIS = 30_000;

    private static final int RESOURCE_OK = 20;
    private static final int MAX_PEERS = 100;
    private static final byte[] REQUEST = Message.utf("REQUEST_PEER_LIST");

    private final Socket socket = new Socket();
    private final OutputStream out;
    private final DataInputStream in;
    private final Duration handshake;

    /** Connects, and shakes hands with a port. */
    ListPeer(final NifiNode nifi, final String port) throws IOException {
        final String portId = nifi.portId(port);
        try {
            PeerOptions.set(socket);
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.connect(
                    new InetSocketAddress(nifi.info().s2sHost(), nifi.info().s2sPort()));
            out = socket.getOutputStream();
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            final long begin = System.nanoTime();
            out.write(Message.all(Message.magic(), Message.protocol(Message.NEWEST_VERSION)));
            final int answer = in.readUnsignedByte();
            if (answer != RESOURCE_OK) {
                throw new IOException("The proposal was answered by " + answer);
            }
            out.write(Message.handshake(portId));
            final ResponseCode agreed = Response.read(in).getCode();
            if (agreed != ResponseCode.PROPERTIES_OK) {
                throw new IOException("The handshake was answered by " + agreed);
            }
            handshake = Duration.ofNanos(System.nanoTime() - begin);
        } catch (final IOException e) {
            socket.close();
            throw e;
        }
    }

    /** How long it took from the first byte to PROPERTIES_OK. */
    Duration handshake() {
        return handshake;
    }

    void ask() throws IOException {
        out.write(REQUEST);
    }

    /** Waits for the answer: the nodes, each as {@code host:port}. */
    Set<String> hear() throws IOException {
        final Set<String> peers = new TreeSet<>();
        final int count = in.readInt();
        if (count < 0 || count > MAX_PEERS) {
            throw new IOException("The list is said to have " + count + " peers");
        }
        for (int peer = 0; peer < count; peer++) {
            peers.add(in.readUTF() + ":" + in.readInt());
            in.readBoolean();
            in.readInt();
        }
        return peers;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
