// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;

/** Records that are joined to FlowFiles. Lives on the test's thread. */
class RecordSenderTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @RegisterExtension
    private final ScriptedNifi scripted = new ScriptedNifi();

    private final ScriptedServer server = scripted.server();
    private final SiteToSite nifi = scripted.client();

    private RecordSender lines(final BatchingOptions options) {
        return nifi.inputPort("port-id").joining(RecordFraming.lines(), Map.of("filename", "log"), options);
    }

    private static BatchingOptions patient() {
        return BatchingOptions.ofRecords().withLinger(LONG);
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(final Received flowFile) {
        return new String(flowFile.content(), UTF_8);
    }

    private List<String> contents() {
        return server.committed.stream().map(RecordSenderTest::text).toList();
    }

    @Test
    void recordsBecomeAFlowFileAndClosingSendsTheRest() throws Exception {
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        try (RecordSender sender = lines(patient().withMaxPackets(3).inOrder())) {
            for (int i = 0; i < 7; i++) {
                sent.add(sender.send(bytes("r" + i)));
            }
        }
        assertEquals(List.of("r0\nr1\nr2\n", "r3\nr4\nr5\n", "r6\n"), contents());
        for (final CompletableFuture<TransactionResult> each : sent) {
            assertEquals(1, each.join().packets());
        }
        final Map<String, String> attributes = server.committed.element().attributes();
        assertEquals("3", attributes.get("record.count"));
        assertEquals("text/plain", attributes.get("mime.type"));
        assertEquals("log", attributes.get("filename"));
    }

    @Test
    void aRecordWaitsForOthersNoLongerThanItLingers() throws Exception {
        try (RecordSender sender = lines(patient().withLinger(Duration.ofMillis(20)))) {
            Outcomes.await(sender.send(bytes("alone")));
            assertEquals(List.of("alone\n"), contents());
        }
    }

    @Test
    void aFlushWaitsForNothingButWhatWasGiven() throws Exception {
        try (RecordSender sender = lines(patient())) {
            final CompletableFuture<TransactionResult> sent = sender.send(bytes("a"));
            assertEquals(1, sender.pendingRecords());
            Outcomes.await(sender.flush());
            assertTrue(sent.isDone());
            assertEquals(0, sender.pendingRecords());
        }
    }

    @Test
    void noFlowFileHasMoreBytesThanItMay() throws Exception {
        try (RecordSender sender = lines(patient().withMaxBytes(10).inOrder())) {
            for (final String record : List.of("1234", "1234", "1", "123456789", "", "12345678", "1")) {
                sender.send(bytes(record));
            }
        }
        assertEquals(List.of("1234\n1234\n", "1\n", "123456789\n", "\n12345678\n", "1\n"), contents());
    }

    @Test
    void aRecordThatIsTooLargeIsRefusedAtOnce() throws Exception {
        try (RecordSender sender = lines(patient().withMaxBytes(10))) {
            final TransactionException failure = Outcomes.assertFails(
                    sender.send(new byte[10]), TransactionStep.FIND_PEER, FailureReason.CONTENT_FAILED);
            assertTrue(
                    failure.getMessage()
                            .contains("The record of 10 bytes takes 11 in a FlowFile, which has at most 10: raise"),
                    failure::getMessage);
            assertFalse(failure.isOutcomeUnknown());
            assertEquals(0, sender.pendingRecords());
        }
        assertEquals(List.of(), contents());
    }

    @Test
    void aRecordThatCantBeToldApartIsRefusedAndNoOther() throws Exception {
        try (RecordSender sender = lines(patient())) {
            final CompletableFuture<TransactionResult> before = sender.send(bytes("a"));
            for (final CompletableFuture<TransactionResult> refused : List.of(
                    sender.send(bytes("b\nc")), sender.sendAsync(bytes("\n")), sender.send(bytes("\n"), LONG))) {
                final TransactionException failure =
                        Outcomes.assertFails(refused, TransactionStep.FIND_PEER, FailureReason.CONTENT_FAILED);
                assertTrue(failure.getMessage().contains("contains the separator at byte "), failure::getMessage);
            }
            Outcomes.assertFails(sender.send(null), TransactionStep.FIND_PEER, FailureReason.CONTENT_FAILED);
            sender.flush();
            Outcomes.await(before);
        }
        assertEquals(List.of("a\n"), contents());
    }

    @Test
    void whatIsWrongForEveryFlowFileIsRefusedBeforeTheFirst() {
        final InputPort port = nifi.inputPort("port-id");
        for (final String name : List.of("uuid", "record.count")) {
            final IllegalArgumentException refusal = assertThrows(
                    IllegalArgumentException.class, () -> port.joining(RecordFraming.lines(), Map.of(name, "1")));
            assertTrue(refusal.getMessage().contains("The attribute " + name + " can't be given"), refusal::getMessage);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> port.joining(RecordFraming.lines(), Map.of(), patient().withMaxBytes((64L << 20) + 1)));
    }

    @Test
    void aFlowFileHasTheSameIdentifierAtEveryAttempt() throws Exception {
        final Queue<String> identifiers = new ConcurrentLinkedQueue<>();
        final AtomicInteger cuts = new AtomicInteger();
        server.at(Moment.CONFIRM, wire -> {
            identifiers.add(server.arrived.remove().attributes().get("uuid"));
            if (cuts.getAndIncrement() == 0) {
                throw new IOException("the connection is cut");
            }
            return false;
        });
        try (RecordSender sender = lines(patient())) {
            sender.send(bytes("a"));
        }
        assertEquals(2, identifiers.size());
        assertEquals(1, identifiers.stream().distinct().count());
        server.at(Moment.CONFIRM, wire -> false);
        try (RecordSender sender = lines(patient())) {
            sender.send(bytes("a"));
        }
        assertEquals(2, server.committed.size());
        assertNotEquals(
                identifiers.element(),
                server.committed.stream().toList().getLast().attributes().get("uuid"));
    }

    @Test
    void whatIsLostInTheMiddleIsUnknownForEachOfItsRecords() throws Exception {
        server.at(Moment.FINISHED, ScriptedServer.hangUp());
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        try (RecordSender sender = lines(patient())) {
            for (int i = 0; i < 5; i++) {
                sent.add(sender.send(bytes("r" + i)));
            }
        }
        for (final CompletableFuture<TransactionResult> each : sent) {
            assertTrue(Outcomes.failureOf(each).isOutcomeUnknown());
        }
        assertEquals(1, server.arrived.size());
    }

    @Test
    void aRecordThatThePeerRefusesFailsAlone() throws Exception {
        server.at(Moment.CONFIRM, wire -> {
            final boolean refused =
                    server.arrived.stream().anyMatch(each -> text(each).contains("poison"));
            server.arrived.clear();
            if (refused) {
                throw new IOException("the peer does not like it");
            }
            return false;
        });
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        final InputPort port = nifi.inputPort("port-id")
                .withRetry(RetryPolicy.standard()
                        .withDeliveryTimeout(Duration.ofSeconds(6))
                        .withBackoff(Duration.ofMillis(1), Duration.ofMillis(5)));
        try (RecordSender sender =
                port.joining(RecordFraming.lines(), Map.of(), patient().inOrder())) {
            for (int i = 0; i < 100; i++) {
                sent.add(sender.send(bytes(i == 50 ? "poison" : "r" + i)));
            }
        }
        for (int i = 0; i < 100; i++) {
            assertEquals(i == 50, sent.get(i).isCompletedExceptionally(), "record " + i);
        }
        final List<String> arrived = contents().stream().flatMap(String::lines).toList();
        assertEquals(
                IntStream.range(0, 100)
                        .filter(i -> i != 50)
                        .mapToObj(i -> "r" + i)
                        .toList(),
                arrived);
    }

    @Test
    void theFailureListenerGetsTheRecord() throws Exception {
        server.at(Moment.HANDSHAKE, ScriptedServer.answer(org.apache.nifi.remote.protocol.ResponseCode.UNKNOWN_PORT));
        final Queue<Packet> failed = new ConcurrentLinkedQueue<>();
        try (RecordSender sender = lines(patient().onFailure((record, failure) -> failed.add(record)))) {
            sender.send(bytes("a"));
        }
        assertEquals("a", new String(failed.element().bytes().array(), UTF_8));
    }

    @Test
    void whatIsTooMuchWaitsOrIsRefused() throws Exception {
        server.at(Moment.CONFIRM, server.stall());
        final RecordSender sender = lines(patient().withMaxPending(2, 1 << 20));
        sender.send(bytes("a"));
        sender.send(bytes("b"));
        Outcomes.assertFails(sender.sendAsync(bytes("c")), TransactionStep.FIND_PEER, FailureReason.TOO_MANY_PENDING);
        Outcomes.assertFails(
                sender.send(bytes("c"), Duration.ofMillis(5)),
                TransactionStep.FIND_PEER,
                FailureReason.TOO_MANY_PENDING);
        assertFalse(sender.whenWritable().isDone());
        assertFalse(sender.close(Duration.ofMillis(5)));
        Outcomes.assertFails(sender.send(bytes("d")), TransactionStep.FIND_PEER, FailureReason.CLIENT_CLOSED);
        assertNull(server.committed.peek());
    }

    @Test
    void theCopyInTheFlowFileCountsAsMemory() throws Exception {
        server.at(Moment.CONFIRM, server.stall());
        final RecordSender sender = lines(patient().withMaxPending(100, 1_500));
        sender.send(new byte[1_000]);
        final TransactionException refusal = Outcomes.assertFails(
                sender.sendAsync(bytes("a")), TransactionStep.FIND_PEER, FailureReason.TOO_MANY_PENDING);
        assertTrue(refusal.getMessage().contains("1 records that take "), refusal::getMessage);
        assertFalse(sender.close(Duration.ZERO));
        final TransactionException closed =
                Outcomes.assertFails(sender.send(bytes("a")), TransactionStep.FIND_PEER, FailureReason.CLIENT_CLOSED);
        assertTrue(closed.getMessage().contains("The record sender is closed"), closed::getMessage);
    }
}
