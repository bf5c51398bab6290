// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.protocol.HandshakeProperty;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;

/** Batches that the caller's own thread asks for, confirms and completes, as a source of Kafka Connect or Flink does. */
class PollTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int MANY = 1_000_000_000;

    private ScriptedServer server;
    private SiteToSite nifi;
    private OutputPort port;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        nifi = NioSiteToSite.builder().address("127.0.0.1", server.port()).build();
        port = nifi.outputPort("port-id");
    }

    @AfterEach
    void stop() throws IOException {
        nifi.close();
        server.close();
    }

    private void offer(final String name) {
        server.offered.add(new Received(Map.of("is", name), name.getBytes()));
    }

    private static List<String> read(final ReceivedBatch batch) throws IOException {
        final List<String> records = new ArrayList<>();
        for (final ReceivedPacket packet : batch) {
            records.add(new String(packet.bytes()));
        }
        return records;
    }

    @Test
    void nothingIsAnEmptyAnswer() throws Exception {
        assertTrue(port.poll(Duration.ZERO).isEmpty());
        assertTrue(port.poll(Duration.ofMillis(50)).isEmpty());
    }

    @Test
    void niFiForgetsWhenTheCallerSaysSoFromWhateverThread() throws Exception {
        offer("a");
        offer("b");
        final ReceivedBatch batch = port.poll(LONG).orElseThrow();
        assertEquals(List.of("a", "b"), read(batch));
        assertEquals(0, server.finishedPulls.get());
        // The checkpoint comes on another thread, much later.
        final TransactionResult result = Outcomes.await(CompletableFuture.supplyAsync(() -> {
            try {
                return batch.complete();
            } catch (final IOException e) {
                throw new IllegalStateException(e);
            }
        }));
        assertEquals(2, result.packets());
        assertEquals(2, batch.complete().packets());
        await().until(() -> server.finishedPulls.get() == 1 && server.offered.isEmpty());
        batch.close();
        assertTrue(port.poll(Duration.ZERO).isEmpty());
    }

    @Test
    void aClosedBatchIsGivenAgain() throws Exception {
        offer("a");
        try (ReceivedBatch batch = port.poll(LONG).orElseThrow()) {
            read(batch);
            batch.confirm();
        }
        final ReceivedBatch closed = port.poll(LONG).orElseThrow();
        closed.close();
        assertThrows(IllegalStateException.class, closed::complete);
        assertThrows(IllegalStateException.class, closed::iterator);
        try (ReceivedBatch batch = port.poll(LONG).orElseThrow()) {
            assertEquals(List.of("a"), read(batch));
            batch.complete();
        }
        await().until(() -> server.offered.isEmpty());
        assertEquals(1, server.finishedPulls.get());
    }

    @Test
    void whatWasNotReadCanNotBeConfirmed() throws Exception {
        offer("a");
        try (ReceivedBatch batch = port.poll(LONG).orElseThrow()) {
            assertThrows(IllegalStateException.class, batch::confirm);
            assertThrows(IllegalStateException.class, batch::complete);
            assertEquals(List.of("a"), read(batch));
            batch.complete();
        }
    }

    @Test
    void severalBatchesMayBeOpenAtATime() throws Exception {
        offer("a");
        final ReceivedBatch first = port.poll(LONG).orElseThrow();
        final ReceivedBatch second = port.poll(LONG).orElseThrow();
        read(first);
        read(second);
        first.complete();
        second.complete();
        assertEquals(2, server.accepted.get());
    }

    @Test
    void whatMayPassIsTriedAgainAndWhatStaysIsThrown() throws Exception {
        server.at(Moment.HANDSHAKE, wire -> {
            if (server.accepted.get() > 2) {
                return false;
            }
            throw new IOException("not yet");
        });
        offer("a");
        try (ReceivedBatch batch = port.poll(LONG).orElseThrow()) {
            assertEquals(List.of("a"), read(batch));
        }
        server.at(Moment.HANDSHAKE, ScriptedServer.answer(ResponseCode.UNAUTHORIZED, "no"));
        await().until(() -> server.openConnections() == 0);
        assertEquals(
                FailureReason.UNAUTHORIZED,
                assertThrows(TransactionException.class, () -> port.poll(LONG)).reason());
        server.at(Moment.HANDSHAKE, ScriptedServer.hangUp());
        assertEquals(
                FailureReason.CONNECTION_LOST,
                assertThrows(TransactionException.class, () -> port.poll(Duration.ZERO))
                        .reason());
    }

    @Test
    void anInterruptEndsThePollAndLeavesNothingOpen() throws Exception {
        server.at(Moment.FIRST_PACKET, server.stall());
        final CompletableFuture<Throwable> heard = new CompletableFuture<>();
        final Thread polling = Thread.ofVirtual().start(() -> {
            try {
                port.poll(LONG);
            } catch (final IOException e) {
                heard.complete(e);
            }
        });
        await().until(() -> nifi.statistics().inFlight() == 1);
        polling.interrupt();
        assertEquals(InterruptedIOException.class, Outcomes.await(heard).getClass());
        await().until(() -> nifi.statistics().connections() == 0);
    }

    @Test
    void aLostConnectionIsHeardAtTheNextWord() throws Exception {
        offer("a");
        final ReceivedBatch batch = port.poll(LONG).orElseThrow();
        read(batch);
        server.close();
        await().until(() -> nifi.statistics().connections() == 0);
        assertThrows(TransactionException.class, batch::complete);
        batch.close();
        assertFalse(server.finishedPulls.get() > 0);
    }

    @Test
    void whatALostConnectionLeavesUnreadFailsWithTheTransactionsOwnException() throws Exception {
        offer("a");
        offer("b");
        server.insteadOfContinuation(ScriptedServer.hangUp());
        try (ReceivedBatch batch = port.poll(LONG).orElseThrow()) {
            final UncheckedIOException thrown =
                    assertThrows(UncheckedIOException.class, () -> batch.forEach(packet -> {}));
            assertEquals(TransactionException.class, thrown.getCause().getClass());
        }
    }

    /** The server of all tests and another one; the server is said to have so much more that it is asked first. */
    private SiteToSite cluster(final ScriptedSite site, final ScriptedServer other) {
        ScriptedServer.cluster(server, MANY, other, 0);
        return NioSiteToSite.builder().url(site.url()).build();
    }

    private static ScriptedServer.Action counting(final AtomicInteger requests) {
        return wire -> {
            requests.incrementAndGet();
            return false;
        };
    }

    @Test
    void withoutTimeToWaitEachNodeIsAskedOnce() throws Exception {
        try (ScriptedServer other = new ScriptedServer();
                ScriptedSite site = new ScriptedSite(server.port());
                SiteToSite cluster = cluster(site, other)) {
            final AtomicInteger ofServer = new AtomicInteger();
            final AtomicInteger ofOther = new AtomicInteger();
            server.at(Moment.FIRST_PACKET, counting(ofServer));
            other.at(Moment.FIRST_PACKET, counting(ofOther));
            assertTrue(cluster.outputPort("out").poll(Duration.ZERO).isEmpty());
            assertEquals(List.of(1, 1), List.of(ofServer.get(), ofOther.get()));
        }
    }

    @Test
    void aNodeThatHasNothingIsNoAnswerOfTheCluster() throws Exception {
        try (ScriptedServer other = new ScriptedServer();
                ScriptedSite site = new ScriptedSite(server.port());
                SiteToSite cluster = cluster(site, other)) {
            other.offered.add(new Received(Map.of(), "b".getBytes()));
            try (ReceivedBatch batch =
                    cluster.outputPort("out").poll(Duration.ZERO).orElseThrow()) {
                assertEquals(List.of("b"), read(batch));
                batch.complete();
            }
            assertTrue(cluster.outputPort("out").poll(Duration.ZERO).isEmpty());
        }
    }

    @Test
    void aNodeThatFailsIsNoAnswerOfTheCluster() throws Exception {
        try (ScriptedServer other = new ScriptedServer();
                ScriptedSite site = new ScriptedSite(server.port());
                SiteToSite cluster = cluster(site, other)) {
            server.at(Moment.FIRST_PACKET, ScriptedServer.hangUp());
            other.offered.add(new Received(Map.of(), "b".getBytes()));
            try (ReceivedBatch batch =
                    cluster.outputPort("out").poll(Duration.ZERO).orElseThrow()) {
                assertEquals(List.of("b"), read(batch));
            }
        }
    }

    @Test
    void whatANodeHasThatFailsIsUnknownWhereTheOthersHaveNothing() throws Exception {
        try (ScriptedServer other = new ScriptedServer();
                ScriptedSite site = new ScriptedSite(server.port());
                SiteToSite cluster = cluster(site, other)) {
            server.at(Moment.FIRST_PACKET, ScriptedServer.hangUp());
            final AtomicInteger ofOther = new AtomicInteger();
            other.at(Moment.FIRST_PACKET, counting(ofOther));
            final TransactionException failure = assertThrows(
                    TransactionException.class, () -> cluster.outputPort("out").poll(Duration.ZERO));
            assertEquals(FailureReason.CONNECTION_LOST, failure.reason());
            assertEquals(1, ofOther.get());
        }
    }

    @Test
    void aNodeThatServedAgainNoLongerCountsAsOneThatRefuses() throws Exception {
        try (ScriptedServer other = new ScriptedServer();
                ScriptedSite site = new ScriptedSite(server.port());
                SiteToSite cluster = cluster(site, other)) {
            final AtomicInteger ofServer = new AtomicInteger();
            final AtomicInteger ofOther = new AtomicInteger();
            // The first failure of the server leaves the other node as the last one that is not penalized: its refusal
            // counts for seconds.
            server.at(Moment.FIRST_PACKET, wire -> {
                if (ofServer.getAndIncrement() == 0) {
                    throw new IOException("restarts");
                }
                wire.say(ResponseCode.NO_MORE_DATA);
                throw new IOException("The next request takes another handshake");
            });
            other.at(Moment.HANDSHAKE, ScriptedServer.portOnly(wire -> {
                if (ofOther.getAndIncrement() > 0) {
                    return false;
                }
                wire.say(ResponseCode.UNKNOWN_PORT);
                return true;
            }));
            other.at(Moment.FIRST_PACKET, counting(ofOther));
            server.at(Moment.HANDSHAKE, ScriptedServer.portOnly(wire -> {
                if (ofOther.get() < 3) {
                    return false;
                }
                other.offered.add(new Received(Map.of(), "b".getBytes()));
                wire.say(ResponseCode.UNKNOWN_PORT);
                return true;
            }));
            try (ReceivedBatch batch = cluster.outputPort("out").poll(LONG).orElseThrow()) {
                assertEquals(List.of("b"), read(batch));
            }
        }
    }

    @Test
    void aNodeThatRefusesIsNoAnswerOfTheCluster() throws Exception {
        try (ScriptedServer other = new ScriptedServer();
                ScriptedSite site = new ScriptedSite(server.port());
                SiteToSite cluster = NioSiteToSite.builder().url(site.url()).build()) {
            ScriptedServer.cluster(server, 5, other, 5);
            other.at(Moment.HANDSHAKE, ScriptedServer.portOnly(ScriptedServer.answer(ResponseCode.UNAUTHORIZED, "no")));
            final OutputPort out = cluster.outputPort("out");
            await().until(() -> {
                assertTrue(out.poll(Duration.ZERO).isEmpty());
                return other.handshakes.stream().anyMatch(said -> said.containsKey(HandshakeProperty.PORT_IDENTIFIER));
            });
            server.at(
                    Moment.HANDSHAKE, ScriptedServer.portOnly(ScriptedServer.answer(ResponseCode.UNAUTHORIZED, "no")));
            server.at(Moment.FIRST_PACKET, ScriptedServer.hangUp());
            assertThrows(TransactionException.class, () -> out.poll(Duration.ZERO));
        }
    }
}
