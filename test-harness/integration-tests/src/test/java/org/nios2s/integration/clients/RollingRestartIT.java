// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.nifi.remote.Transaction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.Peer;
import org.nios2s.integration.OwnNifi;
import org.nios2s.integration.SharedNifi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes of a cluster that drain before each stop are restarted one after the other under NiFi's own clients. The test's thread
 * ends and starts nodes; each client has a thread of its own. {@code -Drolling.nodes=3} takes three nodes.
 */
@Tag("full")
@Isolated("it takes the whole machine")
class RollingRestartIT {
    private static final Logger logger = LoggerFactory.getLogger(RollingRestartIT.class);
    private static final Path HOME = SharedNifi.HOMES.resolve("clients-rolling-restart");
    private static final String EMPTY = "is empty: no peer is connected to a port";
    private static final String DRAINS = " drains: new handshakes";
    private static final int TIME_OF_DAY = "2026-01-01 00:00:00,000".length();
    private static final String PACKET_IDS = "rolling.ids";
    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(200);
    private static final int NODES = Integer.getInteger("rolling.nodes", 2);
    private static final int CLIENTS = 6;
    private static final int TRANSACTIONS_OF_A_PHASE = 200;

    private static NifiCluster cluster;

    private final ConcurrentLinkedQueue<String> acknowledged = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> unknown = new ConcurrentLinkedQueue<>();
    private final AtomicInteger transactions = new AtomicInteger();
    private volatile boolean over;

    @BeforeAll
    static void start() {
        cluster = NifiCluster.start(
                OwnNifi.options(HOME).property("nifi.remote.input.nio.drain.before.stop", "20 secs"), NODES);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** Far above what three nodes take. It bounds all of the waits together. */
    @Test
    @Timeout(value = 9, unit = TimeUnit.MINUTES)
    void everyClientKnowsWhatBecameOfEachTransaction() throws Exception {
        cluster.nodes().forEach(node -> node.keepPacketIds(PACKET_IDS));
        final List<Thread> clients = new ArrayList<>();
        try {
            for (int client = 0; client < CLIENTS; client++) {
                final String name = "client-" + client;
                clients.add(Thread.ofPlatform().start(() -> send(name)));
            }
            for (final NifiNode node : cluster.nodes()) {
                awaitMoreTransactions();
                final long beganNanos = System.nanoTime();
                node.stop();
                final long tookNanos = System.nanoTime() - beganNanos;
                // A line begins with the time of day: both are within the time that the stop took.
                logger.info(
                        "{} drained and stopped in {} ms: {}",
                        node.info().s2sPort(),
                        TimeUnit.NANOSECONDS.toMillis(tookNanos),
                        Stream.of(DRAINS, EMPTY)
                                .flatMap(text -> node.log().linesWith(text).stream())
                                .map(line -> line.substring(0, TIME_OF_DAY))
                                .toList());
                assertEquals(1, node.log().linesWith(EMPTY).size());
                awaitMoreTransactions();
                node.startAgain();
            }
            awaitMoreTransactions();
        } finally {
            over = true;
            for (final Thread client : clients) {
                client.join();
            }
        }

        logger.info(
                "{} nodes restarted one after the other: {} transactions acknowledged, {} with an unknown outcome",
                NODES,
                acknowledged.size(),
                unknown.size());
        assertEquals(List.of(), List.copyOf(unknown));
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertEquals(new TreeSet<>(acknowledged), new TreeSet<>(received())));
        assertEquals(acknowledged.size(), received().size(), "packets that are in a ledger twice");
    }

    private void awaitMoreTransactions() {
        final int enough = transactions.get() + TRANSACTIONS_OF_A_PHASE;
        Awaitility.await().atMost(PATIENCE).until(() -> transactions.get() >= enough);
    }

    private static List<String> received() throws IOException {
        final List<String> received = new ArrayList<>();
        for (final NifiNode node : cluster.nodes()) {
            final Path ids = Path.of(node.info().files().ledger()).resolve(PACKET_IDS);
            if (Files.exists(ids)) {
                received.addAll(Files.readAllLines(ids));
            }
        }
        return received;
    }

    private void send(final String name) {
        try (Peer peer = Peer.of(cluster.nodes(), "input")) {
            for (int number = 0; !over; number++) {
                send(peer, name + "-" + number);
            }
        } catch (final IOException e) {
            throw new IllegalStateException("The client could not be closed", e);
        }
    }

    /** What fails before its confirmation is known to have come to nothing; behind that, its client can't know. */
    private void send(final Peer peer, final String id) {
        final Transaction transaction;
        try {
            transaction = peer.begin();
            transaction.send(id.getBytes(StandardCharsets.UTF_8), Map.of("packet.id", id));
            transaction.confirm();
        } catch (final IOException e) {
            LockSupport.parkNanos(PAUSE_AFTER_FAILURE.toNanos());
            return;
        }
        try {
            transaction.complete();
            acknowledged.add(id);
            transactions.incrementAndGet();
        } catch (final IOException e) {
            unknown.add(id + ": " + e);
        }
    }
}
