// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.assertFails;
import static org.nios2s.client.Outcomes.packet;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Peers that can't be found, or only late. */
class PeerLookupTest {
    private static final int MANY = 1_000;

    private static ServerSocket blackHole() throws Exception {
        return new ServerSocket(0, MANY, InetAddress.getLoopbackAddress());
    }

    private static String url(final ServerSocket socket) {
        return "http://127.0.0.1:" + socket.getLocalPort() + "/nifi";
    }

    private static SiteToSite.Builder siteOf(final ServerSocket socket) {
        return NioSiteToSite.builder().url(url(socket));
    }

    /** Keeps the threads on which it is called. */
    private static final class Threads implements ClientObserver {
        private final List<Thread> called = new CopyOnWriteArrayList<>();

        @Override
        public void connectionFailed(final TransactionException failure) {
            called.add(Thread.currentThread());
        }

        @Override
        public void transactionFailed(final Direction direction, final TransactionException failure) {
            called.add(Thread.currentThread());
        }

        void called(final Object done, final Throwable failure) {
            called.add(Thread.currentThread());
        }
    }

    /** Fails in time, and calls the user's code on threads of the client: the JDK's thread for time-outs is everybody's. */
    private static void assertFailsOnOwnThreads(final SiteToSite.Builder builder) throws Exception {
        final Threads threads = new Threads();
        try (SiteToSite nifi = builder.retry(RetryPolicy.never())
                .completionExecutor(Runnable::run)
                .observer(threads)
                .build()) {
            final CompletableFuture<TransactionResult> sent =
                    nifi.inputPort("in").send(packet("a"));
            Outcomes.failureOf(sent.whenComplete(threads::called));
        }
        assertTrue(threads.called.size() > 1, threads.called::toString);
        for (final Thread thread : threads.called) {
            assertTrue(thread.isVirtual() || thread.getName().startsWith("s2s-client"), thread::toString);
        }
    }

    @Test
    void peersThatAreNotFoundInTimeBlockNoThreadOfOthers() throws Exception {
        try (ServerSocket one = blackHole();
                ServerSocket another = blackHole()) {
            assertFailsOnOwnThreads(
                    NioSiteToSite.builder().url(url(one), url(another)).idleTimeout(Outcomes.IMPATIENT));
        }
    }

    @Test
    void aNameThatIsNotResolvedInTimeBlocksNoThreadOfOthers() throws Exception {
        try {
            assertFailsOnOwnThreads(NioSiteToSite.builder()
                    .address("host" + SilentNames.DOMAIN, 10_443)
                    .connectTimeout(Outcomes.IMPATIENT));
        } finally {
            SilentNames.letGo();
        }
    }

    /** One that asked in turn would need a thousand time-outs. */
    @Test
    void aThousandTransactionsEndInTimeWhenTheRestApiIsSilent() throws Exception {
        try (ServerSocket silent = blackHole();
                SiteToSite nifi = siteOf(silent)
                        .idleTimeout(Duration.ofSeconds(1))
                        .retry(RetryPolicy.never())
                        .build()) {
            final List<CompletableFuture<TransactionResult>> pushes = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                pushes.add(nifi.inputPort("in").send(packet("a")));
            }
            for (final CompletableFuture<TransactionResult> push : pushes) {
                assertFails(push, TransactionStep.FIND_PEER, FailureReason.NO_PEER);
            }
        }
    }

    @Test
    void aDeadlineHoldsAlsoWhileThePeersAreAskedFor() throws Exception {
        try (ServerSocket silent = blackHole();
                SiteToSite nifi = siteOf(silent).idleTimeout(Outcomes.NEVER).build()) {
            assertFails(
                    nifi.inputPort("in").withDeadline(Duration.ofMillis(300)).send(packet("a")),
                    TransactionStep.FIND_PEER,
                    FailureReason.DEADLINE_EXCEEDED);
        }
    }

    @Test
    void oneAsksForAll() throws Exception {
        final int threadsBefore = Thread.activeCount();
        try (ServerSocket silent = blackHole();
                SiteToSite nifi = siteOf(silent).idleTimeout(Outcomes.NEVER).build()) {
            final List<CompletableFuture<TransactionResult>> pushes = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                pushes.add(nifi.inputPort("in").send(packet("a")));
            }
            assertTrue(Thread.activeCount() - threadsBefore < 10);
            pushes.forEach(push -> push.cancel(false));
        }
    }

    @Test
    void moreThanMayWaitAreRefused() throws Exception {
        try (ServerSocket silent = blackHole();
                SiteToSite nifi = siteOf(silent)
                        .idleTimeout(Outcomes.NEVER)
                        .maxPending(3)
                        .retry(RetryPolicy.never())
                        .shutdownTimeout(Duration.ZERO)
                        .build()) {
            for (int i = 0; i < 3; i++) {
                nifi.inputPort("in").send(packet("a"));
            }
            assertFails(
                    nifi.inputPort("in").send(packet("a")), TransactionStep.FIND_PEER, FailureReason.TOO_MANY_PENDING);
        }
    }

    @Test
    void whatWasCancelledBeforeItsPeerWasFoundIsNotSent() throws Exception {
        final CountDownLatch asked = new CountDownLatch(1);
        try (ScriptedServer server = new ScriptedServer();
                ScriptedSite site = new ScriptedSite(server.port())) {
            server.peers.put("127.0.0.1", new int[] {server.port(), 0});
            server.insteadOfPeers(wire -> {
                asked.await(Outcomes.NEVER.toSeconds(), TimeUnit.SECONDS);
                return false;
            });
            try (SiteToSite nifi = NioSiteToSite.builder().url(site.url()).build()) {
                nifi.inputPort("in").send(packet("cancelled")).cancel(false);
                asked.countDown();
                Outcomes.await(nifi.inputPort("in").send(packet("sent")));
                await().until(() -> nifi.statistics().inFlight() == 0);
            }
            assertEquals(
                    List.of("sent.txt"),
                    server.committed.stream()
                            .map(received -> received.attributes().get("filename"))
                            .toList());
        }
    }
}
