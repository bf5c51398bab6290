// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.Peer;
import org.nios2s.integration.OwnNifi;
import org.nios2s.integration.SharedNifi;

/**
 * Clients and a cluster of two nodes with our listener: NiFi's own finds both nodes, and the NIO client goes on when one of them
 * crashes. The test's thread ends and starts nodes; the senders live on the engine's IO workers.
 */
@Order(Order.DEFAULT + 1)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class NioClientClusterIT {
    private static final Path HOME = SharedNifi.HOMES.resolve("cluster");
    private static final String PACKET_IDS = "clustered.ids";
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(200);
    private static final int NODES = 2;
    private static final int SENDERS = 16;
    private static final int PACKETS = 5;
    private static final int TRANSACTIONS_OF_A_PHASE = 300;
    private static final int MAX_TRANSACTIONS = 200;

    private static NifiCluster cluster;

    private final Set<String> peers = ConcurrentHashMap.newKeySet();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicInteger transactions = new AtomicInteger();
    private volatile boolean over;

    @BeforeAll
    static void start() {
        cluster = NifiCluster.start(OwnNifi.options(HOME), NODES);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
            assertTrue(NifiCluster.attach(HOME).isEmpty());
        }
    }

    @Test
    @Order(1)
    void nifisClientThatKnowsOneNodeFindsBothAndDataArrivesOnBoth() throws Exception {
        int acknowledgedPackets = 0;
        try (Peer peer = Peer.of(cluster.nodes().getFirst(), "input")) {
            for (int push = 0; push < MAX_TRANSACTIONS && !everyNodeHasData(); push++) {
                peer.push("clustered-" + push, PACKETS);
                acknowledgedPackets += PACKETS;
            }
        }

        final int expected = acknowledgedPackets;
        Awaitility.await().atMost(PATIENCE).until(() -> ledgerCount() == expected);
        assertTrue(everyNodeHasData());
    }

    private static boolean everyNodeHasData() {
        return cluster.nodes().stream().allMatch(node -> node.ledger().count() > 0);
    }

    private static long ledgerCount() {
        return cluster.nodes().stream().mapToLong(node -> node.ledger().count()).sum();
    }

    @Test
    @Order(2)
    void workGoesOnWhenANodeCrashesAndNothingAcknowledgedIsLost() throws Exception {
        final NifiNode first = cluster.nodes().getFirst();
        final NifiNode second = cluster.nodes().getLast();
        first.keepPacketIds(PACKET_IDS);
        // What a sink has dropped and not written yet would be lost with its node: so it waits in the queue.
        first.flow().stop(first.flow().find(ComponentKind.PROCESSOR, "sink").orElseThrow());
        final List<CompletableFuture<Void>> senders = new ArrayList<>();
        try (SiteToSite remote = NioSiteToSite.builder()
                .url(urls().toArray(String[]::new))
                .idleTimeout(TIMEOUT)
                .retry(RetryPolicy.never())
                .build()) {
            for (int sender = 0; sender < SENDERS; sender++) {
                senders.add(new Sender(remote.inputPort("input"), "sender-" + sender).run(0));
            }
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() ->
                            peers.equals(addresses(cluster.nodes())) && transactions.get() > TRANSACTIONS_OF_A_PHASE);
            second.kill();
            awaitMoreTransactions();
            peers.clear();
            awaitMoreTransactions();
            assertEquals(addresses(List.of(first)), peers);
            over = true;
            for (final CompletableFuture<Void> sender : senders) {
                sender.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            over = true;
        }
        second.startAgain();
        first.flow().start(first.flow().find(ComponentKind.PROCESSOR, "sink").orElseThrow());
        awaitLedgers();
    }

    private static Set<String> urls() {
        return cluster.nodes().stream()
                .map(node -> node.info().api().replace("/nifi-api", "/nifi"))
                .collect(Collectors.toSet());
    }

    private static Set<String> addresses(final List<NifiNode> nodes) {
        return nodes.stream()
                .map(node -> node.info().s2sHost() + ":" + node.info().s2sPort())
                .collect(Collectors.toSet());
    }

    private void awaitMoreTransactions() {
        final int enough = transactions.get() + TRANSACTIONS_OF_A_PHASE;
        Awaitility.await().atMost(PATIENCE).until(() -> transactions.get() >= enough);
    }

    /** Every acknowledged packet is there, and none twice: what was not acknowledged is never sent again. */
    private void awaitLedgers() {
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            final List<String> received = received();
            final Set<String> lost = new HashSet<>(acknowledged);
            lost.removeAll(Set.copyOf(received));
            assertEquals(Set.of(), lost, "acknowledged and in no ledger");
            assertEquals(received.size(), Set.copyOf(received).size(), "packets that are in a ledger twice");
        });
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

    /** Pushes one transaction after the other, each with ids of its own. */
    private final class Sender {
        private final InputPort remote;
        private final String name;

        private Sender(final InputPort remote, final String name) {
            this.remote = remote;
            this.name = name;
        }

        private CompletableFuture<Void> run(final int number) {
            if (over) {
                return CompletableFuture.completedFuture(null);
            }
            final List<Packet> packets = new ArrayList<>();
            for (int packet = 0; packet < PACKETS; packet++) {
                packets.add(Packet.of(Map.of("packet.id", name + "-" + number + "-" + packet), new byte[] {1, 2, 3}));
            }
            return remote.send(packets)
                    .handleAsync((result, failure) -> {
                        if (failure == null) {
                            packets.forEach(packet ->
                                    acknowledged.add(packet.attributes().get("packet.id")));
                            transactions.incrementAndGet();
                            peers.add(result.peer());
                        }
                        return failure == null ? (Executor) Runnable::run : afterPause();
                    })
                    .thenCompose(when -> CompletableFuture.runAsync(() -> {}, when))
                    .thenCompose(nothing -> run(number + 1));
        }

        private Executor afterPause() {
            return CompletableFuture.delayedExecutor(PAUSE_AFTER_FAILURE.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
