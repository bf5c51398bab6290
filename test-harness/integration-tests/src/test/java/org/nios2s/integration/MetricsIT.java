// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.peers.TestPeer;

/**
 * What the listener's beans say over NiFi's REST API against what the test itself has done, figure by figure. Runs on the thread
 * of the tests against a NiFi of its own, on which nobody else calls.
 */
@Order(Order.DEFAULT + 2)
class MetricsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final byte[] SMALL = new byte[100];
    private static final byte[] LARGE = new byte[200_000];
    private static final int BUFFER_BYTES = 64 * 1024 * 1024;
    private static final int PUSHES = 5;
    private static final int PULLED = 3;
    private static final int STRANGERS = 2;
    private static final int CONNECTIONS_LIMIT = 500;
    private static final String LISTENER = "SiteToSiteListener";
    private static final String[] MEASURES = {
        "HandshakeTimeMs", "ReceiveTimeMs", "QueueTimeMs", "CommitTimeMs", "SendTimeMs", "WorkerDelayMs"
    };

    private static NifiNode nifi;
    private static Component loop;

    /** What is expected of the listener, its input port and its output port: what is not there is 0. */
    private final Map<String, Double> expected = new TreeMap<>();

    private final Map<String, Double> expectedOfInput = new TreeMap<>();
    private final Map<String, Double> expectedOfOutput = new TreeMap<>();
    private int connections;

    @BeforeAll
    static void start() {
        nifi = NifiNode.start(new NifiOptions()
                .home(SharedNifi.HOMES.resolve("metrics"))
                .heap("512m")
                .fresh(true)
                .stopOnExit(true)
                .property("nifi.remote.input.nio.transaction.memory", "64 KB")
                .property("nifi.remote.input.nio.buffer.memory", "64 MB")
                .property("nifi.remote.input.nio.connections.max", String.valueOf(CONNECTIONS_LIMIT)));
        loop = SharedNifi.loop(nifi);
    }

    @AfterAll
    static void stop() {
        nifi.stop();
    }

    @Test
    void everyFigureIsWhatWasDone() throws IOException {
        final long startNanos = System.nanoTime();
        assertEveryFigure();
        pushes();
        aFullDestination();
        pulls();
        faults();
        openConnections();
        final double elapsedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
        final Map<String, Double> found = nifi.metrics(LISTENER);
        for (final String measure : MEASURES) {
            final double most = found.get(measure + "Max");
            assertTrue(found.get(measure + "50thPercentile") <= found.get(measure + "99thPercentile"), measure);
            assertTrue(found.get(measure + "99thPercentile") <= most && most <= elapsedMillis, measure);
        }
    }

    private void pushes() throws IOException {
        try (TestPeer peer = connect("loop-in")) {
            for (int push = 0; push < PUSHES; push++) {
                peer.push();
                peer.packet(Map.of(), SMALL);
                peer.say(ResponseCode.CONTINUE_TRANSACTION);
                peer.packet(Map.of(), SMALL);
                assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.finishPush());
            }
            pushed(PUSHES, 2 * PUSHES, 2 * PUSHES * SMALL.length);
            assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.push(Map.of(), LARGE));
            pushed(1, 1, LARGE.length);
            peer.push();
            peer.packet(Map.of(), SMALL);
            peer.say(ResponseCode.CANCEL_TRANSACTION, "changed my mind");
            addToInput("PushesCancelled", 1);
            addToInput("PushesRolledBack", 1);
            set("ConnectionsOpen", 1, expected, expectedOfInput);
            assertEveryFigure();
        }
        closed();
        set("ConnectionsOpen", 0, expected, expectedOfInput);
        assertEveryFigure();
    }

    private void pushed(final int transactions, final int flowFiles, final int bytes) {
        addToInput("PushesCommitted", transactions);
        addToInput("Commits", transactions);
        addToInput("FlowFilesReceived", flowFiles);
        addToInput("BytesReceived", bytes);
        for (final String figure : new String[] {"50thPercentile", "99thPercentile", "Max"}) {
            expected.put("CommitSize" + figure, 1.0);
        }
    }

    /** A push waits for room, and is told to confirm once there is some. */
    private void aFullDestination() throws IOException {
        final Component output =
                nifi.flow().find(ComponentKind.OUTPUT_PORT, "loop-out").orElseThrow();
        nifi.flow().stop(output);
        try (TestPeer peer = connect("loop-in")) {
            nifi.flow().setBackPressure(loop, new BackPressure(1, 0));
            peer.push();
            peer.packet(Map.of(), SMALL);
            peer.say(ResponseCode.FINISH_TRANSACTION);
            for (final String gauge :
                    new String[] {"ConnectionsOpen", "TransactionsInProgress", "TransactionsWaiting"}) {
                set(gauge, 1, expected, expectedOfInput);
            }
            assertEveryFigure();
            assertTrue(nifi.metrics(LISTENER).get("BufferUsedBytes") > 0);
            nifi.flow().setBackPressure(loop, BackPressure.generous());
            assertEquals(ResponseCode.CONFIRM_TRANSACTION, peer.response().getCode());
            peer.say(ResponseCode.CONFIRM_TRANSACTION, "");
            assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.response().getCode());
            pushed(1, 1, SMALL.length);
        }
        nifi.flow().start(output);
        closed();
        for (final String gauge : new String[] {"ConnectionsOpen", "TransactionsInProgress", "TransactionsWaiting"}) {
            set(gauge, 0, expected, expectedOfInput);
        }
        assertEveryFigure();
    }

    private void pulls() throws IOException {
        try (TestPeer peer = connect("loop-out", "BATCH_COUNT", String.valueOf(PULLED))) {
            final int bytes = pull(peer, 0);
            peer.say(ResponseCode.TRANSACTION_FINISHED);
            add("PullsCommitted", 1, expected, expectedOfOutput);
            add("FlowFilesSent", PULLED, expected, expectedOfOutput);
            add("BytesSent", bytes, expected, expectedOfOutput);
            set("ConnectionsOpen", 1, expected, expectedOfOutput);
            assertEveryFigure();
            pull(peer, 1);
            add("PullsRolledBack", 1, expected, expectedOfOutput);
            fault("BAD_CHECKSUM", expectedOfOutput);
        }
        closed();
        set("ConnectionsOpen", 0, expected, expectedOfOutput);
        assertEveryFigure();
        nifi.flow().empty(loop);
        try (TestPeer peer = connect("loop-out")) {
            peer.request("RECEIVE_FLOWFILES");
            assertEquals(ResponseCode.NO_MORE_DATA, peer.response().getCode());
            add("PullsEmpty", 1, expected, expectedOfOutput);
        }
        closed();
        assertEveryFigure();
    }

    /** Reads a pull up to the confirmation of both sides; returns the bytes of its contents. */
    private static int pull(final TestPeer peer, final int falsification) throws IOException {
        peer.request("RECEIVE_FLOWFILES");
        assertEquals(ResponseCode.MORE_DATA, peer.response().getCode());
        final CRC32 checksum = new CRC32();
        int bytes = 0;
        ResponseCode indicator = ResponseCode.CONTINUE_TRANSACTION;
        while (indicator == ResponseCode.CONTINUE_TRANSACTION) {
            bytes += new StandardFlowFileCodec()
                    .decode(new DataInputStream(new CheckedInputStream(peer.in(), checksum)))
                    .getData()
                    .readAllBytes()
                    .length;
            indicator = peer.response().getCode();
        }
        assertEquals(ResponseCode.FINISH_TRANSACTION, indicator);
        peer.say(ResponseCode.CONFIRM_TRANSACTION, String.valueOf(checksum.getValue() + falsification));
        assertEquals(
                falsification == 0 ? ResponseCode.CONFIRM_TRANSACTION : ResponseCode.BAD_CHECKSUM,
                peer.response().getCode());
        return bytes;
    }

    private void faults() throws IOException {
        for (int stranger = 0; stranger < STRANGERS; stranger++) {
            try (TestPeer peer = Peers.connect(nifi)) {
                connected();
                peer.say("NiFo".getBytes(StandardCharsets.US_ASCII));
                assertTrue(peer.isEnded());
            }
            closed();
            fault("WRONG_MAGIC");
        }
        try (TestPeer peer = Peers.connect(nifi)) {
            connected();
            assertEquals(
                    ResponseCode.UNKNOWN_PORT, peer.answerToHandshake("nowhere").getCode());
            assertTrue(peer.isEnded());
        }
        closed();
        fault("HANDSHAKE_REFUSED");
        add("HandshakesRefused_UNKNOWN_PORT", 1, expected);
        try (TestPeer peer = connect("loop-in")) {
            peer.push();
            peer.packet(Map.of(), SMALL);
            peer.say(ResponseCode.FINISH_TRANSACTION);
            assertEquals(ResponseCode.CONFIRM_TRANSACTION, peer.response().getCode());
            peer.say(ResponseCode.BAD_CHECKSUM);
            assertTrue(peer.isEnded());
        }
        closed();
        addToInput("PushesRolledBack", 1);
        fault("BAD_CHECKSUM", expectedOfInput);
        for (final byte[] content : new byte[][] {SMALL, LARGE}) {
            try (TestPeer peer = connect("loop-in")) {
                peer.push();
                peer.packet(Map.of(), content);
            }
            closed();
            addToInput("PushesRolledBack", 1);
            fault("PEER_CLOSED", expectedOfInput);
            assertEveryFigure();
        }
    }

    private void openConnections() throws IOException {
        try (TestPeer inHandshake = Peers.connect(nifi);
                TestPeer idle = connect("loop-in");
                TestPeer busy = connect("loop-in")) {
            connected();
            inHandshake.magic();
            busy.push();
            busy.packet(Map.of(), SMALL);
            set("ConnectionsInHandshake", 1, expected);
            set("ConnectionsOpen", 3, expected);
            set("ConnectionsOpen", 2, expectedOfInput);
            set("TransactionsInProgress", 1, expected, expectedOfInput);
            assertEveryFigure();
            assertEquals(ResponseCode.TRANSACTION_FINISHED, busy.finishPush());
            assertEquals(ResponseCode.TRANSACTION_FINISHED, idle.push(Map.of(), SMALL));
            pushed(2, 2, 2 * SMALL.length);
            set("TransactionsInProgress", 0, expected, expectedOfInput);
            assertEveryFigure();
        }
    }

    private TestPeer connect(final String port, final String... others) throws IOException {
        final TestPeer peer = Peers.connect(nifi);
        connected();
        return peer.open(nifi.portId(port), others);
    }

    private void connected() {
        connections++;
        expected.put("ConnectionsAccepted", (double) connections);
    }

    private void closed() {
        add("ConnectionsClosed", 1, expected);
    }

    @SafeVarargs
    private void fault(final String kind, final Map<String, Double>... ofPort) {
        add("Faults_" + kind, 1, expected);
        add("Faults", 1, expected);
        add("Faults", 1, ofPort);
    }

    private void addToInput(final String attribute, final int more) {
        add(attribute, more, expected, expectedOfInput);
    }

    @SafeVarargs
    private static void add(final String attribute, final int more, final Map<String, Double>... of) {
        for (final Map<String, Double> figures : of) {
            figures.merge(attribute, (double) more, Double::sum);
        }
    }

    @SafeVarargs
    private static void set(final String attribute, final int value, final Map<String, Double>... of) {
        for (final Map<String, Double> figures : of) {
            figures.put(attribute, (double) value);
        }
    }

    /** Times, memory and acknowledgements, which follow the machine and not what was done, are left out. */
    private void assertEveryFigure() {
        expected.put("ConnectionsLimit", (double) CONNECTIONS_LIMIT);
        expected.put("BufferLimitBytes", (double) BUFFER_BYTES);
        await(LISTENER, expected);
        if (!expectedOfInput.isEmpty()) {
            await(nifi.portId("loop-in"), expectedOfInput);
        }
        if (!expectedOfOutput.isEmpty()) {
            await(nifi.portId("loop-out"), expectedOfOutput);
        }
    }

    private static void await(final String bean, final Map<String, Double> expectation) {
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            final Map<String, Double> found = nifi.metrics(bean);
            assertTrue(found.keySet().containsAll(expectation.keySet()), () -> found + " of " + bean);
            found.keySet()
                    .removeIf(name -> name.contains("TimeMs")
                            || name.startsWith("WorkerDelay")
                            || name.startsWith("BufferUsed")
                            || name.startsWith("BufferPeak")
                            || name.equals("QuickAcks"));
            final Map<String, Double> all = new TreeMap<>();
            found.keySet().forEach(name -> all.put(name, expectation.getOrDefault(name, 0.0)));
            assertEquals(all, found);
        });
    }
}
