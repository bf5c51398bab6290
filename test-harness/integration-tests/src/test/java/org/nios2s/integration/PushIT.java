// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.nifi.remote.protocol.DataPacket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.QueueClient;
import org.nios2s.harness.nifi.QueuedFlowFile;
import org.nios2s.harness.nifi.SinkLedger;

/**
 * NiFi's own client pushes large transactions through our listener: every packet is in the ledger once, and the queue has them in
 * their order.
 * Runs on the thread of the tests against the shared NiFi.
 */
@ResourceLock(SharedNifi.Lock.NIO)
class PushIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static NifiNode nifi;
    private static Component queue;

    @BeforeAll
    static void start() {
        nifi = SharedNifi.NIO.get();
        queue = SharedNifi.loop(nifi);
    }

    @BeforeEach
    void emptyTheQueue() {
        nifi.flow().empty(queue);
    }

    @ParameterizedTest
    @CsvSource({"1, false", "2, true", "1000, false", "1000, true"})
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

    private static void push(final String port, final boolean gzip, final List<DataPacket> packets) throws IOException {
        try (PushClient client = new PushClient(nifi, port, gzip)) {
            client.push(packets);
        }
    }

    private static byte[] random(final int size) {
        final byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }
}
