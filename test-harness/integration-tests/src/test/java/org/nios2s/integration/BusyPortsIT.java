// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.SinkLedger;
import org.nios2s.peers.TestPeer;

/**
 * More busy ports than timer-driven threads leave threads to the rest of the flow.
 * Runs on the thread of the tests against the shared NiFi, with a thread for each peer that pushes without a pause.
 */
@ResourceLock(SharedNifi.Lock.NIO)
class BusyPortsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int PORTS = 20;
    private static final int TASKS = 4;
    private static final int POOL_THREADS = 10;
    /** As the harness starts a NiFi. */
    private static final int USUAL_POOL_THREADS = 20;

    private static final int TRIGGERS = 200;
    private static final byte[] CONTENT = {1, 2, 3};

    private final NifiNode nifi = SharedNifi.NIO.get();
    private final Component sink =
            nifi.flow().find(ComponentKind.PROCESSOR, "sink").orElseThrow();
    private final List<Component> made = new ArrayList<>();
    private final List<String> ports = new ArrayList<>();
    private final CountDownLatch allPush = new CountDownLatch(PORTS);
    private final AtomicBoolean over = new AtomicBoolean();

    @AfterEach
    void removeFlow() {
        final FlowClient flow = nifi.flow();
        flow.stop(sink);
        for (final Component part : made) {
            flow.stop(part);
            flow.findConnection(part, sink).ifPresent(flow::delete);
            flow.delete(part);
        }
        flow.start(sink);
        flow.setTimerDrivenThreads(USUAL_POOL_THREADS);
    }

    @Test
    void anotherProcessorRunsBesideMoreBusyPortsThanThePoolHasThreads() throws Exception {
        makeFlow();
        final SinkLedger before = nifi.ledger();
        final List<TestPeer> waiting = new ArrayList<>();
        long pushed = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(PORTS)) {
            for (final String port : ports) {
                waiting.add(inTheMiddleOfATransaction(port));
            }
            try {
                final List<Future<Integer>> pushing = ports.stream()
                        .map(port -> threads.submit(() -> push(port)))
                        .toList();
                assertTrue(allPush.await(PATIENCE.toSeconds(), TimeUnit.SECONDS), "ports are not served");
                final long triggers = triggers(nifi);

                Awaitility.await().atMost(PATIENCE).until(() -> triggers(nifi) >= triggers + TRIGGERS);

                over.set(true);
                for (final Future<Integer> peer : pushing) {
                    pushed += peer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                }
            } finally {
                over.set(true);
            }
        }
        for (final TestPeer peer : waiting) {
            assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.finishPush());
            peer.close();
        }
        final long packets = pushed + PORTS;
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.ledger().since(before).count() == packets);
    }

    private void makeFlow() {
        final FlowClient flow = nifi.flow();
        flow.setTimerDrivenThreads(POOL_THREADS);
        for (int number = 1; number <= PORTS; number++) {
            final Component port = flow.ensurePort(ComponentKind.INPUT_PORT, "busy-" + number, TASKS);
            made.add(port);
            flow.connect(port, sink, BackPressure.generous());
            flow.start(port);
            ports.add(port.id());
        }
        final Component counter = flow.createProcessor("trigger-counter", "org.nios2s.harness.sink.TriggerCounter");
        made.add(counter);
        flow.start(counter);
    }

    private TestPeer inTheMiddleOfATransaction(final String port) throws IOException {
        final TestPeer peer = Peers.atPort(nifi, port);
        peer.push();
        peer.packet(Map.of(), CONTENT);
        return peer;
    }

    /** Pushes without a pause until all is over; returns how many transactions that were. */
    private int push(final String port) throws IOException {
        int transactions = 0;
        try (TestPeer peer = Peers.atPort(nifi, port)) {
            while (!over.get()) {
                assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.push(Map.of(), CONTENT));
                if (transactions++ == 0) {
                    allPush.countDown();
                }
            }
        }
        return transactions;
    }

    private static long triggers(final NifiNode nifi) {
        for (final JsonNode counter : nifi.rest()
                .get("/counters")
                .required("counters")
                .required("aggregateSnapshot")
                .required("counters")) {
            if ("triggers".equals(counter.required("name").asText())
                    && counter.required("context").asText().startsWith("trigger-counter")) {
                return counter.required("valueCount").asLong();
            }
        }
        return 0;
    }
}
