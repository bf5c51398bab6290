// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.nios2s.harness.nifi.NifiNode;

/**
 * Many connections that ask one node for the list of peers as fast as they can: all ask, then all hear, and so again.
 * For one thread.
 */
final class ListFlood implements AutoCloseable {

    private final List<ListPeer> peers = new ArrayList<>();
    private final Set<Set<String>> heard = new HashSet<>();
    private long lists;
    private long longestNanos;

    ListFlood(final NifiNode asked, final int connections) throws IOException {
        try {
            for (int connection = 0; connection < connections; connection++) {
                peers.add(new ListPeer(asked, "input"));
            }
        } catch (final IOException e) {
            close();
            throw e;
        }
    }

    /** Asks for so long; every request is answered when this returns. */
    void ask(final Duration duration) throws IOException {
        final long end = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() - end < 0) {
            final long begin = System.nanoTime();
            for (final ListPeer peer : peers) {
                peer.ask();
            }
            for (final ListPeer peer : peers) {
                heard.add(peer.hear());
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
        for (final ListPeer peer : peers) {
            peer.close();
        }
    }
}
