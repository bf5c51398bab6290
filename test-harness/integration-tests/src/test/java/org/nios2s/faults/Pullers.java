// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/**
 * Clients that pull whatever there is, on a new connection when there was nothing, and remember what they received. Every method may be called on any thread; each client
 * has one.
 */
final class Pullers implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int PAUSE_MILLIS = 50;

    private final ConcurrentLinkedQueue<String> received = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> doubts = new ConcurrentLinkedQueue<>();
    private final LongAdder failures = new LongAdder();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean over;

    static Pullers start(final int clients, final ResendingSenders.Connector connector) {
        final Pullers pullers = new Pullers();
        for (int client = 0; client < clients; client++) {
            pullers.join(connector);
        }
        return pullers;
    }

    /** Starts one more client. */
    void join(final ResendingSenders.Connector connector) {
        threads.submit(() -> pull(connector));
    }

    private void pull(final ResendingSenders.Connector connector) {
        while (!over) {
            try (FaultPeer peer = connector.connect()) {
                pullFrom(peer);
            } catch (final IOException | RuntimeException e) {
                failures.increment();
                pause();
            }
        }
    }

    /** How often a connection failed. */
    long failures() {
        return failures.sum();
    }

    private void pullFrom(final FaultPeer peer) throws IOException {
        try {
            while (!over && peer.pull(received::add)) {
                // There may be more.
            }
            pause();
        } finally {
            doubts.addAll(peer.unsettled());
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until so many more packets are received; says how long it took. */
    Duration awaitMore(final int packets) {
        final long begin = System.nanoTime();
        final int before = received.size();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(20))
                .atMost(PATIENCE)
                .until(() -> received.size() >= before + packets);
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    /** Waits until everything that senders know to be there has been pulled, then ends. */
    void drain(final ResendingSenders senders) {
        try {
            Awaitility.await().atMost(PATIENCE).until(() -> senders.missing(received())
                    .isEmpty());
        } finally {
            close();
        }
    }

    /** The ids of what was received, in some order. */
    List<String> received() {
        return List.copyOf(received);
    }

    /**
     * The packets that were received more often than doubts explain: those of senders about what they pushed, and those of
     * listener and puller about what was pulled.
     */
    Set<String> inexplicable(final ResendingSenders senders) {
        final Map<String, Long> times = count(received);
        final Map<String, Long> doubtful = count(doubts);
        return times.entrySet().stream()
                .filter(entry -> entry.getValue() - 1
                        > doubtful.getOrDefault(entry.getKey(), 0L) + senders.doubts(entry.getKey()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private static Map<String, Long> count(final Collection<String> ids) {
        return ids.stream().collect(Collectors.groupingBy(id -> id, Collectors.counting()));
    }

    @Override
    public String toString() {
        return "%d packets received, %d of them again, %d in doubt"
                .formatted(received.size(), received.size() - count(received).size(), doubts.size());
    }

    @Override
    public void close() {
        over = true;
        threads.shutdown();
        try {
            if (!threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("A client does not end");
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
