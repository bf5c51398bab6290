// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
import org.apache.nifi.remote.protocol.RequestType;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.nifi.SinkLedger;

/**
 * More busy ports than timer-driven threads leave threads to the rest of the flow. With the stock listener every
 * transaction that is under way holds one of them, and none is left.
 * Runs on the thread of the tests, with a NiFi of its own and a thread for each peer that pushes without a pause.
 */
class BusyPortsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int PORTS = 20;
    private static final int TASKS = 4;
    private static final int POOL_THREADS = 10;
    private static final int TRIGGERS = 200;
    private static final byte[] CONTENT = {1, 2, 3};

    private final CountDownLatch allPush = new CountDownLatch(PORTS);
    private final AtomicBoolean over = new AtomicBoolean();

    @Test
    void anotherProcessorRunsBesideMoreBusyPortsThanThePoolHasThreads() throws Exception {
        try (NifiInstance nifi = NifiInstance.start(new NifiOptions()
                        .home(SharedNifi.HOMES.resolve("busy-ports"))
                        .listener(Listener.NIO)
                        .heap("512m")
                        .fresh(true)
                        .stopOnExit(true));
                ExecutorService threads = Executors.newFixedThreadPool(PORTS)) {
            final List<String> ports = makeFlow(nifi);
            final SinkLedger before = nifi.ledger();
            final List<RawPeer> waiting = new ArrayList<>();
            for (final String port : ports) {
                waiting.add(inTheMiddleOfATransaction(nifi, port));
            }
            long pushed = 0;
            try {
                final List<Future<Integer>> pushing = ports.stream()
                        .map(port -> threads.submit(() -> push(nifi, port)))
                        .toList();
                allPush.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                final long triggers = triggers(nifi);

                Awaitility.await().atMost(PATIENCE).until(() -> triggers(nifi) >= triggers + TRIGGERS);

                over.set(true);
                for (final Future<Integer> peer : pushing) {
                    pushed += peer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                }
            } finally {
                over.set(true);
            }
            for (final RawPeer peer : waiting) {
                assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.finishPush());
                peer.close();
            }
            final long packets = pushed + PORTS;
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> nifi.ledger().since(before).count() == packets);
        }
    }

    private static List<String> makeFlow(final NifiInstance nifi) {
        final FlowClient flow = nifi.flow();
        flow.setTimerDrivenThreads(POOL_THREADS);
        final Component sink = flow.find(ComponentKind.PROCESSOR, "sink").orElseThrow();
        final List<String> ports = new ArrayList<>();
        for (int number = 1; number <= PORTS; number++) {
            final Component port = flow.ensurePort(ComponentKind.INPUT_PORT, "busy-" + number, TASKS);
            flow.connect(port, sink, BackPressure.generous());
            flow.start(port);
            ports.add(port.id());
        }
        flow.start(flow.createProcessor("trigger-counter", "org.nios2s.harness.sink.TriggerCounter"));
        return ports;
    }

    private static RawPeer inTheMiddleOfATransaction(final NifiInstance nifi, final String port) throws IOException {
        final RawPeer peer = RawPeer.atPort(nifi.instance(), port);
        peer.request(RequestType.SEND_FLOWFILES);
        peer.packet(Map.of(), CONTENT);
        return peer;
    }

    /** Pushes without a pause until all is over; returns how many transactions that were. */
    private int push(final NifiInstance nifi, final String port) throws IOException {
        int transactions = 0;
        try (RawPeer peer = RawPeer.atPort(nifi.instance(), port)) {
            while (!over.get()) {
                assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.push(Map.of(), CONTENT));
                if (transactions++ == 0) {
                    allPush.countDown();
                }
            }
        }
        return transactions;
    }

    private static long triggers(final NifiInstance nifi) {
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
