// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.integration.PushingPeers.Load;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * NiFi's own client pushes over HTTP to a port with one concurrent task, to which others push over RAW: each transaction is
 * served.
 * Runs on the thread of the tests, with a thread for each peer over RAW. The log says how long the transactions over HTTP took;
 * {@code -Dhttp.transactions=200} measures.
 */
@ResourceLock(SharedNifi.Lock.NIO)
@ResourceLock(SharedNifi.Lock.STOCK)
class HttpBesideRawIT {

    private static final Logger logger = LoggerFactory.getLogger(HttpBesideRawIT.class);
    private static final int TRANSACTIONS = Integer.getInteger("http.transactions", 20);
    private static final int WARM_UP_PART = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Far more than it takes, and less than NiFi's client would wait. */
    private static final Duration STARVED = Duration.ofSeconds(20);

    /** As the harness starts a NiFi. */
    private static final int USUAL_POOL_THREADS = 20;

    private static final String PORT = "beside-raw";
    private static final byte[] CONTENT = {1, 2, 3};
    private static final Load PACED = new Load(5, 100);
    private static final Load FLAT_OUT = new Load(8, 0);

    private NifiNode nifi;
    private Component port;
    private Component sink;

    @AfterEach
    void removePort() {
        final FlowClient flow = nifi.flow();
        flow.stop(port);
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            flow.stop(sink);
            flow.delete(flow.findConnection(port, sink).orElseThrow());
            return true;
        });
        flow.start(sink);
        flow.delete(port);
        flow.setTimerDrivenThreads(USUAL_POOL_THREADS);
    }

    @ParameterizedTest
    @ValueSource(ints = {USUAL_POOL_THREADS, 3})
    void transactionsOverHttpAreServedBesideThoseOverRaw(final int poolThreads) throws Exception {
        push(SharedNifi.NIO.get(), poolThreads);
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(ints = {USUAL_POOL_THREADS, 3})
    void theStockListenerForComparison(final int poolThreads) throws Exception {
        push(SharedNifi.STOCK.get(), poolThreads);
    }

    private void push(final NifiNode to, final int poolThreads) throws Exception {
        nifi = to;
        final FlowClient flow = nifi.flow();
        flow.setTimerDrivenThreads(poolThreads);
        sink = flow.find(ComponentKind.PROCESSOR, "sink").orElseThrow();
        port = flow.ensurePort(ComponentKind.INPUT_PORT, PORT, 1);
        flow.connect(port, sink, BackPressure.generous());
        flow.start(port);
        try (PushClient client = PushClient.overHttp(nifi, port)) {
            for (int warmUp = 0; warmUp < TRANSACTIONS / WARM_UP_PART; warmUp++) {
                push(client);
            }
            measure(client, poolThreads, "nothing over RAW", Load.NONE);
            measure(client, poolThreads, "100 tx/s over RAW", PACED);
            measure(client, poolThreads, "RAW flat out", FLAT_OUT);
        }
    }

    private void measure(final PushClient client, final int poolThreads, final String beside, final Load load)
            throws IOException {
        final Times times = new Times();
        try (PushingPeers raw = PushingPeers.start(nifi, port.id(), load)) {
            Awaitility.await().atMost(PATIENCE).until(() -> raw.acknowledged() >= load.peers());
            final int rawBefore = raw.acknowledged();
            final long beganNanos = System.nanoTime();
            for (int transaction = 0; transaction < TRANSACTIONS; transaction++) {
                final long begunNanos = System.nanoTime();
                push(client);
                times.add(System.nanoTime() - begunNanos);
            }
            final long millis = Duration.ofNanos(System.nanoTime() - beganNanos).toMillis();
            logger.info(
                    "{}, a pool of {} threads, beside {} ({} tx/s): transactions over HTTP: {}",
                    nifi.info().listener(),
                    poolThreads,
                    beside,
                    (raw.acknowledged() - rawBefore) * Duration.ofSeconds(1).toMillis() / millis,
                    times);
        }
        assertTrue(times.longest().compareTo(STARVED) < 0, () -> "beside " + beside + ": " + times);
    }

    private static void push(final PushClient client) throws IOException {
        client.push(List.of(PushClient.packet(Map.of(), CONTENT)));
    }
}
