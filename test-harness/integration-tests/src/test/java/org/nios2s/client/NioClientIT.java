// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.transaction.Engine;
import org.nios2s.client.nifi.NioSiteToSiteClient;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.SinkLedger;
import org.nios2s.harness.sink.Parcel;
import org.nios2s.integration.SharedNifi;

/** The NIO client against a real NiFi, with either listener. Runs on the thread of the tests against the shared NiFis. */
@ParameterizedClass
@EnumSource(Listener.class)
@ResourceLock(SharedNifi.Lock.NIO)
@ResourceLock(SharedNifi.Lock.STOCK)
class NioClientIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MANY = 500;
    private static final int LARGE_BYTES = 20 << 20;
    private static final long SEED = 5;

    private static NifiNode nifi;

    @Parameter
    private Listener listener;

    private Engine engine;

    @BeforeParameterizedClassInvocation
    static void start(final Listener listener) {
        nifi = SharedNifi.of(listener, false).withEmptyLoop();
    }

    @BeforeEach
    void start() {
        engine = new Engine();
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    private Endpoint port(final String name) {
        return Endpoint.of(nifi.info().s2sHost(), nifi.info().s2sPort(), nifi.portId(name));
    }

    private static <T> T await(final CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private void awaitInLedger(final SinkLedger before, final long packets, final long bytes) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.ledger().since(before).equals(new SinkLedger(packets, bytes)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyAcknowledgedPacketIsInTheLedger(final boolean compress) throws Exception {
        final SinkLedger before = nifi.ledger();
        final Endpoint port = port("input").withCompress(compress);
        final List<CompletableFuture<TransactionResult>> results = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            results.add(engine.push(
                    port,
                    List.of(
                            Packet.of(Map.of("packet.id", "a" + i), "0123456789".getBytes()),
                            Packet.of(Map.of("packet.id", "b" + i), new byte[0]))));
        }
        for (final CompletableFuture<TransactionResult> result : results) {
            assertEquals(2, await(result).packets());
        }
        awaitInLedger(before, 2 * MANY, 10 * MANY);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLargeFileArrivesWhole(final boolean compress, @TempDir final Path folder) throws Exception {
        final SinkLedger before = nifi.ledger();
        final Path parcels = nifi.keepParcels("large-" + compress);
        final byte[] content = new byte[LARGE_BYTES];
        new Random(SEED).nextBytes(content);
        final Path file = Files.write(folder.resolve("large"), content);
        final TransactionResult result = await(engine.push(
                port("input").withCompress(compress), List.of(Packet.ofFile(Map.of("packet.id", "large"), file))));
        assertEquals(LARGE_BYTES, result.bytes());
        awaitInLedger(before, 1, LARGE_BYTES);
        final List<String> lines = Files.readAllLines(parcels);
        assertEquals(1, lines.size());
        assertNull(Parcel.parse(lines.getFirst()).difference(Parcel.of(Map.of("packet.id", "large"), content)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsPushedIsPulledBack(final boolean compress) throws Exception {
        final Map<String, String> sent = new HashMap<>();
        final List<Packet> packets = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            sent.put("id-" + i, "content " + i + " ü".repeat(i * 100));
            packets.add(Packet.of(
                    Map.of("packet.id", "id-" + i), sent.get("id-" + i).getBytes("UTF-8")));
        }
        await(engine.push(port("loop-in").withCompress(compress), packets));
        final Map<String, String> received = new ConcurrentHashMap<>();
        final Endpoint out = port("loop-out")
                .withCompress(compress)
                .withBatchLimits(BatchLimits.none().withMaxPackets(20));
        Awaitility.await().atMost(PATIENCE).until(() -> {
            await(engine.pull(out, batch -> {
                for (final ReceivedPacket packet : batch) {
                    received.put(packet.attributes().get("packet.id"), new String(packet.bytes(), "UTF-8"));
                }
            }));
            return received.size() == 50;
        });
        assertEquals(sent, received);
        assertEquals(0, await(engine.pull(out, ReceivedBatch::skipRest)).packets());
    }

    @Test
    void aReceiverThatRefusesLeavesThePacketsInTheQueue() throws Exception {
        await(engine.push(port("loop-in"), List.of(Packet.of(Map.of("packet.id", "kept"), new byte[7]))));
        final Endpoint out = port("loop-out").withBatchLimits(BatchLimits.none().withMaxPackets(1));
        Awaitility.await().atMost(PATIENCE).until(() -> {
            try {
                await(engine.pull(out, batch -> {
                    throw new IllegalStateException("not now");
                }));
                return false;
            } catch (final ExecutionException e) {
                return ((TransactionException) e.getCause()).reason() == FailureReason.HANDLER_FAILED;
            }
        });
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> await(engine.pull(out, ReceivedBatch::skipRest)).packets() == 1);
    }

    @Test
    void theDropInFindsPeerAndPortOverTheRestApi() throws Exception {
        final SinkLedger before = nifi.ledger();
        final SiteToSiteClientConfig config = new SiteToSiteClient.Builder()
                .url(nifi.info().api().replace("/nifi-api", "/nifi"))
                .portName("input")
                .buildConfig();
        try (SiteToSiteClient client = new NioSiteToSiteClient(config)) {
            for (int i = 0; i < 5; i++) {
                final Transaction transaction = client.createTransaction(TransferDirection.SEND);
                transaction.send(new byte[10], Map.of("packet.id", "drop-in-" + i));
                transaction.confirm();
                assertEquals(1, transaction.complete().getDataPacketsTransferred());
            }
        }
        awaitInLedger(before, 5, 50);
    }

    @Test
    void anUnknownPortIsRefusedByItsReason() {
        final Endpoint unknown = Endpoint.of(nifi.info().s2sHost(), nifi.info().s2sPort(), "no-such-port");
        final ExecutionException failure = assertThrows(
                ExecutionException.class, () -> await(engine.push(unknown, List.of(Packet.of(Map.of(), new byte[1])))));
        final TransactionException refused = assertInstanceOf(TransactionException.class, failure.getCause());
        assertEquals(FailureReason.UNKNOWN_PORT, refused.reason());
        assertEquals(TransactionStep.HANDSHAKE, refused.step());
    }
}
