// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.peers.Message;
import org.nios2s.peers.OneGoSocket;
import org.nios2s.peers.TestPeer;

/**
 * A peer that asks for the list of peers, one request behind the other's answer.
 * For one thread; every read has a deadline.
 */
final class ListPeer extends TestPeer {

    /** Of a list for which the listener waits as long as it ever does. */
    private static final int PATIENCE_MILLIS = 30_000;

    private static final byte[] REQUEST = Message.utf("REQUEST_PEER_LIST");

    private final Duration handshake;

    /** Connects, and shakes hands with a port. */
    ListPeer(final NifiNode nifi, final String port) throws IOException {
        super(OneGoSocket.connect(
                new InetSocketAddress(nifi.info().s2sHost(), nifi.info().s2sPort())));
        try {
            socket().setSoTimeout(PATIENCE_MILLIS);
            final String portId = nifi.portId(port);
            final long begin = System.nanoTime();
            shakeHands(portId);
            handshake = Duration.ofNanos(System.nanoTime() - begin);
        } catch (final IOException e) {
            close();
            throw e;
        }
    }

    /** How long it took from the first byte to PROPERTIES_OK. */
    Duration handshake() {
        return handshake;
    }

    void ask() throws IOException {
        say(REQUEST);
    }

    /** Waits for the answer: the nodes, each as {@code host:port}. */
    Set<String> hear() throws IOException {
        return peerList().stream()
                .map(peer -> peer.substring(0, peer.indexOf(' ')))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
