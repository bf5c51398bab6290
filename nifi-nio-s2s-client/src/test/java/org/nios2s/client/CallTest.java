// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.assertFails;
import static org.nios2s.client.Outcomes.packet;

import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.internal.call.CallRegistry;
import org.nios2s.client.internal.call.CallRequest;
import org.nios2s.client.internal.call.PeerSelector;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.transaction.Engine;

/** Every call ends, once, in its time, and says what is known of it. */
class CallTest {
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration SHORT = Duration.ofMillis(300);

    private ScriptedServer server;
    private SiteToSite nifi;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        nifi = site().build();
    }

    private SiteToSite.Builder site() {
        return NioSiteToSite.builder().address("127.0.0.1", server.port()).shutdownTimeout(Duration.ofMillis(1));
    }

    @AfterEach
    void stop() throws IOException {
        nifi.close();
        server.close();
    }

    private InputPort in() {
        return nifi.inputPort("port-id");
    }

    @Test
    void nullIsRefusedWhereItIsGiven() {
        assertThrows(NullPointerException.class, () -> in().withRetry(null));
        assertThrows(
                NullPointerException.class, () -> nifi.outputPort("port-id").withRetry(null));
        assertThrows(
                NullPointerException.class, () -> nifi.outputPort("port-id").withBatchLimits(null));
        assertThrows(NullPointerException.class, () -> in().batching(null));
        assertThrows(NullPointerException.class, () -> nifi.inputPort(null));
        assertThrows(NullPointerException.class, () -> NioSiteToSite.builder().retry(null));
        assertThrows(NullPointerException.class, () -> NioSiteToSite.builder().deliveryTimeout(null));
        assertThrows(NullPointerException.class, () -> NioSiteToSite.builder().address(null, 1));
        assertThrows(NullPointerException.class, () -> NioSiteToSite.builder().url((String) null));
        assertThrows(NullPointerException.class, () -> NioSiteToSite.builder().shutdownTimeout(null));
        assertThrows(NullPointerException.class, () -> RetryPolicy.standard().withDeliveryTimeout(null));
        assertThrows(NullPointerException.class, () -> RetryPolicy.standard().withBackoff(null, null));
    }

    @Test
    void timesThatAreNoneAreRefused() {
        for (final Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
            assertThrows(IllegalArgumentException.class, () -> NioSiteToSite.builder()
                    .deadline(none));
            assertThrows(IllegalArgumentException.class, () -> NioSiteToSite.builder()
                    .idleTimeout(none));
            assertThrows(IllegalArgumentException.class, () -> NioSiteToSite.builder()
                    .connectTimeout(none));
            assertThrows(IllegalArgumentException.class, () -> NioSiteToSite.builder()
                    .maxIdleTime(none));
            assertThrows(IllegalArgumentException.class, () -> NioSiteToSite.builder()
                    .deliveryTimeout(none));
            assertThrows(IllegalArgumentException.class, () -> NioSiteToSite.builder()
                    .reconnectBackoff(none, none));
            assertThrows(IllegalArgumentException.class, () -> in().withDeadline(none));
        }
        assertThrows(
                IllegalArgumentException.class, () -> NioSiteToSite.builder().shutdownTimeout(Duration.ofNanos(-1)));
    }

    static Stream<RetryPolicy> endlessPolicies() {
        return Stream.of(
                RetryPolicy.standard().withBackoff(Duration.ofMillis(1), FOR_EVER),
                RetryPolicy.standard().withBackoff(FOR_EVER, FOR_EVER),
                RetryPolicy.standard().withDeliveryTimeout(FOR_EVER),
                RetryPolicy.standard().withBackoff(Duration.ZERO, Duration.ZERO).withDeliveryTimeout(FOR_EVER));
    }

    @ParameterizedTest
    @MethodSource("endlessPolicies")
    void aCallEndsAtItsDeadlineWhateverThePolicySays(final RetryPolicy policy) {
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
        Outcomes.failureOf(in().withRetry(policy).withDeadline(SHORT).send(packet("a")));
    }

    @Test
    void timesThatLastForEverAreTakenAsSuch() throws Exception {
        nifi.close();
        nifi = site().idleTimeout(FOR_EVER)
                .deadline(FOR_EVER)
                .connectTimeout(FOR_EVER)
                .maxIdleTime(FOR_EVER)
                .deliveryTimeout(FOR_EVER)
                .reconnectBackoff(Duration.ofMillis(1), FOR_EVER)
                .batchLimits(BatchLimits.none().withMaxDuration(FOR_EVER))
                .shutdownTimeout(FOR_EVER)
                .build();
        assertEquals(1, Outcomes.await(in().send(packet("a"))).packets());
        server.offered.addAll(server.committed);
        assertEquals(
                1,
                Outcomes.await(nifi.outputPort("port-id").pull(Outcomes.each(packet -> {})))
                        .packets());
        nifi.close();
        await().until(() -> server.openConnections() == 0);
    }

    /** Peers whose choice fails in a way that nobody planned. */
    private record Failing(Error thrown) implements PeerSelector {
        @Override
        public CompletableFuture<Endpoint> choose(final Direction direction) {
            throw thrown;
        }

        @Override
        public CompletableFuture<Endpoint> chooseOther(final Direction direction, final Set<String> asked) {
            throw thrown;
        }

        @Override
        public String name() {
            return "failing";
        }

        @Override
        public String portName() {
            return "port";
        }

        @Override
        public int peers() {
            return 1;
        }

        @Override
        public boolean hasOther(final Endpoint peer) {
            throw thrown;
        }

        @Override
        public boolean hasOtherThan(final Set<String> names) {
            throw thrown;
        }

        @Override
        public void failed(final Endpoint peer, final TransactionException failure) {
            throw thrown;
        }

        @Override
        public void succeeded(final Endpoint peer) {
            throw thrown;
        }

        @Override
        public void full(final Endpoint peer) {
            throw thrown;
        }

        @Override
        public void close() {}
    }

    @Test
    void whatIsThrownOnTheWayIsAnOutcome() {
        final StackOverflowError thrown = new StackOverflowError("planned");
        try (Engine engine = new Engine()) {
            final CallRegistry attempts = new CallRegistry(engine, Runnable::run, ClientObserver.NONE);
            final TransactionException failure = Outcomes.failureOf(attempts.run(new CallRequest(
                            new Failing(thrown),
                            Direction.SEND,
                            CallOptions.DEFAULTS,
                            RetryPolicy.standard(),
                            failed -> true,
                            (port, options) -> null))
                    .result());
            assertEquals(FailureReason.INTERNAL_ERROR, failure.reason());
            assertEquals(thrown, failure.getCause());
        }
    }

    /** Fails at every event, also with what Java's compiler does not let it. */
    private record ThrowingObserver(Throwable thrown) implements ClientObserver {
        @SuppressWarnings("unchecked")
        private static <T extends Throwable> void sneak(final Throwable thrown) throws T {
            throw (T) thrown;
        }

        @Override
        public void connectionOpened(final Connection connection) {
            ThrowingObserver.<RuntimeException>sneak(thrown);
        }

        @Override
        public void connectionFailed(final TransactionException failure) {
            ThrowingObserver.<RuntimeException>sneak(thrown);
        }

        @Override
        public void connectionClosed(final Connection connection) {
            ThrowingObserver.<RuntimeException>sneak(thrown);
        }

        @Override
        public void transactionCompleted(final Direction direction, final TransactionResult result) {
            ThrowingObserver.<RuntimeException>sneak(thrown);
        }

        @Override
        public void transactionFailed(final Direction direction, final TransactionException failure) {
            ThrowingObserver.<RuntimeException>sneak(thrown);
        }

        @Override
        public void retrying(
                final Direction direction,
                final TransactionException failure,
                final int attempts,
                final Duration pause) {
            ThrowingObserver.<RuntimeException>sneak(thrown);
        }
    }

    static Stream<Throwable> thrownByUsers() {
        return Stream.of(
                new StackOverflowError("planned"),
                new IOException("planned"),
                new IllegalStateException("planned"),
                new Throwable("planned"));
    }

    @ParameterizedTest
    @MethodSource("thrownByUsers")
    void whatTheObserverThrowsKeepsNobodyWaiting(final Throwable thrown) throws Exception {
        nifi.close();
        nifi = site().observer(new ThrowingObserver(thrown))
                .reconnectBackoff(Duration.ofMillis(1), Duration.ofMillis(2))
                .retry(RetryPolicy.standard()
                        .withMaxAttempts(2)
                        .withBackoff(Duration.ofMillis(1), Duration.ofMillis(2)))
                .build();
        assertEquals(1, in().send(packet("a")).get(20, TimeUnit.SECONDS).packets());
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
        assertThrows(ExecutionException.class, () -> in().send(packet("b")).get(20, TimeUnit.SECONDS));
        server.at(Moment.HANDSHAKE, ScriptedServer.hangUp());
        assertThrows(ExecutionException.class, () -> in().send(packet("c")).get(20, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @MethodSource("thrownByUsers")
    void whatTheCompletionExecutorThrowsKeepsNobodyWaiting(final Throwable thrown) throws Exception {
        nifi.close();
        nifi = site().completionExecutor(task -> ThrowingObserver.<RuntimeException>sneak(thrown))
                .build();
        assertEquals(1, in().send(packet("a")).get(20, TimeUnit.SECONDS).packets());
        try (BatchingSender sender = in().batching(1, Duration.ofMillis(1))) {
            assertEquals(1, sender.send(packet("b")).get(20, TimeUnit.SECONDS).packets());
        }
    }

    @ParameterizedTest
    @MethodSource("thrownByUsers")
    void whatAnIteratorThrowsKeepsNobodyWaiting(final Throwable thrown) {
        final Iterator<Packet> packets = new Iterator<>() {
            @Override
            public boolean hasNext() {
                ThrowingObserver.<RuntimeException>sneak(thrown);
                return false;
            }

            @Override
            public Packet next() {
                return packet("none");
            }
        };
        assertThrows(
                ExecutionException.class,
                () -> in().withRetry(RetryPolicy.never()).send(packets).get(20, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @MethodSource("thrownByUsers")
    void whatASourceThrowsKeepsNobodyWaiting(final Throwable thrown) {
        final Packet packet = Packet.ofSupplier(
                Map.of(),
                () -> {
                    ThrowingObserver.<RuntimeException>sneak(thrown);
                    return null;
                },
                1);
        assertThrows(
                ExecutionException.class,
                () -> in().withRetry(RetryPolicy.never()).send(packet).get(20, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @MethodSource("thrownByUsers")
    void whatAHandlerThrowsKeepsNobodyWaiting(final Throwable thrown) {
        server.offered.add(new ScriptedServer.Received(Map.of(), new byte[1]));
        assertThrows(ExecutionException.class, () -> nifi.outputPort("port-id")
                .withRetry(RetryPolicy.never())
                .pull(batch -> ThrowingObserver.<RuntimeException>sneak(thrown))
                .get(20, TimeUnit.SECONDS));
    }

    /** As a want of memory in the middle of a packet would: nothing else of ours fails there. */
    private static Packet spoiled() throws ReflectiveOperationException {
        final Packet packet = packet("spoiled");
        final Field attributes = Packet.class.getDeclaredField("attributes");
        attributes.setAccessible(true);
        attributes.set(packet, null);
        return packet;
    }

    @Test
    void aPacketThatCannotBeWrittenEndsItsTransactionAtOnce() throws Exception {
        final Iterator<Packet> slow = List.of(packet("a"), spoiled()).iterator();
        final ExecutionException failure = assertThrows(
                ExecutionException.class,
                () -> in().withRetry(RetryPolicy.never()).send(slow).get(20, TimeUnit.SECONDS));
        assertEquals(FailureReason.INTERNAL_ERROR, ((TransactionException) failure.getCause()).reason());
        assertEquals(0, server.committed.size());
    }

    @Test
    void limitsThatAreNoneAreTakenAsSuch() throws Exception {
        for (final SiteToSite.Builder each : List.of(
                site().maxPending(Integer.MAX_VALUE),
                site().maxConnections(Integer.MAX_VALUE),
                site().maxPending(Integer.MAX_VALUE).maxConnections(Integer.MAX_VALUE))) {
            try (SiteToSite endless = each.retry(RetryPolicy.never()).build()) {
                assertEquals(
                        1,
                        Outcomes.await(endless.inputPort("port-id").send(packet("a")))
                                .packets());
            }
        }
    }

    @Test
    void anExecutorThatRefusesDoesNotKeepTheOutcome() {
        nifi.close();
        nifi = site().retry(RetryPolicy.never())
                .completionExecutor(task -> {
                    throw new IllegalStateException("no room");
                })
                .build();
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
        assertFails(in().send(packet("a")), TransactionStep.CONFIRM, FailureReason.CONNECTION_LOST);
    }

    @Test
    void anUnknownOutcomeStaysUnknownWhenALaterAttemptTookNothing() {
        nifi.close();
        nifi = site().retry(RetryPolicy.standard()
                        .withMaxAttempts(2)
                        .withBackoff(Duration.ofMillis(1), Duration.ofMillis(2))
                        .acceptingDuplicates())
                .build();
        server.at(Moment.FINISHED, wire -> {
            server.close();
            throw new EOFException();
        });
        final TransactionException failure =
                assertFails(in().send(packet("a")), TransactionStep.CONNECT, FailureReason.CONNECT_FAILED);
        assertEquals(1, server.committed.size());
        assertTrue(failure.isOutcomeUnknown());
        assertEquals(2, failure.attempts());
        assertTrue(((TransactionException) failure.getSuppressed()[0]).isOutcomeUnknown());
    }

    @Test
    void whoCancelsInTheLastStepLearnsFromTheObserverThatTheOutcomeIsUnknown() throws Exception {
        nifi.close();
        final List<TransactionException> heard = new CopyOnWriteArrayList<>();
        nifi = site().observer(new ClientObserver() {
                    @Override
                    public void transactionFailed(final Direction direction, final TransactionException failure) {
                        heard.add(failure);
                    }
                })
                .build();
        final CountDownLatch committed = new CountDownLatch(1);
        server.at(Moment.FINISHED, wire -> {
            committed.countDown();
            return server.stall().happen(wire);
        });
        final CompletableFuture<TransactionResult> sent = in().send(packet("a"));
        committed.await();
        sent.cancel(false);
        await().until(() -> !heard.isEmpty());
        assertEquals(FailureReason.CANCELLED, heard.getFirst().reason());
        assertTrue(heard.getFirst().isOutcomeUnknown());
    }

    @Test
    void oneMoreThanMayWaitFailsAtOnceAndIsNotTriedAgain() throws Exception {
        nifi.close();
        final AtomicInteger retries = new AtomicInteger();
        nifi = site().maxConnections(1)
                .maxPending(1)
                .observer(new ClientObserver() {
                    @Override
                    public void retrying(
                            final Direction direction,
                            final TransactionException failure,
                            final int attempts,
                            final Duration pause) {
                        retries.incrementAndGet();
                    }
                })
                .build();
        server.at(Moment.CONFIRM, server.stall());
        in().send(packet("runs"));
        in().send(packet("waits"));
        for (int i = 0; i < 1_000; i++) {
            final CompletableFuture<TransactionResult> refused = in().send(packet("refused"));
            assertEquals(
                    FailureReason.TOO_MANY_PENDING, Outcomes.failureOf(refused).reason());
        }
        assertEquals(0, retries.get());
    }

    @Test
    void whatStalledTransactionsHoldInMemoryIsBounded() {
        server.at(Moment.HANDSHAKE, server.stall());
        final long heap = Runtime.getRuntime().maxMemory();
        final byte[] content = new byte[(int) (heap / 1_000)];
        // The outcome of a refused packet is told on another thread, so the packets before the last one say nothing
        // yet.
        for (int sent = 0; sent < 1_000; sent++) {
            in().send(Packet.of(Map.of(), content));
        }
        final CompletableFuture<TransactionResult> last = in().send(Packet.of(Map.of(), content));
        assertEquals(
                FailureReason.TOO_MANY_PENDING, Outcomes.failureOf(last).reason(), "more than the heap is pending");
        assertTrue(nifi.statistics().pendingBytes() <= heap / 4 + 2 * content.length, () -> "" + nifi.statistics());
    }

    @Test
    void bytesThatAreOverMakeRoomForOthers() throws Exception {
        nifi.close();
        nifi = site().maxPendingBytes(1_000).build();
        server.at(Moment.CONFIRM, server.stall());
        final CompletableFuture<TransactionResult> large = in().send(Packet.of(Map.of(), new byte[10_000]));
        assertFails(in().send(packet("refused")), TransactionStep.FIND_PEER, FailureReason.TOO_MANY_PENDING);
        assertTrue(nifi.statistics().pendingBytes() >= 10_000, () -> "" + nifi.statistics());
        large.cancel(false);
        assertEquals(0, nifi.statistics().pendingBytes());
        server.asUsual(Moment.CONFIRM);
        Outcomes.await(in().send(packet("taken")));
    }

    @Test
    void aFileAndRecordsOfABatchingSenderTakeNoneOfAPortsBytes(@TempDir final Path directory) throws Exception {
        nifi.close();
        nifi = site().maxPendingBytes(1_000).build();
        final Path file = Files.write(directory.resolve("large"), new byte[100_000]);
        final CountDownLatch sent = new CountDownLatch(1);
        server.at(Moment.CONFIRM, wire -> {
            sent.await();
            return false;
        });
        final CompletableFuture<TransactionResult> ofFile = in().send(Packet.ofFile(Map.of(), file));
        try (BatchingSender sender = in().batching(1, Duration.ZERO)) {
            final CompletableFuture<TransactionResult> record = sender.send(Packet.of(Map.of(), new byte[50_000]));
            final CompletableFuture<TransactionResult> other = sender.send(Packet.of(Map.of(), new byte[50_000]));
            final ClientStatistics statistics = nifi.statistics();
            assertEquals(2, statistics.pendingPackets());
            assertTrue(statistics.pendingBytes() >= 100_000, () -> "" + statistics);
            sent.countDown();
            Outcomes.await(CompletableFuture.allOf(ofFile, record, other));
            await().until(() -> nifi.statistics().pendingBytes() == 0);
            assertEquals(0, nifi.statistics().pendingPackets());
        }
    }

    @Test
    void whatPausesBeforeAnotherAttemptWaitsToo() {
        nifi.close();
        nifi = site().maxConnections(1)
                .maxPending(3)
                .retry(RetryPolicy.standard()
                        .withBackoff(Duration.ofDays(1), Duration.ofDays(1))
                        .withDeliveryTimeout(FOR_EVER))
                .build();
        server.at(Moment.CONFIRM, ScriptedServer.hangUp());
        final List<CompletableFuture<TransactionResult>> sent = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sent.add(in().send(packet("a" + i)));
        }
        await().until(() -> nifi.statistics().pending() == 4);
        assertEquals(
                FailureReason.TOO_MANY_PENDING,
                Outcomes.failureOf(in().send(packet("one more"))).reason());
        assertTrue(sent.stream().noneMatch(CompletableFuture::isDone));
    }

    @Test
    void eachAttemptAddsItsAttributesAndKeepsThoseOfThePacket() throws Exception {
        nifi.close();
        nifi = site().attemptAttributes((packet, connection) ->
                        Map.of("attempt", connection.commsId(), "filename", "another", "uuid", "another"))
                .build();
        final AtomicInteger times = new AtomicInteger();
        server.at(Moment.CONFIRM, wire -> {
            if (times.incrementAndGet() == 1) {
                throw new EOFException();
            }
            return false;
        });
        final TransactionResult done = Outcomes.await(in().send(packet("a")));
        final List<Map<String, String>> arrived =
                server.arrived.stream().map(ScriptedServer.Received::attributes).toList();
        assertEquals(2, arrived.size());
        assertEquals(
                2, arrived.stream().map(each -> each.get("attempt")).distinct().count());
        assertEquals(done.commsId(), arrived.get(1).get("attempt"));
        assertEquals("a.txt", arrived.get(0).get("filename"));
        assertEquals(arrived.get(0).get("uuid"), arrived.get(1).get("uuid"));
    }

    @Test
    void whatAddsAttributesAndThrowsFailsItsTransaction() {
        nifi.close();
        nifi = site().attemptAttributes((packet, connection) -> {
                    throw new IllegalStateException("planned");
                })
                .build();
        assertEquals(
                FailureReason.INTERNAL_ERROR,
                Outcomes.failureOf(in().send(packet("a"))).reason());
    }

    @Test
    void theTimeOfAResultCountsFromTheRequest() throws Exception {
        final AtomicInteger times = new AtomicInteger();
        server.at(Moment.CONFIRM, wire -> {
            if (times.incrementAndGet() == 1) {
                throw new EOFException();
            }
            return false;
        });
        final Duration pause = Duration.ofMillis(200);
        final TransactionResult done =
                Outcomes.await(in().withRetry(RetryPolicy.standard().withBackoff(pause, pause))
                        .send(Packet.of(Map.of(), new byte[1])));
        assertTrue(done.duration().compareTo(pause.dividedBy(2)) > 0, () -> "" + done);
        assertTrue(done.timings().connected().compareTo(pause.dividedBy(2)) > 0, () -> "" + done);
    }
}
