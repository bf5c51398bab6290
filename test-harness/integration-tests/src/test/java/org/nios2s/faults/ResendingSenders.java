// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/**
 * Clients that push a packet again and again until it is acknowledged, as a client should, and remember how often the protocol
 * left them in doubt. Every method may be called on any thread; each client has one.
 */
final class ResendingSenders implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int PAUSE_MILLIS = 50;
    /** After each packet of more, a pause: what arrives stays on a small disk until the sink runs again. */
    private static final int LARGE_BYTES = 1_000_000;
    /** Then a client comes again on a new one. */
    private static final int PACKETS_PER_CONNECTION = 50;

    /** How a client gets its connection. */
    @FunctionalInterface
    interface Connector {
        FaultPeer connect() throws IOException;
    }

    private final Connector connector;
    private final byte[] content;
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final Map<String, LongAdder> doubts = new ConcurrentHashMap<>();
    private final LongAdder failures = new LongAdder();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Queue<Future<?>> clients = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    private ResendingSenders(final Connector connector, final int bytes) {
        this.connector = connector;
        this.content = new byte[bytes];
    }

    /**
     * Starts clients.
     *
     * @param name    what their packets' ids begin with
     * @param clients how many
     * @param bytes   content of each packet
     */
    static ResendingSenders start(final String name, final int clients, final int bytes, final Connector connector) {
        final ResendingSenders senders = new ResendingSenders(connector, bytes);
        for (int client = 0; client < clients; client++) {
            final String prefix = name + "-" + client + "-";
            senders.clients.add(senders.threads.submit(() -> senders.send(prefix)));
        }
        return senders;
    }

    private void send(final String prefix) {
        FaultPeer peer = null;
        for (int packet = 0; !over; ) {
            final String id = prefix + packet;
            try {
                if (peer == null) {
                    peer = connector.connect();
                }
                peer.push(id, content);
                acknowledged.add(id);
                packet++;
                if (content.length > LARGE_BYTES) {
                    pause();
                }
                if (packet % PACKETS_PER_CONNECTION == 0) {
                    leave(peer);
                    peer = null;
                }
            } catch (final IOException | RuntimeException e) {
                failures.increment();
                if (peer != null && peer.isInDoubt()) {
                    doubts.computeIfAbsent(id, key -> new LongAdder()).increment();
                }
                leave(peer);
                peer = null;
                pause();
            }
        }
        leave(peer);
    }

    private static void leave(final FaultPeer peer) {
        try {
            if (peer != null) {
                peer.close();
            }
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until so many more packets are acknowledged; says how long it took. */
    Duration awaitMore(final int packets) {
        final long begin = System.nanoTime();
        final int before = acknowledged.size();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(20))
                .atMost(PATIENCE)
                .until(() -> acknowledged.size() >= before + packets);
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    /** How often the push of a packet failed. */
    long failures() {
        return failures.sum();
    }

    /** What of the acknowledged packets is not among those that arrived. */
    Set<String> missing(final List<String> arrived) {
        final Set<String> missing = new java.util.TreeSet<>(acknowledged);
        missing.removeAll(Set.copyOf(arrived));
        return missing;
    }

    /** The packets that arrived more often than acknowledgements and doubts explain. */
    Set<String> inexplicable(final List<String> arrived) {
        return arrived.stream().collect(Collectors.groupingBy(id -> id, Collectors.counting())).entrySet().stream()
                .filter(entry -> isOurs(entry.getKey()) && entry.getValue() > explained(entry.getKey()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private long explained(final String id) {
        return doubts(id) + (acknowledged.contains(id) ? 1 : 0);
    }

    private boolean isOurs(final String id) {
        return acknowledged.contains(id) || doubts.containsKey(id);
    }

    /** How often the protocol left a client in doubt about a packet. */
    long doubts(final String id) {
        return doubts.containsKey(id) ? doubts.get(id).sum() : 0;
    }

    @Override
    public String toString() {
        return "%d packets acknowledged, %d pushes failed, %d times in doubt"
                .formatted(
                        acknowledged.size(),
                        failures(),
                        doubts.values().stream().mapToLong(LongAdder::sum).sum());
    }

    /** Ends the clients, each with the packet that it is at. */
    @Override
    public void close() {
        over = true;
        threads.shutdown();
        try {
            if (!threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("A client does not end");
            }
            for (final Future<?> client : clients) {
                client.get();
            }
        } catch (final ExecutionException e) {
            throw new IllegalStateException("A client has failed", e.getCause());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
