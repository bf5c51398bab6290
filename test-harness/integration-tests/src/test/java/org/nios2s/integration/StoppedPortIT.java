// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.QueueClient;
import org.nios2s.harness.nifi.RestClient;
import org.nios2s.harness.nifi.RestException;
import org.nios2s.integration.PushingPeers.Ending;
import org.nios2s.integration.PushingPeers.Load;
import org.nios2s.peers.TestPeer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An input port is stopped while peers push: nothing is committed later than a moment after NiFi has said that it is stopped,
 * and the port can be changed by then. Its FlowFiles stay in a queue, where they are counted.
 * Runs on the thread of the tests, with a thread for each peer. The log says what came behind the stop.
 */
@ResourceLock(SharedNifi.Lock.NIO)
@ResourceLock(SharedNifi.Lock.STOCK)
class StoppedPortIT {

    private static final Logger logger = LoggerFactory.getLogger(StoppedPortIT.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(5);

    /** So long after the stop nothing is committed any more. */
    private static final Duration MOMENT = Duration.ofMillis(250);

    /** Far more than it takes until a port that was stopped can be changed. */
    private static final Duration CHANGEABLE = Duration.ofSeconds(10);

    private static final int TRANSACTIONS_BEFORE = 5;
    private static final int CHANGED_TASKS = 3;
    private static final byte[] CONTENT = {4};

    private OwnPorts ports;

    /** What is done with a port that has just been stopped. */
    private enum Change {
        START,
        DISABLE,
        TASKS,
        DELETE
    }

    /**
     * How NiFi took a change.
     *
     * @param refusals how often it refused before
     * @param latest   how long after the stop it was asked last, of those that it refused
     * @param done     how long after the stop it was done
     */
    private record Acceptance(int refusals, Duration latest, Duration done) {}

    @AfterEach
    void remove() {
        if (ports != null) {
            ports.remove();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DISABLE, 4, 40", "TASKS, 4, 40", "START, 4, 40", "DELETE, 4, 40",
        "DISABLE, 20, 1000", "TASKS, 20, 1000", "START, 20, 1000", "DELETE, 20, 1000"
    })
    void aStoppedPortCommitsNothingMoreAndCanBeChanged(final Change change, final int peers, final int perSecond)
            throws Exception {
        final Acceptance accepted = stopUnderLoad(SharedNifi.NIO.get(), change, new Load(peers, perSecond), true);

        assertTrue(accepted.latest.compareTo(CHANGEABLE) < 0, () -> change + " was refused: " + accepted);
    }

    @Tag("full")
    @ParameterizedTest
    @CsvSource({"DISABLE, 4, 40", "TASKS, 20, 1000", "START, 20, 1000", "DELETE, 20, 1000"})
    void theStockListenerForComparison(final Change change, final int peers, final int perSecond) throws Exception {
        stopUnderLoad(SharedNifi.STOCK.get(), change, new Load(peers, perSecond), false);
    }

    private Acceptance stopUnderLoad(
            final NifiNode nifi, final Change change, final Load load, final boolean nothingMayFollow)
            throws Exception {
        ports = new OwnPorts(nifi, "stopped-" + change, 0, List.of()).withoutWayOut();
        final Component port = new Component(ComponentKind.INPUT_PORT, ports.id(OwnPorts.IN));
        final QueueClient queues = new QueueClient(nifi.rest());
        try (PushingPeers peers = PushingPeers.start(nifi, port.id(), load)) {
            final long beganNanos = System.nanoTime();
            final int before = Math.max(load.perSecond(), load.peers() * TRANSACTIONS_BEFORE);
            Awaitility.await().atMost(PATIENCE).until(() -> peers.acknowledged() >= before);
            final double rate = before / ((System.nanoTime() - beganNanos) / (double) TimeUnit.SECONDS.toNanos(1));

            nifi.flow().beginStop(port);
            final long stoppedNanos = System.nanoTime();
            final Acceptance accepted = acceptance(nifi, change, port, stoppedNanos);
            if (change == Change.START) {
                checkRestarted(nifi, port);
                return log(nifi, change, rate, peers, stoppedNanos, accepted);
            }
            Awaitility.await().pollInterval(POLL).until(() -> System.nanoTime() - stoppedNanos >= MOMENT.toNanos());
            final long committed =
                    change == Change.DELETE ? 0 : queues.size(ports.queue()).flowFiles();
            final List<Ending> endings = peers.endings();
            logger.info("{}: the peers' connections ended so: {}", nifi.info().listener(), endings);
            if (nothingMayFollow) {
                assertFalse(endings.contains(Ending.UNANSWERED), endings::toString);
            }
            if (change != Change.DELETE) {
                final long atLast = queues.size(ports.queue()).flowFiles();
                logger.info(
                        "{}: {} FlowFiles were committed later than {} ms behind the stop; {} acknowledged, {} committed",
                        nifi.info().listener(),
                        atLast - committed,
                        MOMENT.toMillis(),
                        peers.acknowledged(),
                        atLast);
                if (nothingMayFollow) {
                    assertEquals(committed, atLast, "committed after the stop");
                    assertEquals(peers.acknowledged(), atLast, "committed in all, as the peers know");
                }
                assertEquals(ResponseCode.PORT_NOT_IN_VALID_STATE, handshake(nifi, port));
            } else {
                assertEquals(ResponseCode.UNKNOWN_PORT, handshake(nifi, port));
            }
            return log(nifi, change, rate, peers, stoppedNanos, accepted);
        }
    }

    private static Acceptance log(
            final NifiNode nifi,
            final Change change,
            final double rate,
            final PushingPeers peers,
            final long stoppedNanos,
            final Acceptance accepted) {
        final List<Long> late = peers.acknowledgedNanosAfter(stoppedNanos);
        logger.info(
                "{}, {} at {} tx/s: refused {} times, the last {} ms behind the stop, done {} ms behind it; {}",
                nifi.info().listener(),
                change,
                Math.round(rate),
                accepted.refusals,
                accepted.latest.toMillis(),
                accepted.done.toMillis(),
                change == Change.START
                        ? "the port runs"
                        : late.size() + " were acknowledged behind the stop, the last "
                                + (late.isEmpty() ? 0 : TimeUnit.NANOSECONDS.toMicros(late.getLast()))
                                + " us behind it");
        return accepted;
    }

    /** Asks for the change again and again until NiFi takes it. */
    private Acceptance acceptance(
            final NifiNode nifi, final Change change, final Component port, final long stoppedNanos) {
        final Refusals refusals = new Refusals();
        Awaitility.await()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(POLL)
                .pollInSameThread()
                .until(() -> {
                    final Duration asked = Duration.ofNanos(System.nanoTime() - stoppedNanos);
                    try {
                        make(nifi, change, port);
                        return true;
                    } catch (final RestException e) {
                        if (e.status() != HttpURLConnection.HTTP_CONFLICT) {
                            throw e;
                        }
                        refusals.count++;
                        refusals.latest = asked;
                        return false;
                    }
                });
        return new Acceptance(refusals.count, refusals.latest, Duration.ofNanos(System.nanoTime() - stoppedNanos));
    }

    /** Counts them. For one thread. */
    private static final class Refusals {
        private int count;
        private Duration latest = Duration.ZERO;
    }

    private void make(final NifiNode nifi, final Change change, final Component port) {
        final FlowClient flow = nifi.flow();
        switch (change) {
            case START -> put(nifi, port, "/run-status", RestClient.object().put("state", "RUNNING"));
            case DISABLE -> put(nifi, port, "/run-status", RestClient.object().put("state", "DISABLED"));
            case TASKS -> {
                final ObjectNode changed = RestClient.object();
                changed.putObject("component")
                        .put("id", port.id())
                        .put("concurrentlySchedulableTaskCount", CHANGED_TASKS);
                put(nifi, port, "", changed);
            }
            case DELETE -> {
                if (ports.isConnected()) {
                    nifi.flow().empty(ports.queue());
                    flow.delete(ports.queue());
                }
                flow.delete(port);
            }
            default -> throw new IllegalArgumentException("There is no change " + change);
        }
    }

    private static void put(final NifiNode nifi, final Component port, final String resource, final ObjectNode change) {
        final JsonNode entity = nifi.flow().describe(port);
        change.set("revision", entity.required("revision"));
        nifi.rest().put(port.path() + resource, change);
    }

    private static void checkRestarted(final NifiNode nifi, final Component port) throws IOException {
        try (TestPeer peer = Peers.atPort(nifi, port.id())) {
            assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.push(Map.of(), CONTENT));
        }
    }

    private static ResponseCode handshake(final NifiNode nifi, final Component port) throws IOException {
        try (TestPeer peer = Peers.connect(nifi)) {
            return peer.answerToHandshake(port.id()).getCode();
        }
    }
}
