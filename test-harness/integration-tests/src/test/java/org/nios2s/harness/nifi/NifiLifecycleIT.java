// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.HarnessException;

/**
 * The harness's NiFi with the stock listener: its start, its flow, its ledger, its refusals and its end.
 * One NiFi serves all tests, which run one after the other on one thread.
 */
class NifiLifecycleIT {

    private static final Path HOMES = Path.of("target", "nifi-homes");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int PACKETS = 5;

    private static NifiInstance nifi;

    @BeforeAll
    static void start() {
        nifi = NifiInstance.start(options("lifecycle"));
    }

    @AfterAll
    static void stop() {
        if (nifi != null) {
            nifi.stop();
            assertFalse(nifi.isAlive());
            assertTrue(NifiInstance.attach(HOMES.resolve("lifecycle")).isEmpty());
        }
    }

    @Test
    void everyPacketThatIsAcknowledgedIsInTheLedgerOnce() throws IOException {
        final Path ids = nifi.keepPacketIds("acknowledged.ids");
        final SinkLedger before = nifi.ledger();

        push("input", "ledger");

        Awaitility.await().atMost(PATIENCE).until(() -> nifi.ledger()
                .since(before)
                .equals(new SinkLedger(PACKETS, (long) PACKETS * Peer.content(0).length)));
        final List<String> lines = Files.readAllLines(ids);
        assertEquals(PACKETS, lines.size());
        assertEquals(PACKETS, new HashSet<>(lines).size());
        nifi.dropPacketIds();
    }

    @Test
    void aRestartFindsTheFlowAndTheLedger() throws IOException {
        final SinkLedger start = nifi.ledger();
        push("input", "before");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.ledger().since(start).count() == PACKETS);
        final InstanceRecord before = nifi.instance();

        nifi.stop();
        nifi.startAgain();

        assertEquals(before.ports(), nifi.instance().ports());
        assertEquals(before.s2sPort(), nifi.instance().s2sPort());
        assertEquals(before.api(), nifi.instance().api());
        push("input", "after");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.ledger().since(start).count() == 2 * PACKETS);
    }

    @Test
    void whatWaitsInAQueueCanBeReadAndDropped() throws IOException {
        final FlowClient flow = nifi.flow();
        final Component queue = flow.findConnection(
                        flow.find(ComponentKind.INPUT_PORT, "loop-in").orElseThrow(),
                        flow.find(ComponentKind.OUTPUT_PORT, "loop-out").orElseThrow())
                .orElseThrow();

        push("loop-in", "queued");

        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> new QueueClient(nifi.rest()).size(queue).flowFiles() == PACKETS);
        final QueuedFlowFile first = new QueueClient(nifi.rest()).list(queue).getFirst();
        assertArrayEquals(Peer.content(0), new QueueClient(nifi.rest()).content(queue, first));
        assertEquals(
                "queued-0",
                new QueueClient(nifi.rest()).attributes(queue, first).get("packet.id"));
        new QueueClient(nifi.rest()).empty(queue);
        assertEquals(new QueueSize(0, 0), new QueueClient(nifi.rest()).size(queue));
    }

    @Test
    void whatWasReceivedIsInProvenance() throws IOException {
        final Map<String, String> received = Map.of("ProcessorID", nifi.portId("input"), "EventType", "RECEIVE");
        final int before = new ProvenanceClient(nifi.rest()).events(received).size();

        push("input", "provenance");

        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> new ProvenanceClient(nifi.rest()).events(received).size() == before + PACKETS);
    }

    @Test
    void aStoppedPortCanBeChangedAndStartedAgain() throws IOException {
        final FlowClient flow = nifi.flow();
        final Component port = flow.find(ComponentKind.INPUT_PORT, "input").orElseThrow();

        flow.stop(port);
        assertFalse(flow.isRunning(port));
        flow.setConcurrentTasks(port, 1);
        flow.start(port);

        final SinkLedger before = nifi.ledger();
        push("input", "changed");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.ledger().since(before).count() == PACKETS);
    }

    @Test
    void theProcessTellsWhatItUses() {
        final ProcessUsage usage = nifi.usage();

        assertTrue(usage.threads() > 1);
        assertTrue(usage.residentBytes() > 0);
        assertTrue(usage.cpu().isPositive());
    }

    @Test
    void aHomeInUseIsRefused() {
        final NifiOptions again = options("lifecycle");

        final HarnessException refusal = assertThrows(HarnessException.class, () -> NifiInstance.start(again));

        assertTrue(refusal.getMessage().contains("stop it with"), refusal.getMessage());
        assertTrue(nifi.isAlive());
    }

    @Test
    void aPortInUseIsRefused() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            final NifiOptions options = options("port-in-use").s2sPort(other.getLocalPort());

            final HarnessException refusal = assertThrows(HarnessException.class, () -> NifiInstance.start(options));

            assertTrue(refusal.getMessage().contains("is in use"), refusal.getMessage());
            assertTrue(NifiInstance.attach(options.home).isEmpty());
        }
    }

    @Test
    void aStartThatFailsSaysWhyAndLeavesNothingRunning() {
        final NifiOptions options =
                options("fails").property("nifi.flowfile.repository.implementation", "org.nios2s.NoSuchRepository");

        final HarnessException failure = assertThrows(HarnessException.class, () -> NifiInstance.start(options));

        assertTrue(failure.getMessage().contains("NoSuchRepository"), failure.getMessage());
        assertTrue(NifiInstance.attach(options.home).isEmpty());
    }

    private static NifiOptions options(final String home) {
        return new NifiOptions()
                .home(HOMES.resolve(home))
                .listener(Listener.STOCK)
                .heap("1g")
                .fresh(true)
                .stopOnExit(true);
    }

    private static void push(final String port, final String prefix) throws IOException {
        try (Peer peer = Peer.of(nifi, port)) {
            peer.push(prefix, PACKETS);
        }
    }
}
