// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.integration.Peers;
import org.nios2s.peers.OneGoSocket;
import org.nios2s.peers.TestPeer;

/**
 * Many connections that ask one node for the list of peers as fast as they can: all ask, then all hear, and so again.
 * For one thread.
 */
final class ListFlood implements AutoCloseable {

    /** Of a list for which the listener waits as long as it ever does. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<TestPeer> peers = new ArrayList<>();
    private final Set<Set<String>> heard = new HashSet<>();
    private long lists;
    private long longestNanos;

    ListFlood(final NifiNode asked, final int connections) throws IOException {
        try {
            for (int connection = 0; connection < connections; connection++) {
                peers.add(asking(asked));
            }
        } catch (final IOException e) {
            close();
            throw e;
        }
    }

    /** A peer that has shaken hands with a port. */
    private static TestPeer asking(final NifiNode asked) throws IOException {
        final TestPeer peer = new TestPeer(OneGoSocket.connect(Peers.address(asked)));
        try {
            return peer.withTimeout(PATIENCE).shakeHands(asked.portId("input"));
        } catch (final IOException e) {
            peer.close();
            throw e;
        }
    }

    /** Asks once: the nodes, each as {@code host:port}. */
    static Set<String> askOnce(final NifiNode asked) throws IOException {
        try (TestPeer peer = asking(asked)) {
            ask(peer);
            return hear(peer);
        }
    }

    private static void ask(final TestPeer peer) throws IOException {
        peer.request("REQUEST_PEER_LIST");
    }

    private static Set<String> hear(final TestPeer peer) throws IOException {
        return peer.peerList().stream()
                .map(node -> node.substring(0, node.indexOf(' ')))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Asks for so long; every request is answered when this returns. */
    void ask(final Duration duration) throws IOException {
        final long end = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() - end < 0) {
            final long begin = System.nanoTime();
            for (final TestPeer peer : peers) {
                ask(peer);
            }
            for (final TestPeer peer : peers) {
                heard.add(hear(peer));
                lists++;
                longestNanos = Math.max(longestNanos, System.nanoTime() - begin);
            }
        }
    }

    /** How many lists were heard. */
    long lists() {
        return lists;
    }

    /** The different ones among them. */
    Set<Set<String>> heard() {
        return heard;
    }

    /** How long the answer took that took longest. */
    Duration longest() {
        return Duration.ofNanos(longestNanos);
    }

    @Override
    public void close() throws IOException {
        for (final TestPeer peer : peers) {
            peer.close();
        }
    }
}
