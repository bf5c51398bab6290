// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.protocol.DataPacket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.ProvenanceClient;
import org.nios2s.harness.nifi.QueueClient;
import org.nios2s.harness.nifi.QueuedFlowFile;
import org.nios2s.harness.nifi.SinkLedger;

/**
 * NiFi's own client pushes through our listener: what it sent is what is in the queue, in the ledger and in provenance.
 * Runs on the thread of the tests against the shared NiFi.
 */
@ResourceLock(SharedNifi.LOCK)
class PushIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int THRESHOLD = 1024 * 1024;
    /** What a packet without attributes takes beside its content: their count and the length. */
    private static final int FRAME = Integer.BYTES + Long.BYTES;

    private static NifiInstance nifi;
    private static Component queue;

    @BeforeAll
    static void start() {
        nifi = SharedNifi.NIO.get();
        queue = SharedNifi.loop(nifi);
    }

    @BeforeEach
    void emptyTheQueue() {
        new QueueClient(nifi.rest()).empty(queue);
    }

    @ParameterizedTest
    @CsvSource({
        "1, false",
        "1, true",
        "10, false",
        "8191, true",
        "65536, true",
        "65537, true",
        "100000, false",
        "100000, true",
        "1000000, false",
        "1000000, true"
    })
    void contentsArriveAsSent(final int size, final boolean gzip) throws IOException {
        final byte[] content = random(size);

        push("loop-in", gzip, List.of(PushClient.packet(Map.of(), content)));

        assertArrayEquals(content, new QueueClient(nifi.rest()).content(queue, onlyFlowFile()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEmptyContentArrives(final boolean gzip) throws IOException {
        push("loop-in", gzip, List.of(PushClient.packet(Map.of("filename", "empty"), new byte[0])));

        assertEquals("empty", onlyFlowFile().filename());
        assertEquals(0, onlyFlowFile().size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void contentUpToTheThresholdArrives(final boolean gzip) throws IOException {
        final byte[] content = random(THRESHOLD - FRAME);

        push("loop-in", gzip, List.of(PushClient.packet(Map.of(), content)));

        assertArrayEquals(content, new QueueClient(nifi.rest()).content(queue, onlyFlowFile()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void attributesArriveAsSentAndOnesOfSiteToSiteAreAdded(final boolean gzip) throws IOException {
        final Map<String, String> sent = new HashMap<>();
        sent.put("filename", "a name.txt");
        sent.put("path", "./a/b/");
        sent.put("uuid", UUID.randomUUID().toString());
        sent.put("empty", "");
        sent.put("umlauts äöü €", "𝄞 \u0000 end");
        sent.put("long", "x".repeat(60_000));

        push("loop-in", gzip, List.of(PushClient.packet(sent, random(10))));

        final Map<String, String> received =
                new HashMap<>(new QueueClient(nifi.rest()).attributes(queue, onlyFlowFile()));
        assertNotEquals(
                sent.remove("uuid"), UUID.fromString(received.remove("uuid")).toString());
        final String host = received.remove("s2s.host");
        assertFalse(host.isBlank());
        assertTrue(received.remove("s2s.address").matches(host + ":\\d+"));
        assertEquals(sent, received);
    }

    @ParameterizedTest
    @CsvSource({"1, false", "2, true", "100, false", "100, true", "1000, false", "1000, true"})
    void everyPacketOfATransactionIsInTheLedgerOnce(final int packets, final boolean gzip) throws IOException {
        final Path ids = nifi.keepPacketIds("push-" + packets + "-" + gzip + ".ids");
        Files.write(ids, new byte[0]);
        final SinkLedger before = nifi.ledger();
        final List<DataPacket> sent = IntStream.range(0, packets)
                .mapToObj(packet -> PushClient.packet(Map.of("packet.id", "id-" + packet), random(packet)))
                .toList();

        push("input", gzip, sent);

        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> assertEquals(packets, nifi.ledger().since(before).count()));
        final long bytes = sent.stream().mapToLong(DataPacket::getSize).sum();
        assertEquals(bytes, nifi.ledger().since(before).bytes());
        final List<String> expected = IntStream.range(0, packets)
                .mapToObj(packet -> "id-" + packet)
                .sorted()
                .toList();
        assertEquals(expected, Files.readAllLines(ids).stream().sorted().toList());
        nifi.dropPacketIds();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void packetsKeepTheirOrder(final boolean gzip) throws IOException {
        final int packets = 50;
        final List<DataPacket> sent = IntStream.range(0, packets)
                .mapToObj(packet -> PushClient.packet(Map.of("filename", "file-" + packet), random(3)))
                .toList();

        push("loop-in", gzip, sent);

        final List<String> expected =
                IntStream.range(0, packets).mapToObj(packet -> "file-" + packet).toList();
        assertEquals(
                expected,
                new QueueClient(nifi.rest())
                        .list(queue).stream().map(QueuedFlowFile::filename).toList());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void provenanceTellsWhereAFlowFileCameFrom(final boolean withUuid) throws IOException {
        final String source = UUID.randomUUID().toString();
        final Map<String, String> attributes = withUuid ? Map.of("uuid", source) : Map.of();

        push("loop-in", false, List.of(PushClient.packet(attributes, random(7))));

        final QueuedFlowFile received = onlyFlowFile();
        final String host =
                new QueueClient(nifi.rest()).attributes(queue, received).get("s2s.host");
        final List<JsonNode> events = new ArrayList<>();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            events.clear();
            events.addAll(new ProvenanceClient(nifi.rest()).events(Map.of("FlowFileUUID", received.uuid())));
            return !events.isEmpty();
        });
        assertEquals(1, events.size());
        final JsonNode event = events.getFirst();
        assertEquals("RECEIVE", event.get("eventType").asText());
        assertEquals("loop-in", event.get("componentName").asText());
        assertEquals(
                "Remote Host=" + host + ", Remote DN=none", event.get("details").asText());
        assertEquals(
                "nifi://" + nifi.instance().s2sHost() + ":" + nifi.instance().s2sPort() + "/"
                        + (withUuid ? source : "null"),
                event.get("transitUri").asText());
        assertEquals(
                withUuid ? "urn:nifi:" + source : null,
                event.path("sourceSystemFlowFileId").textValue());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCancelledTransactionLeavesNothingBehindAndTheConnectionServesOn(final boolean gzip) throws IOException {
        try (PushClient client = new PushClient(nifi, "loop-in", gzip)) {
            final Transaction cancelled = client.begin();
            cancelled.send(PushClient.packet(Map.of("filename", "cancelled"), random(100)));
            cancelled.cancel("changed my mind");

            client.push(List.of(PushClient.packet(Map.of("filename", "kept"), random(100))));
        }

        assertEquals("kept", onlyFlowFile().filename());
    }

    private static void push(final String port, final boolean gzip, final List<DataPacket> packets) throws IOException {
        try (PushClient client = new PushClient(nifi, port, gzip)) {
            client.push(packets);
        }
    }

    private static QueuedFlowFile onlyFlowFile() {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> new QueueClient(nifi.rest()).size(queue).flowFiles() == 1);
        return new QueueClient(nifi.rest()).list(queue).getFirst();
    }

    private static byte[] random(final int size) {
        final byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }
}
