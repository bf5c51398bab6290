// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
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
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.parallel.Isolated;
import org.nios2s.client.InputPort;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.Packet;
import org.nios2s.client.SiteToSite;
import org.nios2s.harness.nifi.ClusterClient;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.Peer;
import org.nios2s.harness.target.SuspendedProcess;
import org.nios2s.integration.OwnNifi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What peers are told of a cluster of two: under many questions, while its coordinator is stopped, when the first node of
 * which they know is dead, and when a node has no RAW port. Runs on the thread of the tests, with a cluster of its own.
 */
@Tag("full")
@Isolated("it judges times")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterListsIT {

    private static final Logger logger = LoggerFactory.getLogger(ClusterListsIT.class);

    private static final Path HOME = Path.of("target", "nifi-homes", "cluster-lists");
    private static final int NODES = 2;
    private static final int CONNECTIONS = 100;
    private static final Duration FLOOD = Duration.ofSeconds(10);

    /** Longer than NiFi waits for the coordinator, and than ZooKeeper keeps a session. */
    private static final Duration STOPPED = Duration.ofSeconds(20);

    /** NiFi waits so long for the coordinator to connect, and again to answer: nobody may wait for NiFi. */
    private static final Duration WAITS_OF_NIFI = Duration.ofSeconds(5);

    private static final int PUSHES = 20;
    private static final String RAW_PORT = "nifi.remote.input.socket.port";

    private static NifiCluster cluster;
    private static NifiNode first;
    private static NifiNode second;

    @BeforeAll
    static void start() {
        cluster = NifiCluster.start(OwnNifi.options(HOME), NODES);
        first = cluster.nodes().getFirst();
        second = cluster.nodes().getLast();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static NifiNode coordinator() {
        return cluster.nodes().stream()
                .filter(new ClusterClient(first)::isCoordinator)
                .findAny()
                .orElseThrow();
    }

    private static NifiNode other(final NifiNode node) {
        return node == first ? second : first;
    }

    private static Set<String> addresses(final List<NifiNode> nodes) {
        final Set<String> addresses = new TreeSet<>();
        nodes.forEach(
                node -> addresses.add(node.info().s2sHost() + ":" + node.info().s2sPort()));
        return addresses;
    }

    private static void awaitList(final NifiNode asked, final List<NifiNode> nodes) {
        Awaitility.await().atMost(Ordeal.PATIENCE).until(() -> ListFlood.askOnce(asked), addresses(nodes)::equals);
    }

    /** How many questions for the nodes a coordinator has answered, each of which came over a connection of its own. */
    private static int questions(final NifiNode coordinator) {
        return coordinator.log().linesWith("(type=CLUSTER_WORKLOAD_REQUEST").size();
    }

    @Test
    @Order(1)
    void manyPeersThatAskWithoutPauseCostTheCoordinatorOneQuestionASecond() throws Exception {
        final NifiNode coordinator = coordinator();
        try (ListFlood flood = new ListFlood(other(coordinator), CONNECTIONS)) {
            final int before = questions(coordinator);
            final long begin = System.nanoTime();

            flood.ask(FLOOD);

            final long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            final int questions = questions(coordinator) - before;
            logger.info(
                    "{} connections heard {} lists in {} ms, {}/s; the longest took {} ms; the coordinator answered {} questions,"
                            + " each over a connection of its own",
                    CONNECTIONS,
                    flood.lists(),
                    millis,
                    flood.lists() * TimeUnit.SECONDS.toMillis(1) / millis,
                    flood.longest().toMillis(),
                    questions);
            assertEquals(Set.of(addresses(cluster.nodes())), flood.heard());
            final long seconds = TimeUnit.MILLISECONDS.toSeconds(millis);
            assertTrue(
                    questions > 0 && questions <= seconds + 2,
                    () -> questions + " questions in " + seconds + " seconds");
        }
    }

    /** The second time another node is the coordinator, where ZooKeeper was not stopped with the first one. */
    @RepeatedTest(2)
    @Order(2)
    void whileTheCoordinatorIsStoppedNoHandshakeWaitsForItAndListsAreTheLastOne() throws Exception {
        final NifiNode coordinator = coordinator();
        final NifiNode asked = other(coordinator);
        awaitList(asked, cluster.nodes());
        final ProcessHandle process = ProcessHandle.of(coordinator.info().pid()).orElseThrow();
        final List<Duration> handshakes;
        try (ListFlood flood = new ListFlood(asked, CONNECTIONS);
                Handshakes peers = new Handshakes(asked)) {
            final SuspendedProcess paused = SuspendedProcess.pause(process);
            try {
                flood.ask(STOPPED);
                handshakes = peers.end();
            } finally {
                paused.close();
            }
            logger.info(
                    "While the coordinator, {}, was stopped for {} s: {} handshakes, the longest {} ms, the median {} ms; {} lists,"
                            + " the longest {} ms",
                    coordinator == first ? "which runs ZooKeeper" : "which does not run ZooKeeper",
                    STOPPED.toSeconds(),
                    handshakes.size(),
                    handshakes.getLast().toMillis(),
                    handshakes.get(handshakes.size() / 2).toMillis(),
                    flood.lists(),
                    flood.longest().toMillis());
            assertTrue(possible(coordinator).containsAll(flood.heard()), () -> "heard: " + flood.heard());
            assertTrue(flood.longest().compareTo(WAITS_OF_NIFI) < 0, () -> "a list took " + flood.longest());
        }
        assertTrue(handshakes.getLast().compareTo(WAITS_OF_NIFI) < 0, () -> "a handshake took " + handshakes.getLast());
        assertEquals(
                1,
                asked.log()
                        .linesWith("NiFi can't list the nodes of its cluster")
                        .size());
        Awaitility.await()
                .atMost(Ordeal.PATIENCE)
                .ignoreExceptions()
                .until(() -> first.flow().connectedNodes() == NODES
                        && ListFlood.askOnce(asked).equals(addresses(cluster.nodes()))
                        && !asked.log()
                                .linesWith("NiFi lists the nodes of its cluster again")
                                .isEmpty());
    }

    /** The lists that may be heard while a coordinator is stopped. */
    private static Set<Set<String>> possible(final NifiNode coordinator) {
        final Set<Set<String>> possible = new HashSet<>();
        possible.add(addresses(cluster.nodes()));
        if (coordinator != first) {
            // ZooKeeper makes the other node the coordinator, and that one knows at first of no other.
            possible.add(addresses(List.of(other(coordinator))));
        }
        return possible;
    }

    @Test
    @Order(3)
    void clientsThatAreGivenADeadNodeFirstPushToTheOtherOne() throws Exception {
        final Path ids = first.keepPacketIds("dead.ids");
        awaitList(first, cluster.nodes());
        second.kill();

        final List<String> acknowledged = new ArrayList<>();
        acknowledged.addAll(pushByNifisClient("dead-nifi", List.of(second, first)));
        acknowledged.addAll(pushByOurClient("dead-nio", List.of(second, first)));

        awaitArrival(acknowledged, ids);
    }

    @Test
    @Order(4)
    void aNodeWithoutARawPortIsInNoListAndClientsUseTheOthers() throws Exception {
        second.startAgain(Map.of(RAW_PORT, ""));
        final Path ids = first.keepPacketIds("without-raw.ids");

        // The coordinator may still know the node as it was, until its next heartbeat.
        awaitList(first, List.of(first));

        final List<String> acknowledged = new ArrayList<>();
        acknowledged.addAll(pushByNifisClient("without-raw-nifi", List.of(first, second)));
        acknowledged.addAll(pushByOurClient("without-raw-nio", List.of(first, second)));
        acknowledged.addAll(pushByOurClient("without-raw-first-nio", List.of(second, first)));
        awaitArrival(acknowledged, ids);
        // NiFi's own client asks the first URL that answers, and no other; so it does with any listener.
        try (Peer peer = Peer.of(List.of(second, first), "input")) {
            assertThrows(IOException.class, () -> peer.push("refused", 1));
        }
    }

    private static void awaitArrival(final List<String> acknowledged, final Path ids) {
        Awaitility.await().atMost(Ordeal.PATIENCE).untilAsserted(() -> {
            final Set<String> lost = new TreeSet<>(acknowledged);
            Files.readAllLines(ids).forEach(lost::remove);
            assertEquals(Set.of(), lost, "acknowledged and not in the ledger");
        });
    }

    /** Pushes until some pushes are acknowledged: the ids of their packets. */
    private static List<String> pushByNifisClient(final String name, final List<NifiNode> urls) throws IOException {
        final List<String> acknowledged = new ArrayList<>();
        final AtomicInteger attempts = new AtomicInteger();
        try (Peer peer = Peer.of(urls, "input")) {
            Awaitility.await()
                    .atMost(Ordeal.PATIENCE)
                    .pollInSameThread()
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> {
                        final String prefix = name + "-" + attempts.incrementAndGet();
                        peer.push(prefix, 1);
                        acknowledged.add(prefix + "-0");
                        return acknowledged.size() == PUSHES;
                    });
        }
        logger.info("{}: {} pushes in {} attempts", name, PUSHES, attempts);
        return acknowledged;
    }

    /** Pushes, each time with the retries that are standard: the ids of the packets. */
    private static List<String> pushByOurClient(final String name, final List<NifiNode> urls) throws Exception {
        final List<String> acknowledged = new ArrayList<>();
        final String[] addresses = urls.stream()
                .map(node -> node.info().api().replace("/nifi-api", "/nifi"))
                .toArray(String[]::new);
        final long begin = System.nanoTime();
        try (SiteToSite nifi = NioSiteToSite.builder().url(addresses).build()) {
            final InputPort port = nifi.inputPort("input");
            for (int push = 0; push < PUSHES; push++) {
                final String id = name + "-" + push;
                port.send(List.of(Packet.of(Map.of("packet.id", id), new byte[1])))
                        .get(Ordeal.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                acknowledged.add(id);
            }
        }
        logger.info("{}: {} pushes in {} ms", name, PUSHES, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
        return acknowledged;
    }
}
