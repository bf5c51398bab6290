// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.packet;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;

/** What a caller can give once is taken by one attempt alone, here by one whose connection is lost. */
class OneTimeSourcesTest {
    private final AtomicInteger transactions = new AtomicInteger();
    private final List<Thread> spinning = new ArrayList<>();
    private ScriptedServer server;
    private SiteToSite nifi;

    @BeforeEach
    void start() throws Exception {
        server = new ScriptedServer();
        nifi = NioSiteToSite.builder()
                .address("127.0.0.1", server.port())
                .completionExecutor(Runnable::run)
                .build();
        Outcomes.await(nifi.inputPort("port-id").send(packet("connects")));
        server.committed.clear();
        server.at(Moment.FIRST_PACKET, wire -> {
            if (transactions.incrementAndGet() == 1) {
                throw new EOFException("the connection is lost");
            }
            return false;
        });
    }

    @AfterEach
    void stop() throws Exception {
        nifi.close();
        server.close();
        for (final Thread thread : spinning) {
            thread.join();
        }
    }

    /** The thread that asks an iterator does not run before the connection is lost. */
    private void keepCarriersBusyUntil(final BooleanSupplier end) throws InterruptedException {
        final int carriers = Runtime.getRuntime().availableProcessors();
        final CountDownLatch busy = new CountDownLatch(carriers);
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        for (int i = 0; i < carriers; i++) {
            spinning.add(Thread.startVirtualThread(() -> {
                busy.countDown();
                while (!end.getAsBoolean() && System.nanoTime() < deadline) {
                    Thread.onSpinWait();
                }
            }));
        }
        busy.await();
    }

    private List<String> names() {
        return server.committed.stream()
                .map(received -> received.attributes().get("filename"))
                .toList();
    }

    private void assertLostWithItsConnection(final CompletableFuture<TransactionResult> sent) {
        final TransactionException failure = Outcomes.failureOf(sent);
        assertEquals(FailureReason.CONNECTION_LOST, failure.reason(), failure::getMessage);
        assertTrue(!failure.isOutcomeUnknown(), failure::getMessage);
        assertEquals(List.of(), names());
    }

    @Test
    void anIteratorIsAskedByOneAttempt() throws Exception {
        final CompletableFuture<CompletableFuture<TransactionResult>> given = new CompletableFuture<>();
        keepCarriersBusyUntil(
                () -> transactions.get() > 1 || given.isDone() && given.join().isDone());
        given.complete(nifi.inputPort("port-id")
                .send(List.of(packet("one"), packet("two"), packet("three")).iterator()));
        assertLostWithItsConnection(given.join());
    }

    private static Packet stream() {
        return Packet.ofStream(Map.of("filename", "stream.txt"), new ByteArrayInputStream(new byte[100]), 100);
    }

    @Test
    void aStreamIsReadByOneAttempt() throws Exception {
        assertLostWithItsConnection(nifi.inputPort("port-id").send(stream()));
        Outcomes.await(nifi.inputPort("port-id").send(packet("next")));
        assertEquals(List.of("next.txt"), names());
    }

    @Test
    void aHandlerIsCalledForOneAttempt() throws Exception {
        final AtomicInteger continuations = new AtomicInteger();
        server.asUsual(Moment.FIRST_PACKET);
        server.offered.add(new Received(Map.of(), new byte[10]));
        server.offered.add(new Received(Map.of(), new byte[10]));
        server.insteadOfContinuation(wire -> {
            if (continuations.incrementAndGet() == 1) {
                throw new EOFException("the connection is lost");
            }
            return false;
        });
        final AtomicInteger calls = new AtomicInteger();
        final CompletableFuture<CompletableFuture<TransactionResult>> given = new CompletableFuture<>();
        keepCarriersBusyUntil(
                () -> continuations.get() > 1 || given.isDone() && given.join().isDone());
        given.complete(nifi.outputPort("port-id").pull(batch -> {
            calls.incrementAndGet();
            batch.skipRest();
        }));
        assertEquals(
                FailureReason.CONNECTION_LOST, Outcomes.failureOf(given.join()).reason());
        await().until(() -> calls.get() > 0);
        assertEquals(1, continuations.get());
        assertEquals(1, calls.get());
    }
}
