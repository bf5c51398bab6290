// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.peers.TestPeer;

/**
 * Connections cost NiFi no threads.
 * Runs on the thread of the tests against the shared NiFi.
 */
@ResourceLock(SharedNifi.Lock.NIO)
class IdleConnectionsIT {

    private static final int CONNECTIONS = 2_000;
    /** As many of the listener's few threads as there will be are there once so many peers came by. */
    private static final int EARLIER_PEERS = 50;
    /** NiFi's own pools come and go by a few threads. */
    private static final int PLAY = 25;

    @Test
    void twoThousandIdleConnectionsNeedNoThread() throws IOException {
        final NifiNode nifi = SharedNifi.NIO.get();
        for (int peer = 0; peer < EARLIER_PEERS; peer++) {
            try (TestPeer earlier = Peers.atPort(nifi, nifi.portId("input"))) {
                assertEquals(ResponseCode.TRANSACTION_FINISHED, earlier.push(Map.of(), new byte[] {1}));
            }
        }
        final int threadsBefore = nifi.usage().threads();
        final Set<Path> listenersThreadsBefore = listenersThreads(nifi);

        final Deque<TestPeer> idle = new ArrayDeque<>();
        try {
            for (int peer = 0; peer < CONNECTIONS; peer++) {
                idle.add(Peers.atPort(nifi, nifi.portId("input")));
            }
            // Those of an earlier test may end meanwhile, when they had nothing to do for long enough.
            final Set<Path> begun = listenersThreads(nifi);
            begun.removeAll(listenersThreadsBefore);
            assertEquals(Set.of(), begun);
            final int threads = nifi.usage().threads();
            assertTrue(
                    threads <= threadsBefore + PLAY,
                    () -> threadsBefore + " threads before and " + threads + " with the connections");
            assertEquals(ResponseCode.TRANSACTION_FINISHED, idle.getLast().push(Map.of(), new byte[] {1}));
        } finally {
            for (final TestPeer peer : idle) {
                peer.close();
            }
        }
    }

    private static Set<Path> listenersThreads(final NifiNode nifi) throws IOException {
        final Path tasks = Path.of("/proc", Long.toString(nifi.info().pid()), "task");
        try (Stream<Path> threads = Files.list(tasks)) {
            final List<Path> all = threads.toList();
            return all.stream().filter(IdleConnectionsIT::isListeners).collect(Collectors.toSet());
        }
    }

    private static boolean isListeners(final Path thread) {
        try {
            return Files.readString(thread.resolve("comm")).startsWith("Site-to-Site");
        } catch (final IOException e) {
            // The thread ended between the listing and the reading.
            return false;
        }
    }
}
