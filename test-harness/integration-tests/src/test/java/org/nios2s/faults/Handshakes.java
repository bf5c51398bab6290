// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.integration.Peers;
import org.nios2s.peers.TestPeer;

/**
 * Peers that come to a node at an even pace, shake hands and leave. They live on a thread of their own; the rest is for one
 * thread.
 */
final class Handshakes implements AutoCloseable {

    private static final int PACE_MILLIS = 5;

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final List<Duration> taken = Collections.synchronizedList(new ArrayList<>());
    private final Future<?> peers;

    Handshakes(final NifiNode nifi) {
        peers = thread.scheduleAtFixedRate(() -> shakeHands(nifi), 0, PACE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void shakeHands(final NifiNode nifi) {
        try (TestPeer peer = Peers.connect(nifi)) {
            final String port = nifi.portId("input");
            final long begin = System.nanoTime();
            peer.shakeHands(port);
            taken.add(Duration.ofNanos(System.nanoTime() - begin));
        } catch (final IOException e) {
            throw new IllegalStateException("A handshake failed", e);
        }
    }

    /** Ends them; says how long each handshake took, the shortest first. */
    List<Duration> end() throws InterruptedException {
        peers.cancel(false);
        close();
        try {
            peers.get();
        } catch (final CancellationException e) {
            // So it should end.
        } catch (final ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
        return taken.stream().sorted().toList();
    }

    @Override
    public void close() {
        thread.close();
    }
}
