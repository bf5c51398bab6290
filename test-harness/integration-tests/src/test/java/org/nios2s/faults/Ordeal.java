// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.awaitility.Awaitility;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.nifi.QueueClient;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.integration.OwnNifi;
import org.nios2s.integration.Peers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A NiFi, or a cluster, to which something happens under load. Whatever was acknowledged has arrived, twice only where the
 * protocol left the client in doubt; NiFi serves again without a restart, and nothing of the listener is left over.
 * For the thread of the tests; clients connect on theirs.
 */
final class Ordeal {

    static final Duration PATIENCE = Duration.ofSeconds(120);

    private static final Logger logger = LoggerFactory.getLogger(Ordeal.class);

    /** In which all kinds of clients are served again after a fault that passes at once: without a client's time-out of 20 s. */
    private static final Duration SOON = Duration.ofSeconds(15);

    /** In which they are served again after any fault: a client notices a silent one by its own time-out of 20 s. */
    private static final Duration LATE = Duration.ofSeconds(60);

    private static final Duration STANDSTILL = Duration.ofSeconds(3);
    private static final int MORE_DESCRIPTORS = 40;
    /** NiFi's own pools come and go by a few. */
    private static final int MORE_THREADS = 25;

    private final List<NifiNode> nodes;
    private final List<Path> ledgers = new ArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private volatile SSLContext tls;

    /** Something happens under load. */
    @FunctionalInterface
    interface Fault {
        void happen(Load load) throws Exception;
    }

    /** How a NiFi starts that is to lose nothing of its own accord. */
    static NifiOptions options(final Path home) {
        return OwnNifi.options(home)
                // What NiFi 2.3 swaps out, it forgets when it is killed.
                .property("nifi.queue.swap.threshold", "10000000")
                .property("nifi.content.repository.archive.enabled", "false");
    }

    /** Makes the sinks of all nodes keep what they get. */
    Ordeal(final List<NifiNode> nodes) throws IOException {
        this.nodes = nodes;
        for (final NifiNode node : nodes) {
            final Path ledger = node.keepPacketIds("faults.ids");
            Files.write(ledger, new byte[0]);
            ledgers.add(ledger);
        }
        if (nifi().info().security() != null) {
            tls = clientContext();
        }
    }

    /** Clients that connect from now on speak TLS like this. */
    void speak(final SSLContext context) {
        tls = context;
    }

    private NifiNode nifi() {
        return nodes.getFirst();
    }

    /** Connects to the nodes in turn. */
    FaultPeer connect(final String port, final Consumer<FaultPeer.Step> steps) throws IOException {
        final NifiNode node = nodes.get(Math.floorMod(connections.getAndIncrement(), nodes.size()));
        return new FaultPeer(Peers.address(node), nifi().portId(port), tls, steps);
    }

    /** A peer of a NiFi at some address. */
    FaultPeer connect(final InetSocketAddress listener, final String portId, final Consumer<FaultPeer.Step> steps)
            throws IOException {
        return new FaultPeer(listener, portId, tls, steps);
    }

    /** A peer pushes whose TLS session and certificate are not known yet; whatever comes of it. */
    void letAStrangerPush() {
        final String id = "stranger-" + connections.getAndIncrement();
        try (FaultPeer stranger =
                new FaultPeer(Peers.address(nifi()), nifi().portId("input"), clientContext(), step -> {})) {
            stranger.push(id, new byte[1]);
        } catch (final IOException e) {
            logger.debug("{} was hit", id, e);
        }
    }

    private SSLContext clientContext() {
        return nifi().security().context(nifi().security().keyStore(Identity.CLIENT));
    }

    /** A fault after which all kinds of clients are served again at once. */
    void endureBriefly(final String name, final Fault fault) throws Exception {
        final Duration recovery = endure(name, fault);
        assertTrue(recovery.compareTo(SOON) <= 0, () -> "served again after " + recovery);
    }

    Duration endure(final String name, final Fault fault) throws Exception {
        return endure(name, this::connect, fault);
    }

    /** Lets something happen to clients that have an entrance; says how long it took until they were served again. */
    Duration endure(final String name, final Load.Entrance entrance, final Fault fault) throws Exception {
        final Map<NifiNode, Vitals> before = new HashMap<>();
        nodes.forEach(node -> before.put(node, Vitals.withoutHeap(node)));
        final Component sink = sink();
        nifi().flow().stop(sink);
        final Load load = new Load(name, entrance);
        final Duration recovery;
        try (load) {
            load.awaitProgress();
            assertNotEquals(Map.of(), Leftovers.of(nifi()), "what is counted has other names");
            fault.happen(load);
            recovery = load.awaitRecovery();
        }
        nifi().flow().start(sink);
        Awaitility.await().atMost(PATIENCE).until(() -> queued() == 0);
        awaitStandstill();
        logger.info("{}: served again after {} ms; {}", name, recovery.toMillis(), load);
        load.judge(arrived());
        for (final NifiNode node : nodes) {
            Awaitility.await().atMost(PATIENCE).until(() -> Leftovers.of(node), Map.of()::equals);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> Vitals.withoutHeap(node), now -> isLike(before.get(node), now));
        }
        assertTrue(recovery.compareTo(LATE) <= 0, () -> "served again after " + recovery);
        return recovery;
    }

    private static boolean isLike(final Vitals before, final Vitals now) {
        return now.descriptors() <= before.descriptors() + MORE_DESCRIPTORS
                && now.threads() <= before.threads() + MORE_THREADS;
    }

    /** The ids of all that the sinks got. */
    List<String> arrived() throws IOException {
        final List<String> ids = new ArrayList<>();
        for (final Path ledger : ledgers) {
            ids.addAll(Files.readAllLines(ledger));
        }
        return ids;
    }

    /** Waits until the sinks write no more ids. */
    private void awaitStandstill() {
        final AtomicLong size = new AtomicLong(-1);
        Awaitility.await().during(STANDSTILL).atMost(PATIENCE).until(() -> {
            final long now =
                    ledgers.stream().map(Path::toFile).mapToLong(File::length).sum();
            return size.getAndSet(now) == now;
        });
    }

    private long queued() {
        return new QueueClient(nifi().rest()).size(connection()).flowFiles();
    }

    Component sink() {
        return nifi().flow().find(ComponentKind.PROCESSOR, "sink").orElseThrow();
    }

    Component port() {
        return port(ComponentKind.INPUT_PORT, "input");
    }

    /** From the port to the sink. */
    Component connection() {
        return nifi().flow().findConnection(port(), sink()).orElseThrow();
    }

    /** From which is pulled. */
    Component loop() {
        return nifi().flow()
                .findConnection(port(ComponentKind.INPUT_PORT, "loop-in"), port(ComponentKind.OUTPUT_PORT, "loop-out"))
                .orElseThrow();
    }

    Component port(final ComponentKind kind, final String name) {
        return nifi().flow().find(kind, name).orElseThrow();
    }
}
