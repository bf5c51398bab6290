// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.assertFails;
import static org.nios2s.client.Outcomes.each;
import static org.nios2s.client.Outcomes.packet;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.Transport;

/** The promises that the client makes to its users. */
class SiteToSiteTest {
    private ScriptedServer server;
    private SiteToSite nifi;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        nifi = site().build();
    }

    private SiteToSite.Builder site() {
        return NioSiteToSite.builder()
                .address("127.0.0.1", server.port())
                .maxConnections(1)
                .retry(RetryPolicy.never());
    }

    @AfterEach
    void stop() throws IOException {
        nifi.close();
        server.close();
    }

    private InputPort in() {
        return nifi.inputPort("port-id");
    }

    @ParameterizedTest
    @CsvSource({"nifi.example, nifi.example:4711", "10.0.0.7, 10.0.0.7:4711", "nifi_node_1, nifi_node_1:4711"})
    @CsvSource({"::1, [::1]:4711", "[::1], [::1]:4711", "fe80::7%eth0, [fe80::7%eth0]:4711"})
    void aPeerOfIpv6IsNamedInBracketsAndAnyOtherIsNot(final String host, final String peer) {
        final Endpoint port = Endpoint.of(host, 4711, "port-id");
        assertEquals(peer, port.peer());
        assertEquals("nifi://" + peer, port.url());
    }

    @Test
    void aPacketDescribesItselfOnOneLineWithAnEnd() {
        assertEquals(
                "Packet[3 bytes, {filename=a.txt}]",
                Packet.of(Map.of("filename", "a.txt"), new byte[3]).toString());
        final String text =
                Packet.of(Map.of("a", "b\n" + "x".repeat(1_000)), new byte[0]).toString();
        assertTrue(text.length() < 600 && text.lines().count() == 1, text);
    }

    @Test
    void aListThatIsClearedAfterwardsIsSentAsItWas() throws Exception {
        final List<Packet> packets = new ArrayList<>(List.of(packet("a"), packet("b")));
        final CompletableFuture<TransactionResult> sent = in().send(packets);
        packets.clear();
        assertEquals(2, Outcomes.await(sent).packets());
        assertEquals(2, server.committed.size());
    }

    @Test
    void aNullAmongPacketsIsRefusedAndNothingIsSent() {
        assertEquals(
                FailureReason.CONTENT_FAILED,
                Outcomes.failureOf(in().send(Arrays.asList(packet("a"), null, packet("b"))))
                        .reason());
        assertEquals(
                FailureReason.CONTENT_FAILED,
                Outcomes.failureOf(in().send((Packet) null)).reason());
        assertEquals(
                FailureReason.CONTENT_FAILED,
                Outcomes.failureOf(in().send(List.of())).reason());
        final TransactionException failure =
                Outcomes.failureOf(in().send(Arrays.asList(packet("a"), null).iterator()));
        assertEquals(FailureReason.CONTENT_FAILED, failure.reason());
        assertTrue(failure.getMessage().contains("packet 2 is null"), failure.getMessage());
        assertEquals(
                FailureReason.CONTENT_FAILED,
                Outcomes.failureOf(in().send(List.<Packet>of().iterator())).reason());
        assertEquals(0, server.committed.size());
    }

    /** On one connection, the next transaction begins where this one ends. */
    @Test
    void whatTheNextTransactionThrowsDoesNotChangeThisOnesOutcome() throws Exception {
        final CountDownLatch hold = new CountDownLatch(1);
        server.at(Moment.FINISHED, wire -> {
            hold.await();
            return false;
        });
        final CompletableFuture<TransactionResult> first = in().send(packet("a"));
        final CompletableFuture<TransactionResult> second = in().send(new Iterator<Packet>() {
            @Override
            public boolean hasNext() {
                throw new AssertionError("not now");
            }

            @Override
            public Packet next() {
                throw new NoSuchElementException();
            }
        });
        hold.countDown();
        assertEquals(1, Outcomes.await(first).packets());
        final TransactionException failure = Outcomes.failureOf(second);
        assertFalse(failure.isOutcomeUnknown());
        assertEquals(FailureReason.CONTENT_FAILED, failure.reason());
        assertEquals(1, server.committed.size());
    }

    @Test
    void callbacksMayBlockForEachOther() throws Exception {
        nifi.close();
        nifi = site().ioThreads(1).build();
        final CompletableFuture<TransactionResult> chained = in().send(packet("a"))
                .thenApply(result -> in().send(packet("b")).join());
        assertEquals(1, Outcomes.await(chained).packets());
        server.at(Moment.CONFIRM, server.stall());
        final CompletableFuture<Throwable> inner = new CompletableFuture<>();
        server.asUsual(Moment.CONFIRM);
        Outcomes.await(in().send(packet("c")).thenAccept(result -> {
            server.at(Moment.CONFIRM, server.stall());
            inner.complete(in().withDeadline(Duration.ofMillis(300))
                    .send(packet("d"))
                    .handle((done, failure) -> failure)
                    .join());
        }));
        assertEquals(FailureReason.DEADLINE_EXCEEDED, ((TransactionException) inner.get()).reason());
    }

    @Test
    void whoeverCompletesAFutureHimselfEndsItsTransaction() throws Exception {
        final List<java.util.function.Consumer<CompletableFuture<TransactionResult>>> ways = List.of(
                future -> future.completeExceptionally(new IllegalStateException("enough")),
                future -> future.complete(null),
                future -> future.cancel(true),
                future -> future.orTimeout(1, TimeUnit.MILLISECONDS));
        for (final var way : ways) {
            final CountDownLatch stalled = new CountDownLatch(1);
            server.at(Moment.CONFIRM, wire -> {
                stalled.countDown();
                return server.stall().happen(wire);
            });
            final CompletableFuture<TransactionResult> sent = in().send(packet("a"));
            stalled.await();
            way.accept(sent);
            await().until(() -> nifi.statistics().inFlight() == 0);
            server.asUsual(Moment.CONFIRM);
        }
        assertEquals(0, server.committed.size());
    }

    @Test
    void aStreamWhoseTurnNeverComesIsClosed() {
        server.at(Moment.HANDSHAKE, ScriptedServer.hangUp());
        final AtomicBoolean closed = new AtomicBoolean();
        final ByteArrayInputStream content = new ByteArrayInputStream(new byte[10]) {
            @Override
            public void close() {
                closed.set(true);
            }
        };
        Outcomes.failureOf(in().send(List.of(Packet.ofStream(Map.of(), content, 10))));
        await().untilTrue(closed);
    }

    @Test
    void aReceiverThatWaitsForSomethingElseIsInterruptedWhenItsTransactionIsGivenUp() throws Exception {
        server.offered.add(new Received(Map.of(), new byte[3]));
        final CountDownLatch waiting = new CountDownLatch(1);
        final CompletableFuture<Throwable> heard = new CompletableFuture<>();
        final CompletableFuture<TransactionResult> pull = nifi.outputPort("port-id")
                .pull(each(packet -> {
                    waiting.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (final InterruptedException e) {
                        heard.complete(e);
                        throw e;
                    }
                }));
        waiting.await();
        pull.cancel(false);
        assertEquals(InterruptedException.class, Outcomes.await(heard).getClass());
    }

    @Test
    void whatMayPassIsTriedAgainAndWhatMayHaveArrivedIsNot() throws Exception {
        nifi.close();
        nifi = site().retry(RetryPolicy.standard().withBackoff(Duration.ofMillis(1), Duration.ofMillis(5)))
                .reconnectBackoff(Duration.ofMillis(1), Duration.ofMillis(2))
                .build();
        final AtomicInteger times = new AtomicInteger();
        server.at(Moment.CONFIRM, wire -> {
            if (times.incrementAndGet() < 3) {
                throw new IOException("not yet");
            }
            return false;
        });
        assertEquals(1, Outcomes.await(in().send(packet("a"))).packets());
        assertEquals(3, times.get());
        server.asUsual(Moment.CONFIRM);
        server.at(Moment.FINISHED, ScriptedServer.hangUp());
        final TransactionException unknown =
                assertFails(in().send(packet("b")), TransactionStep.COMPLETE, FailureReason.CONNECTION_LOST);
        assertTrue(unknown.isOutcomeUnknown());
        assertEquals(2, server.committed.size());
    }

    @Test
    void aStreamIsSentOnceASupplierAtEveryAttempt() throws Exception {
        nifi.close();
        nifi = site().retry(RetryPolicy.standard().withBackoff(Duration.ofMillis(1), Duration.ofMillis(5)))
                .reconnectBackoff(Duration.ofMillis(1), Duration.ofMillis(2))
                .build();
        final AtomicInteger times = new AtomicInteger();
        server.at(Moment.CONFIRM, wire -> {
            if (times.incrementAndGet() % 2 == 1) {
                throw new IOException("not yet");
            }
            return false;
        });
        assertFails(
                in().send(Packet.ofStream(Map.of(), new ByteArrayInputStream(new byte[5]), 5)),
                TransactionStep.CONFIRM,
                FailureReason.CONNECTION_LOST);
        times.set(0);
        Outcomes.await(in().send(Packet.ofSupplier(Map.of(), () -> new ByteArrayInputStream(new byte[5]), 5)));
        assertEquals(2, times.get());
    }

    @Test
    void contentComesFromBuffersAndPublishersToo() throws Exception {
        final ByteBuffer buffer =
                ByteBuffer.wrap("xabcx".getBytes()).position(1).limit(4);
        Outcomes.await(in().send(Packet.of(Map.of(), buffer)));
        assertEquals(3, buffer.remaining());
        final SubmissionPublisher<ByteBuffer> publisher = new SubmissionPublisher<>();
        final CompletableFuture<TransactionResult> sent = in().send(Packet.ofPublisher(Map.of(), publisher, 6));
        await().until(publisher::hasSubscribers);
        publisher.submit(ByteBuffer.wrap("def".getBytes()));
        publisher.submit(ByteBuffer.wrap("ghi".getBytes()));
        publisher.close();
        Outcomes.await(sent);
        assertEquals(
                List.of("abc", "defghi"),
                server.committed.stream()
                        .map(received -> new String(received.content()))
                        .toList());
    }

    @Test
    void aSourceThatIsLongerOrShorterThanItSaysFailsItsTransaction() {
        for (final int length : new int[] {4, 6}) {
            assertFails(
                    in().send(Packet.ofSupplier(Map.of(), () -> new ByteArrayInputStream(new byte[5]), length)),
                    TransactionStep.SEND_PACKETS,
                    FailureReason.CONTENT_FAILED);
        }
        assertFails(
                in().send(Packet.ofSupplier(Map.of(), () -> null, 1)),
                TransactionStep.SEND_PACKETS,
                FailureReason.CONTENT_FAILED);
        assertEquals(0, server.committed.size());
    }

    @Test
    void closingWaitsForWhatIsUnderWay() throws Exception {
        final CountDownLatch here = new CountDownLatch(1);
        final CountDownLatch hold = new CountDownLatch(1);
        server.at(Moment.FINISHED, wire -> {
            here.countDown();
            hold.await();
            return false;
        });
        final CompletableFuture<TransactionResult> sent = in().send(packet("a"));
        here.await();
        final CompletableFuture<Void> closing = CompletableFuture.runAsync(nifi::close);
        await().until(() -> Outcomes.failureOf(in().send(packet("late"))).reason() == FailureReason.CLIENT_CLOSED);
        hold.countDown();
        assertEquals(1, Outcomes.await(sent).packets());
        Outcomes.await(closing);
    }

    @Test
    void whatWaitsForAnotherAttemptEndsWhenTheClientIsClosed() {
        nifi.close();
        final AtomicInteger retries = new AtomicInteger();
        nifi = site().retry(RetryPolicy.standard().withBackoff(Duration.ofMinutes(1), Duration.ofMinutes(1)))
                .shutdownTimeout(Duration.ofSeconds(1))
                .observer(new ClientObserver() {
                    @Override
                    public void retrying(
                            final Direction direction,
                            final TransactionException failure,
                            final int attempts,
                            final Duration pause) {
                        retries.incrementAndGet();
                        throw new IllegalStateException("what an observer throws has no effect");
                    }
                })
                .build();
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
        final CompletableFuture<TransactionResult> sent = in().send(packet("a"));
        await().until(() -> retries.get() == 1);
        nifi.close();
        assertEquals(FailureReason.CLIENT_CLOSED, Outcomes.failureOf(sent).reason());
    }

    @Test
    void eventLoopsMayBeSharedAndStayTheCallers() throws Exception {
        final EventLoopGroup shared = Transport.best().workers(1, new DefaultThreadFactory("shared", true));
        try (SiteToSite one = site().eventLoops(shared).build();
                SiteToSite other = site().eventLoops(shared).build()) {
            Outcomes.await(one.inputPort("port-id").send(packet("a")));
            Outcomes.await(other.inputPort("port-id").send(packet("b")));
        }
        assertFalse(shared.isShuttingDown());
        shared.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    @Test
    void anObserverHearsOfConnectionsAndTransactions() throws Exception {
        nifi.close();
        final List<String> heard = new CopyOnWriteArrayList<>();
        nifi = site().observer(new ClientObserver() {
                    @Override
                    public void connectionOpened(final Connection connection) {
                        heard.add("opened");
                    }

                    @Override
                    public void connectionClosed(final Connection connection) {
                        heard.add("closed");
                    }

                    @Override
                    public void transactionCompleted(final Direction direction, final TransactionResult result) {
                        heard.add(direction + " " + result.packets());
                    }

                    @Override
                    public void transactionFailed(final Direction direction, final TransactionException failure) {
                        heard.add(direction + " " + failure.reason());
                    }
                })
                .build();
        Outcomes.await(in().send(packet("a")));
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
        Outcomes.failureOf(in().send(packet("b")));
        await().until(() -> heard.size() == 4);
        assertEquals(
                List.of("SEND 1", "SEND CONNECTION_LOST", "closed", "opened"),
                heard.stream().sorted().toList());
    }

    @Test
    void resultsFailuresAndEventsNameThePortAndTheConnectionAsThePeersLogDoes() throws Exception {
        nifi.close();
        final List<ClientObserver.Connection> opened = new CopyOnWriteArrayList<>();
        nifi = site().observer(new ClientObserver() {
                    @Override
                    public void connectionOpened(final Connection connection) {
                        opened.add(connection);
                    }
                })
                .build();
        final TransactionResult result = Outcomes.await(in().send(packet("a")));
        assertEquals(server.commsIds.getFirst(), result.commsId());
        assertEquals("port-id", result.port());
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
        final TransactionException failure = Outcomes.failureOf(in().send(packet("b")));
        assertEquals(result.commsId(), failure.commsId());
        assertTrue(failure.getMessage().contains("CommsID=" + failure.commsId()), failure::getMessage);
        assertEquals("port-id", failure.port());
        final ClientObserver.Connection connection = opened.getFirst();
        assertEquals(
                List.of("port-id", "port-id", result.commsId()),
                List.of(connection.port(), connection.portIdentifier(), connection.commsId()));
    }

    @Test
    void aSiteIsNamedByUrlsOrByAnAddress() {
        assertThrows(
                IllegalArgumentException.class, () -> NioSiteToSite.builder().build());
        assertThrows(IllegalArgumentException.class, () -> NioSiteToSite.builder()
                .url("http://localhost/nifi")
                .address("localhost", 1)
                .build());
    }

    @Test
    void aStreamThatCanNotBeClosedDoesNotFailTheNextPacket() throws Exception {
        final CountDownLatch nextIsRead = new CountDownLatch(1);
        final CountDownLatch closed = new CountDownLatch(1);
        final InputStream bad = new ByteArrayInputStream(new byte[10]) {
            @Override
            public void close() throws IOException {
                try {
                    nextIsRead.await();
                } catch (final InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                closed.countDown();
                throw new IOException("close fails");
            }
        };
        final InputStream next = new ByteArrayInputStream(new byte[10]) {
            @Override
            public int read(final byte[] target, final int offset, final int length) {
                nextIsRead.countDown();
                try {
                    closed.await();
                    // What the other stream's thread has to say is on its way to the IO worker.
                    Thread.sleep(Duration.ofMillis(50));
                } catch (final InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return super.read(target, offset, length);
            }
        };
        assertEquals(
                2,
                Outcomes.await(in().send(List.of(
                                Packet.ofSupplier(Map.of(), () -> bad, 10),
                                Packet.ofSupplier(Map.of(), () -> next, 10))))
                        .packets());
    }

    private static long directMemory() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void largeContentInMemoryGoesNoFasterThanItsPeerTakesItAndLetsOthersPass(final boolean compress) throws Exception {
        nifi.close();
        nifi = site().ioThreads(1).maxConnections(2).compress(compress).build();
        final AtomicInteger pushes = new AtomicInteger();
        server.at(
                Moment.FIRST_PACKET,
                wire -> pushes.incrementAndGet() == 1 && server.stall().happen(wire));
        final byte[] large = new byte[64 << 20];
        new Random(1).nextBytes(large);
        final long before = directMemory();
        final CompletableFuture<TransactionResult> first = in().send(Packet.of(Map.of(), large));
        await().until(() -> pushes.get() == 1);
        Outcomes.await(in().send(packet("small")));
        assertFalse(first.isDone());
        assertTrue(directMemory() - before < large.length / 2, (directMemory() - before) + " bytes for one packet");
        first.cancel(false);
    }

    @Test
    void largeContentInMemoryArrivesAsItIs() throws Exception {
        final byte[] large = new byte[3_000_001];
        new Random(2).nextBytes(large);
        final ByteBuffer direct =
                ByteBuffer.allocateDirect(large.length).put(large).flip();
        Outcomes.await(in().send(
                        List.of(Packet.of(Map.of(), large), Packet.of(Map.of(), direct), Packet.of(Map.of(), large))));
        assertEquals(3, server.committed.size());
        server.committed.forEach(received -> assertArrayEquals(large, received.content()));
    }

    @Test
    void anIteratorIsAskedOnOneThreadAndWhatItGaveGoesWhileItBlocks() throws Exception {
        final Set<Thread> threads = ConcurrentHashMap.newKeySet();
        final CountDownLatch hold = new CountDownLatch(1);
        final AtomicInteger given = new AtomicInteger();
        final Iterator<Packet> packets = new Iterator<>() {
            @Override
            public boolean hasNext() {
                threads.add(Thread.currentThread());
                if (given.get() == 1_000) {
                    try {
                        hold.await();
                    } catch (final InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                return given.get() < 2_000;
            }

            @Override
            public Packet next() {
                return packet("p" + given.getAndIncrement());
            }
        };
        final CompletableFuture<TransactionResult> sent = in().send(packets);
        // Little is left at the client: the peer has heard the last packet that there is.
        await().until(() -> server.heard.stream()
                .anyMatch(words -> words.toString(StandardCharsets.ISO_8859_1).contains("p999.txt")));
        hold.countDown();
        assertEquals(2_000, Outcomes.await(sent).packets());
        assertEquals("p1999", new String(List.copyOf(server.committed).getLast().content()));
        assertEquals(1, threads.size());
    }

    @Test
    void streamsThatAnIteratorGaveAndNobodySentAreClosed() throws Exception {
        server.at(Moment.FIRST_PACKET, server.stall());
        final AtomicInteger given = new AtomicInteger();
        final AtomicInteger closed = new AtomicInteger();
        final Iterator<Packet> packets = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return true;
            }

            @Override
            public Packet next() {
                given.incrementAndGet();
                return Packet.ofStream(
                        Map.of("long", "v".repeat(50_000)),
                        new ByteArrayInputStream(new byte[1 << 20]) {
                            @Override
                            public void close() {
                                closed.incrementAndGet();
                            }
                        },
                        1 << 20);
            }
        };
        final CompletableFuture<TransactionResult> sent = in().send(packets);
        await().until(() -> given.get() > 200);
        sent.cancel(false);
        await().until(() -> closed.get() >= given.get());
        assertTrue(given.get() < 400, given + " packets were asked for that nobody takes");
    }
}
