// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.packet;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nios2s.client.ScriptedServer.Moment;

/** What becomes of transactions when the client is closed. */
class CloseTest {
    private ScriptedServer server;
    private ScriptedSite site;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        server.peers.put("127.0.0.1", new int[] {server.port(), 5});
        site = new ScriptedSite(server.port());
    }

    @AfterEach
    void stop() throws IOException {
        site.close();
        server.close();
    }

    private SiteToSite.Builder byAddress() {
        return NioSiteToSite.builder().address("127.0.0.1", server.port());
    }

    @Test
    void aTransactionThatSucceededStaysSuccessfulHoweverLateItsExecutorIs() throws Exception {
        final CountDownLatch busy = new CountDownLatch(1);
        try (ForkJoinPool late = new ForkJoinPool(1)) {
            late.execute(() -> {
                try {
                    busy.await();
                } catch (final InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            final CompletableFuture<TransactionResult> sent;
            try (SiteToSite nifi = byAddress().completionExecutor(late).build()) {
                sent = nifi.inputPort("port-id").send(packet("a"));
                await().until(() ->
                        server.committed.size() == 1 && nifi.statistics().inFlight() == 0);
            }
            busy.countDown();
            assertEquals(1, Outcomes.await(sent).packets());
        }
    }

    @Test
    void closingWaitsForWhatStillLooksForItsPeer() throws Exception {
        final CompletableFuture<TransactionResult> sent;
        try (SiteToSite nifi = NioSiteToSite.builder().url(site.url()).build()) {
            sent = nifi.inputPort("in").send(packet("a"));
        }
        assertTrue(sent.isDone());
        assertEquals(1, Outcomes.await(sent).packets());
        assertEquals(1, server.committed.size());
    }

    @Test
    void closingWaitsForWhatPausesBeforeAnotherAttempt() throws Exception {
        final AtomicBoolean lost = new AtomicBoolean();
        server.at(Moment.CONFIRM, wire -> {
            if (lost.compareAndSet(false, true)) {
                throw new EOFException();
            }
            return false;
        });
        final CompletableFuture<TransactionResult> sent;
        try (SiteToSite nifi = byAddress().build()) {
            sent = nifi.inputPort("port-id").send(packet("a"));
            await().untilTrue(lost);
        }
        assertTrue(sent.isDone());
        assertEquals(1, Outcomes.await(sent).packets());
    }

    @Test
    void closingWaitsNoLongerThanItIsTold() throws Exception {
        server.at(Moment.FINISHED, server.stall());
        final SiteToSite nifi = byAddress().shutdownTimeout(Outcomes.NEVER).build();
        final CompletableFuture<TransactionResult> sent =
                nifi.inputPort("port-id").send(packet("a"));
        await().until(() -> server.committed.size() == 1);
        nifi.close(Duration.ZERO);
        final TransactionException failure = Outcomes.failureOf(sent);
        assertEquals(FailureReason.CLIENT_CLOSED, failure.reason());
        assertTrue(failure.isOutcomeUnknown(), failure.getMessage());
    }

    @Test
    void whatNeverBeganIsSaidToHaveTakenNothing() throws Exception {
        server.insteadOfPeers(server.stall());
        final SiteToSite nifi = NioSiteToSite.builder().url(site.url()).build();
        final CompletableFuture<TransactionResult> sent = nifi.inputPort("in").send(packet("a"));
        nifi.close(Duration.ZERO);
        final TransactionException failure = Outcomes.failureOf(sent);
        assertEquals(FailureReason.CLIENT_CLOSED, failure.reason());
        assertFalse(failure.isOutcomeUnknown());
        assertEquals(
                FailureReason.CLIENT_CLOSED,
                Outcomes.failureOf(nifi.inputPort("other").send(packet("late"))).reason());
    }

    @Test
    void whatDependsOnATransactionMayClose() throws Exception {
        final SiteToSite nifi = byAddress().shutdownTimeout(Outcomes.NEVER).build();
        Outcomes.await(nifi.inputPort("port-id").send(packet("a")).thenRun(nifi::close));
        await().until(() -> server.openConnections() == 0);
    }

    @Test
    void onAnIoWorkerClosingWaitsForNobody() throws Exception {
        final SiteToSite nifi = byAddress()
                .shutdownTimeout(Outcomes.NEVER)
                .completionExecutor(Runnable::run)
                .build();
        final CountDownLatch held = new CountDownLatch(1);
        Outcomes.await(nifi.inputPort("port-id").send(packet("a")));
        server.at(Moment.FINISHED, server.stall());
        final CompletableFuture<TransactionResult> other =
                nifi.inputPort("port-id").send(packet("b"));
        await().until(() -> server.committed.size() == 2);
        nifi.outputPort("port-id").pull(packet -> {}).thenRun(() -> {
            nifi.close();
            held.countDown();
        });
        held.await();
        final TransactionException failure = Outcomes.failureOf(other);
        assertEquals(FailureReason.CLIENT_CLOSED, failure.reason());
        assertTrue(failure.isOutcomeUnknown(), failure.getMessage());
    }
}
