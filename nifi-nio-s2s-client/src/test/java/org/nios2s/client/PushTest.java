// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.assertFails;
import static org.nios2s.client.Outcomes.packet;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.nifi.remote.protocol.HandshakeProperty;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.ConnectionOptions;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.transaction.Engine;
import org.nios2s.client.internal.transaction.OneTimePackets;

/** Pushes to a scripted server. */
class PushTest {
    private static final long SEED = 3;
    private static final int MANY = 1_000;
    private static final int LARGE_BYTES = 8 << 20;

    private ScriptedServer server;
    private Engine engine;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        engine = new Engine(ConnectionOptions.DEFAULTS.withMaxConnections(20));
    }

    @AfterEach
    void stop() throws IOException {
        engine.close();
        assertEquals(0, engine.openConnections());
        server.close();
    }

    private TransactionResult push(final Endpoint port, final Packet... packets) throws Exception {
        return Outcomes.await(engine.push(port, List.of(packets)));
    }

    private static byte[] noise(final int length) {
        final byte[] bytes = new byte[length];
        new Random(SEED).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void packetsArriveWithAttributesAndContentInOrder(final boolean compress) throws Exception {
        final List<byte[]> contents = List.of(new byte[0], "ten bytes!".getBytes(), noise(5_000), noise(300_000));
        final List<Packet> packets = new ArrayList<>();
        for (final byte[] content : contents) {
            packets.add(Packet.of(Map.of("size", "" + content.length, "ü", "€"), content));
        }
        final TransactionResult result =
                push(server.remotePort().withCompress(compress), packets.toArray(Packet[]::new));
        assertEquals(4, result.packets());
        assertEquals(305_010, result.bytes());
        assertEquals(server.remotePort().peer(), result.peer());
        assertFalse(result.destinationFull());
        assertTrue(result.duration().compareTo(Duration.ZERO) > 0);
        final TransactionTimings timings = result.timings();
        assertEquals(
                Stream.of(timings.connected(), timings.transferred(), timings.confirmed(), result.duration())
                        .sorted()
                        .toList(),
                List.of(timings.connected(), timings.transferred(), timings.confirmed(), result.duration()));
        final List<Received> received = List.copyOf(server.committed);
        for (int i = 0; i < contents.size(); i++) {
            assertArrayEquals(contents.get(i), received.get(i).content());
            assertEquals(
                    Set.of("size", "ü", "uuid"), received.get(i).attributes().keySet());
            assertEquals(
                    "" + contents.get(i).length, received.get(i).attributes().get("size"));
            assertEquals("€", received.get(i).attributes().get("ü"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFileAndAStreamAreReadWhileTheyAreSent(final boolean compress, @TempDir final Path folder) throws Exception {
        final byte[] content = noise(LARGE_BYTES);
        final Path file = Files.write(folder.resolve("large"), content);
        final Path empty = Files.createFile(folder.resolve("empty"));
        final TransactionResult result = push(
                server.remotePort().withCompress(compress),
                Packet.ofFile(Map.of("kind", "file"), file),
                Packet.ofFile(Map.of("kind", "empty"), empty),
                Packet.ofStream(Map.of("kind", "stream"), new ByteArrayInputStream(content), LARGE_BYTES - 1));
        assertEquals(3, result.packets());
        assertEquals(2L * LARGE_BYTES - 1, result.bytes());
        final List<Received> received = List.copyOf(server.committed);
        assertArrayEquals(content, received.get(0).content());
        assertEquals(0, received.get(1).content().length);
        assertEquals(LARGE_BYTES - 1, received.get(2).content().length);
    }

    @Test
    void theHandshakeSaysWhatThePortSays() throws Exception {
        final Endpoint port = server.remotePort()
                .withRequestExpiration(Duration.ofSeconds(7))
                .withCompress(true)
                .withBatchLimits(
                        BatchLimits.none().withMaxPackets(3).withMaxBytes(4).withMaxDuration(Duration.ofMillis(5)));
        push(port, packet("a"));
        assertEquals(
                Map.of(
                        HandshakeProperty.GZIP, "true",
                        HandshakeProperty.PORT_IDENTIFIER, "port-id",
                        HandshakeProperty.REQUEST_EXPIRATION_MILLIS, "7000",
                        HandshakeProperty.BATCH_COUNT, "3",
                        HandshakeProperty.BATCH_SIZE, "4",
                        HandshakeProperty.BATCH_DURATION, "5"),
                server.handshakes.get(0));
        assertEquals("nifi://" + port.peer() + "/", server.transitUris.get(0));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void anOlderVersionOfTheProtocolIsAgreedOn(final int version) throws Exception {
        server.highestVersion.set(version);
        push(server.remotePort(), packet("a"), packet("b"));
        assertEquals(2, server.committed.size());
    }

    @Test
    void beforeVersionFourTheChecksumIsIgnored() throws Exception {
        server.highestVersion.set(3);
        server.at(Moment.CONFIRM, ScriptedServer.answer(ResponseCode.CONFIRM_TRANSACTION, ""));
        push(server.remotePort(), packet("a"));
        assertEquals(1, server.committed.size());
    }

    @Test
    void oneAfterTheOtherUseOneConnection() throws Exception {
        for (int i = 0; i < 20; i++) {
            push(server.remotePort(), packet("packet " + i));
        }
        assertEquals(1, server.accepted.get());
        assertEquals(20, server.committed.size());
    }

    @Test
    void manyAtOnceShareTheConnectionsThatTheLimitAllows() throws Exception {
        final List<CompletableFuture<TransactionResult>> results = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            results.add(engine.push(server.remotePort(), List.of(packet("a" + i), packet("b" + i))));
        }
        for (final CompletableFuture<TransactionResult> result : results) {
            assertEquals(2, Outcomes.await(result).packets());
        }
        assertEquals(2 * MANY, server.committed.size());
        assertTrue(server.accepted.get() <= 20, "accepted " + server.accepted.get());
    }

    @Test
    void aDestinationThatBecameFullIsPartOfTheResult() throws Exception {
        server.at(Moment.FINISHED, ScriptedServer.answer(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL));
        assertTrue(push(server.remotePort(), packet("a")).destinationFull());
    }

    @Test
    void aPushWithoutPacketsIsRefused() {
        final ExecutionException failure =
                assertThrows(ExecutionException.class, () -> engine.push(server.remotePort(), List.of())
                        .get());
        assertInstanceOf(TransactionException.class, failure.getCause());
    }

    @Test
    void aChecksumThatDiffersIsToldToThePeerAndFails() {
        server.at(Moment.CONFIRM, ScriptedServer.answer(ResponseCode.CONFIRM_TRANSACTION, "12345"));
        final TransactionException failure = assertFails(
                engine.push(server.remotePort(), List.of(packet("a"))),
                TransactionStep.CONFIRM,
                FailureReason.BAD_CHECKSUM);
        assertFalse(failure.isOutcomeUnknown());
        await().until(() -> server.badChecksums.get() == 1);
        assertEquals(0, server.committed.size());
    }

    @Test
    void aStreamThatFailsHalfWayFailsTheTransactionAndClosesTheConnection() {
        final InputStream broken = new InputStream() {
            private int left = 100_000;

            @Override
            public int read() throws IOException {
                if (left-- <= 0) {
                    throw new IOException("the disk is gone");
                }
                return 'x';
            }
        };
        final TransactionException failure = assertFails(
                engine.push(server.remotePort(), List.of(packet("a"), Packet.ofStream(Map.of(), broken, 200_000))),
                TransactionStep.SEND_PACKETS,
                FailureReason.CONTENT_FAILED);
        assertTrue(failure.getMessage().contains("the disk is gone"), failure.getMessage());
        await().until(() -> server.openConnections() == 0);
        assertEquals(0, server.committed.size());
    }

    @Test
    void aStreamShorterThanDeclaredFailsTheTransaction() {
        final Packet packet = Packet.ofStream(Map.of(), new ByteArrayInputStream(new byte[99]), 100);
        assertFails(
                engine.push(server.remotePort(), List.of(packet)),
                TransactionStep.SEND_PACKETS,
                FailureReason.CONTENT_FAILED);
        await().until(() -> server.openConnections() == 0);
    }

    @Test
    void anIteratorThatFailsBetweenPacketsCancelsTheTransactionOnThePeer() {
        final Iterator<Packet> failing = Stream.of("a", "b", "c")
                .map(name -> {
                    if (name.equals("c")) {
                        throw new IllegalStateException("no third");
                    }
                    return packet(name);
                })
                .iterator();
        final TransactionException failure = assertFails(
                engine.pushing(server.remotePort(), new OneTimePackets(failing), CallOptions.DEFAULTS)
                        .result(),
                TransactionStep.SEND_PACKETS,
                FailureReason.CONTENT_FAILED);
        assertTrue(failure.getMessage().contains("no third"), failure.getMessage());
        await().until(() -> server.cancellations.size() == 1);
        assertEquals(0, server.committed.size());
    }

    @Test
    void aCancelledFutureEndsTheTransactionAndItsSource() throws Exception {
        final CountDownLatch reading = new CountDownLatch(1);
        final CountDownLatch interrupted = new CountDownLatch(1);
        final InputStream endless = new InputStream() {
            @Override
            public int read() throws IOException {
                reading.countDown();
                try {
                    Thread.sleep(Duration.ofMinutes(1));
                } catch (final InterruptedException e) {
                    interrupted.countDown();
                    throw new IOException("interrupted", e);
                }
                return 0;
            }
        };
        final CompletableFuture<TransactionResult> result =
                engine.push(server.remotePort(), List.of(Packet.ofStream(Map.of(), endless, 5)));
        reading.await();
        result.cancel(true);
        interrupted.await();
        await().until(() -> server.openConnections() == 0 && engine.openConnections() == 0);
        assertEquals(0, server.committed.size());
    }

    @Test
    void aClosedConnectorEndsWhatIsUnderWayAndTakesNothingMore() {
        server.at(Moment.CONFIRM, server.stall());
        final CompletableFuture<TransactionResult> result = engine.push(server.remotePort(), List.of(packet("a")));
        await().until(() -> server.handshakes.size() == 1);
        engine.close();
        assertEquals(FailureReason.CLIENT_CLOSED, Outcomes.failureOf(result).reason());
        assertFails(
                engine.push(server.remotePort(), List.of(packet("b"))),
                TransactionStep.WAIT_FOR_CONNECTION,
                FailureReason.CLIENT_CLOSED);
    }

    @Test
    void aConnectorMayBeClosedByWhatDependsOnAFuture() throws Exception {
        Outcomes.await(engine.push(server.remotePort(), List.of(packet("a"))).thenRun(engine::close));
        await().until(() -> server.openConnections() == 0);
    }

    @Test
    void aPacketIsSentToAPeerThatReadsSlowlyAndTheDeadlineEndsItCleanly() throws Exception {
        Outcomes.await(engine.push(server.remotePort(), List.of(packet("connects"))));
        server.at(Moment.FIRST_PACKET, server.stall());
        final byte[] large = new byte[4 * LARGE_BYTES];
        assertFails(
                engine.push(
                        server.remotePort(),
                        List.of(Packet.of(Map.of(), large), packet("never sent")),
                        CallOptions.DEFAULTS.withDeadline(Outcomes.IMPATIENT)),
                TransactionStep.SEND_PACKETS,
                FailureReason.DEADLINE_EXCEEDED);
        await().until(() -> engine.openConnections() == 0);
    }
}
