// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.integration.Peers.address;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.ClusterClient;
import org.nios2s.harness.nifi.ClusterClient.Change;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node of two is disconnected, offloaded, and connected again under load, see {@link Ordeal}, while one peer pushes byte by
 * byte and another holds what it has pulled. Runs on the thread of the tests, with a cluster of its own; peers live on theirs.
 */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterNodesIT {

    private static final Logger logger = LoggerFactory.getLogger(ClusterNodesIT.class);

    private static final Path HOME = Path.of("target", "nifi-homes", "cluster-nodes");
    private static final int NODES = 2;
    private static final int MILLIS_A_BYTE = 20;
    private static final int BYTES_UNDER_WAY = 50;
    /** At that pace more than a minute. */
    private static final int SLOW_BYTES = 4_000;

    private static NifiCluster cluster;
    private static NifiNode coordinator;
    /** The node to which it happens. */
    private static NifiNode node;

    private static ClusterClient membership;
    /** What goes in at the first of these ports comes out at the second, and nobody else uses them. */
    private static String heldIn;

    private static String heldOut;
    private static Ordeal ordeal;
    private static final ExecutorService THREADS = Executors.newCachedThreadPool();

    @BeforeAll
    static void start() throws IOException {
        cluster = NifiCluster.start(Ordeal.options(HOME), NODES);
        final ClusterClient anybody = new ClusterClient(cluster.nodes().getFirst());
        coordinator = cluster.nodes().stream()
                .filter(anybody::isCoordinator)
                .findAny()
                .orElseThrow();
        node = cluster.nodes().stream()
                .filter(other -> other != coordinator)
                .findAny()
                .orElseThrow();
        membership = new ClusterClient(coordinator);
        final FlowClient flow = coordinator.flow();
        final Component in = flow.ensurePort(ComponentKind.INPUT_PORT, "held-in", 1);
        final Component out = flow.ensurePort(ComponentKind.OUTPUT_PORT, "held-out", 1);
        flow.connect(in, out, BackPressure.generous());
        flow.start(out);
        flow.start(in);
        heldIn = in.id();
        heldOut = out.id();
        ordeal = new Ordeal(List.of(coordinator, node));
    }

    @AfterAll
    static void stop() {
        THREADS.shutdownNow();
        if (cluster != null) {
            cluster.close();
        }
    }

    /** A push byte by byte, and a pull whose data has been received and is not confirmed. */
    private static final class Peers implements AutoCloseable {
        private final String name;
        private final Pace pace = new Pace(FaultPeer.Step.CONTENT, MILLIS_A_BYTE, BYTES_UNDER_WAY);
        private final Gate gate = new Gate(FaultPeer.Step.RECEIPT);
        private final List<String> pulled = Collections.synchronizedList(new ArrayList<>());
        private final Future<Void> push;
        private final Future<Void> pull;

        /** Both are under way when this returns. */
        private Peers(final String name) throws IOException {
            this.name = name;
            pushOne(node, heldIn, held());
            push = THREADS.submit(
                    onTheNode(node.portId("input"), pace, peer -> peer.pushByteByByte(slow(), new byte[SLOW_BYTES])));
            pull = THREADS.submit(onTheNode(heldOut, gate, peer -> assertTrue(peer.pull(pulled::add))));
            pace.awaitPeer();
            gate.awaitPeer();
        }

        private String slow() {
            return name + "-slow";
        }

        private String held() {
            return name + "-held";
        }

        private static Callable<Void> onTheNode(
                final String portId, final Consumer<FaultPeer.Step> steps, final Conversation told) {
            return () -> {
                try (FaultPeer peer = ordeal.connect(address(node), portId, steps)) {
                    told.hold(peer);
                }
                return null;
            };
        }

        /** Lets both go on; they come to a good end. */
        private void finish() throws Exception {
            close();
            push.get(Ordeal.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            pull.get(Ordeal.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertEquals(List.of(held()), pulled);
        }

        /** Lets both go on; they hear that their connections were cut. */
        private void fail() {
            close();
            logger.info("{}: {}; {}", name, failure("the slow push", push), failure("the held pull", pull));
            assertEquals(List.of(), pulled);
        }

        private static String failure(final String what, final Future<Void> peer) {
            final Exception failure =
                    assertThrows(Exception.class, () -> peer.get(Ordeal.PATIENCE.toSeconds(), TimeUnit.SECONDS));
            assertInstanceOf(IOException.class, failure.getCause());
            return what + " ended with " + failure.getCause();
        }

        @Override
        public void close() {
            pace.close();
            gate.close();
        }
    }

    /** What a peer does once it has opened its conversation. */
    @FunctionalInterface
    private interface Conversation {
        void hold(FaultPeer peer) throws IOException;
    }

    private static void pushOne(final NifiNode to, final String portId, final String id) throws IOException {
        try (FaultPeer peer = ordeal.connect(address(to), portId, step -> {})) {
            peer.push(id, new byte[1]);
        }
    }

    private static List<String> pullAll(final NifiNode from) throws IOException {
        final List<String> pulled = new ArrayList<>();
        try (FaultPeer peer = ordeal.connect(address(from), heldOut, step -> {})) {
            while (peer.pull(pulled::add)) {
                // There may be more.
            }
        }
        return pulled;
    }

    /** The port serves pushes and pulls. */
    private static void awaitService(final String name) {
        Awaitility.await()
                .atMost(Ordeal.PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> {
                    pushOne(node, node.portId("input"), name + "-input");
                    pushOne(node, heldIn, name + "-again");
                    return pullAll(node).contains(name + "-again");
                });
    }

    private static long arrivals(final String id) throws IOException {
        return ordeal.arrived().stream().filter(id::equals).count();
    }

    @Test
    @Order(1)
    void aNodeThatIsDisconnectedAndComesBackServesAllTheWhile() throws Exception {
        ordeal.endure("disconnected", load -> {
            try (Peers before = new Peers("before")) {
                membership.change(node, Change.DISCONNECT);
                before.finish();
            }
            load.awaitProgress();
            awaitService("disconnected");
            try (Peers meanwhile = new Peers("meanwhile")) {
                membership.change(node, Change.CONNECT);
                meanwhile.finish();
            }
            load.awaitProgress();
            awaitService("connected");
        });
        assertEquals(1, arrivals("before-slow"));
        assertEquals(1, arrivals("meanwhile-slow"));
    }

    @Test
    @Order(2)
    void aNodeThatIsOffloadedGivesAllToTheOtherAndServesWhenItComesBack() throws Exception {
        ordeal.endure("offloaded", load -> {
            membership.change(node, Change.DISCONNECT);
            try (Peers peers = new Peers("offloaded")) {
                membership.change(node, Change.OFFLOAD);
                peers.fail();
            }
            final IOException refusal =
                    assertThrows(IOException.class, () -> pushOne(node, node.portId("input"), "refused"));
            logger.info("offloaded: a new push hears: {}", refusal.getMessage());
            assertTrue(
                    refusal.getMessage().contains(ResponseCode.PORT_NOT_IN_VALID_STATE.toString()), refusal::toString);
            assertEquals(List.of("offloaded-held"), pullAll(coordinator));
            load.awaitProgress();

            membership.change(node, Change.CONNECT);
            awaitService("connected-again");
            load.awaitProgress();
        });
        assertEquals(0, arrivals("offloaded-slow"));
        assertEquals(0, arrivals("refused"));
    }
}
