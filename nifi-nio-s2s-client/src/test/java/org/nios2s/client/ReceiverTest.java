// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;

/** Batches that are pulled until one has enough of them. */
class ReceiverTest {
    private ScriptedServer server;
    private SiteToSite nifi;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        nifi = SiteToSite.builder()
                .address("127.0.0.1", server.port())
                .retry(RetryPolicy.standard().withPauses(Duration.ofMillis(1), Duration.ofMillis(5)))
                .backOff(Duration.ofMillis(1), Duration.ofMillis(2))
                .build();
    }

    @AfterEach
    void stop() throws IOException {
        nifi.close();
        server.close();
    }

    private void offer(final String name) {
        server.offered.add(new Received(Map.of("filename", name), name.getBytes()));
    }

    @Test
    void batchesComeUntilTheReceiverIsClosed() {
        final List<String> received = new CopyOnWriteArrayList<>();
        final Receiver receiver = nifi.outputPort("port-id").receive(batch -> {
            for (final ReceivedPacket packet : batch) {
                received.add(new String(packet.content().readAllBytes()));
            }
        });
        offer("a");
        await().until(() -> received.contains("a") && server.offered.isEmpty());
        offer("b");
        await().until(() -> received.contains("b") && server.offered.isEmpty());
        receiver.close();
        assertTrue(receiver.ended().isDone());
        assertEquals(List.of("a", "b"), received);
    }

    @Test
    void confirmComesBeforeThePeerForgetsAndCommitBetweenThem() throws Exception {
        final CompletableFuture<Boolean> keptAtCommit = new CompletableFuture<>();
        offer("a");
        try (Receiver receiver = nifi.outputPort("port-id").receive(batch -> {
            batch.confirm();
            keptAtCommit.complete(server.finishedPulls.get() == 0);
        })) {
            assertTrue(Outcomes.await(keptAtCommit));
            await().until(() -> server.finishedPulls.get() == 1);
            assertFalse(receiver.ended().isDone());
        }
    }

    @Test
    void aHandlerThatThrowsBeforeOrAfterConfirmGetsTheBatchAgain() {
        final AtomicInteger times = new AtomicInteger();
        offer("a");
        try (Receiver receiver = nifi.outputPort("port-id").receive(batch -> {
            final int time = times.incrementAndGet();
            if (time == 1) {
                throw new IOException("before");
            }
            batch.confirm();
            if (time == 2) {
                throw new IllegalStateException("between confirm and commit");
            }
        })) {
            await().until(() -> server.finishedPulls.get() == 1);
            assertEquals(3, times.get());
            assertFalse(receiver.ended().isDone());
        }
    }

    @Test
    void aPeerThatComesBackIsServedAgain() {
        final Set<String> received = ConcurrentHashMap.newKeySet();
        server.at(Moment.HANDSHAKE, ScriptedServer.hangUp());
        try (Receiver receiver = nifi.outputPort("port-id").receive(batch -> {
            for (final ReceivedPacket packet : batch) {
                received.add(packet.attributes().get("filename"));
            }
        })) {
            await().until(() -> server.accepted.get() > 3);
            server.asUsual(Moment.HANDSHAKE);
            offer("a");
            await().until(() -> received.contains("a"));
            assertFalse(receiver.ended().isDone());
        }
    }

    @Test
    void aPortThatIsNotThereEndsTheReceiver() {
        server.at(Moment.HANDSHAKE, ScriptedServer.answer(ResponseCode.UNKNOWN_PORT));
        try (Receiver receiver = nifi.outputPort("port-id").receive(batch -> {})) {
            assertEquals(
                    FailureReason.UNKNOWN_PORT,
                    Outcomes.failureOf(receiver.ended()).reason());
        }
    }

    @Test
    void closingWaitsForTheBatchInHand() throws Exception {
        final CountDownLatch inHand = new CountDownLatch(1);
        final CountDownLatch hold = new CountDownLatch(1);
        offer("a");
        final Receiver receiver = nifi.outputPort("port-id").receive(batch -> {
            inHand.countDown();
            hold.await();
        });
        inHand.await();
        final CompletableFuture<Void> closing = CompletableFuture.runAsync(receiver::close);
        hold.countDown();
        Outcomes.await(closing);
        await().until(() -> server.finishedPulls.get() == 1);
    }

    @Test
    void asManyBatchesAreHandledAtATimeAsAllowed() throws Exception {
        final CountDownLatch three = new CountDownLatch(3);
        offer("a");
        try (Receiver receiver = nifi.outputPort("port-id")
                .receive(
                        batch -> {
                            three.countDown();
                            three.await();
                        },
                        3)) {
            three.await();
            assertFalse(receiver.ended().isDone());
        }
    }
}
