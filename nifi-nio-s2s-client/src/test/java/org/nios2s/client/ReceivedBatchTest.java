// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nios2s.client.ScriptedServer.Received;
import org.nios2s.client.internal.transaction.PacketQueue;

/** What a handler reads is what NiFi sent, or fails; what it did not see NiFi keeps. */
class ReceivedBatchTest {
    private ScriptedServer server;
    private SiteToSite nifi;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        nifi = NioSiteToSite.builder().address("127.0.0.1", server.port()).build();
        for (final String name : List.of("first", "second", "third")) {
            server.offered.add(new Received(Map.of("is", name), name.getBytes()));
        }
    }

    @AfterEach
    void stop() throws IOException {
        nifi.close();
        server.close();
    }

    private TransactionResult pull(final BatchHandler handler) throws Exception {
        return Outcomes.await(nifi.outputPort("port-id").pull(handler));
    }

    private static void assertLeft(final ReceivedPacket packet) {
        final IOException failure =
                assertThrows(IOException.class, () -> packet.content().readAllBytes());
        assertTrue(failure.getMessage().contains("left unread"), failure.getMessage());
        assertThrows(IOException.class, () -> packet.content().read());
        assertThrows(IOException.class, packet::bytes);
    }

    @Test
    void contentThatIsReadAfterTheNextPacketWasAskedForFails() throws Exception {
        final List<String> last = new ArrayList<>();
        pull(batch -> {
            final List<ReceivedPacket> all =
                    StreamSupport.stream(batch.spliterator(), false).toList();
            all.forEach(ReceivedBatchTest::assertLeft);
            last.add(all.getLast().attributes().get("is"));
        });
        assertEquals(List.of("third"), last);
    }

    @Test
    void lookingAheadLeavesThePacketInHandAndNeverGivesItTheNextOnesBytes() throws Exception {
        final List<String> seen = new ArrayList<>();
        pull(batch -> {
            final Iterator<ReceivedPacket> packets = batch.iterator();
            while (packets.hasNext()) {
                final ReceivedPacket packet = packets.next();
                packets.hasNext();
                assertLeft(packet);
                seen.add(packet.attributes().get("is"));
            }
        });
        assertEquals(List.of("first", "second", "third"), seen);
    }

    @Test
    void contentThatIsReadAfterTheBatchFails() throws Exception {
        final List<ReceivedPacket> kept = new CopyOnWriteArrayList<>();
        pull(batch -> batch.forEach(kept::add));
        assertEquals(3, kept.size());
        kept.forEach(ReceivedBatchTest::assertLeft);
    }

    @Test
    void aPartThatWasReadDoesNotSaveTheRest() throws Exception {
        server.offered.clear();
        server.offered.add(new Received(Map.of(), new byte[100_000]));
        server.offered.add(new Received(Map.of(), new byte[1]));
        final List<ReceivedPacket> kept = new CopyOnWriteArrayList<>();
        pull(batch -> {
            for (final ReceivedPacket packet : batch) {
                if (packet.size() > 1) {
                    assertEquals(10, packet.content().readNBytes(10).length);
                }
                kept.add(packet);
            }
        });
        final IOException failure =
                assertThrows(IOException.class, () -> kept.get(0).content().read());
        assertTrue(failure.getMessage().contains("99990 bytes"), failure.getMessage());
    }

    @Test
    void bytesCanBeKept() throws Exception {
        final List<byte[]> kept = new CopyOnWriteArrayList<>();
        pull(batch -> {
            for (final ReceivedPacket packet : batch) {
                kept.add(packet.bytes());
                assertEquals(-1, packet.content().read());
                assertThrows(EOFException.class, packet::bytes);
            }
        });
        assertArrayEquals("first".getBytes(), kept.get(0));
        assertArrayEquals("third".getBytes(), kept.get(2));
    }

    @Test
    void anEndBeforeTheDeclaredSizeIsNoEndOfTheStream() throws Exception {
        final PacketQueue queue = new PacketQueue(() -> {});
        queue.begin(Map.of(), 10, 0);
        queue.content(Unpooled.wrappedBuffer(new byte[4]));
        queue.endPacket();
        queue.finish();
        final ReceivedPacket packet = queue.next();
        final EOFException failure =
                assertThrows(EOFException.class, () -> packet.content().readAllBytes());
        assertEquals("The content ends after 4 of 10 bytes", failure.getMessage());
    }

    @Test
    void aHandlerThatReturnsEarlyAcknowledgesNothing() throws Exception {
        final List<String> seen = new CopyOnWriteArrayList<>();
        final TransactionException failure =
                Outcomes.failureOf(nifi.outputPort("port-id").pull(batch -> {
                    for (final ReceivedPacket packet : batch) {
                        seen.add(packet.attributes().get("is"));
                        return;
                    }
                }));
        assertEquals(FailureReason.HANDLER_FAILED, failure.reason());
        assertTrue(failure.getMessage().contains("skipRest()"), failure.getMessage());
        assertEquals(List.of("first"), seen);
        await().until(() -> server.openConnections() == 0);
        assertEquals(0, server.finishedPulls.get());
        assertEquals(3, server.offered.size());
    }

    @Test
    void aHandlerThatRefusesWhatItConfirmedLeavesThePacketsWithNiFiForSure() throws Exception {
        final TransactionException failure =
                Outcomes.failureOf(nifi.outputPort("port-id").pull(batch -> {
                    batch.skipRest();
                    batch.confirm();
                    throw new IOException("the store is gone");
                }));
        assertEquals(FailureReason.HANDLER_FAILED, failure.reason());
        assertFalse(failure.isOutcomeUnknown(), failure.getMessage());
        assertEquals(3, server.offered.size());
    }

    @Test
    void aHandlerThatLooksAtNothingAcknowledgesNothing() throws Exception {
        assertEquals(
                FailureReason.HANDLER_FAILED,
                Outcomes.failureOf(nifi.outputPort("port-id").pull(batch -> {})).reason());
        assertEquals(0, server.finishedPulls.get());
    }

    @Test
    void aReceiverGivesABatchAgainThatItsHandlerLeft() throws Exception {
        final List<String> seen = new CopyOnWriteArrayList<>();
        try (BatchReceiver receiver = nifi.outputPort("port-id").receive(batch -> {
            for (final ReceivedPacket packet : batch) {
                seen.add(packet.attributes().get("is"));
                if (seen.size() == 1) {
                    break;
                }
            }
        })) {
            await().until(() -> server.finishedPulls.get() == 1);
            assertEquals(List.of("first", "first", "second", "third"), seen);
            assertTrue(server.offered.isEmpty());
            assertFalse(receiver.whenEnded().isDone());
        }
    }

    @Test
    void theLastPacketMayEndTheLoop() throws Exception {
        assertEquals(
                3,
                pull(batch -> {
                            final Iterator<ReceivedPacket> packets = batch.iterator();
                            for (int i = 0; i < 3; i++) {
                                assertNotNull(packets.next());
                            }
                        })
                        .packets());
    }

    @Test
    void whatIsSkippedOnPurposeIsForgotten() throws Exception {
        final CompletableFuture<Long> skipped = new CompletableFuture<>();
        pull(batch -> {
            batch.iterator().next();
            skipped.complete(batch.skipRest());
        });
        assertEquals(2, skipped.join());
        await().until(() -> server.offered.isEmpty());
    }
}
