// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.protocol.ServerProtocol;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.PortLimits;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.TestHolder;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.BufferedPush;

/** Transactions and port tasks come together. Lives on the test's thread. */
class PortDispatcherTest {
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final Duration SWEEP_INTERVAL = Duration.ofMillis(250);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(2);
    private static final int CONCURRENT_TASKS = 3;

    private final EventExecutor worker = new DefaultEventExecutor();
    private final Transactions transactions = new Transactions(worker);
    private final ListenerMetrics metrics = new ListenerMetrics(1, NanoClock.SYSTEM);
    private PortRegistry dispatchers;
    private RecordingPort port;
    private PortDispatcher dispatcher;

    @BeforeEach
    void start() throws Exception {
        dispatchers = new PortRegistry(
                ListenerSettings.from(new NiFiProperties(Map.of("nifi.remote.input.nio.commit.transactions", "10"))),
                new MemoryBudget(1024 * 1024, NanoClock.SYSTEM),
                Runnable::run,
                metrics,
                NanoClock.SYSTEM);
        port = new RecordingPort(CONCURRENT_TASKS);
        dispatcher = dispatchers.acquire(port.port());
    }

    @AfterEach
    void stop() throws Exception {
        dispatchers.release(dispatcher);
        dispatchers.close();
        port.close();
        worker.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private void awaitServed(final int count) {
        await().pollInterval(POLL_INTERVAL)
                .atMost(DEADLINE)
                .until(() -> transactions.served().size() >= count);
        assertEquals(count, transactions.served().size());
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> transactions.held() == 0);
    }

    private void awaitIdle() {
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> port.inPort() == 0 && dispatcher.isIdle());
    }

    private void submit(final int count) throws Exception {
        for (int i = 0; i < count; i++) {
            dispatcher.submit(transactions.ready(null, "packet"));
        }
    }

    @Test
    @DisplayName("a transaction that is submitted is committed, and then no request is left in the port")
    void single() throws Exception {
        submit(1);
        awaitServed(1);
        assertNull(transactions.served().get(0).outcome().fault());
        assertEquals(1, port.committed().size());
        awaitIdle();
    }

    @Test
    @DisplayName("what gathers while no port task comes is committed in groups of the size that is set")
    void groups() throws Exception {
        port.scheduled(false);
        submit(100);
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> port.inPort() == CONCURRENT_TASKS);
        assertEquals(100, dispatcher.waiting());
        assertEquals(100, dispatchers.waiting());
        port.scheduled(true);
        awaitServed(100);
        assertTrue(port.commits() >= 10 && port.commits() <= 10 + 2 * CONCURRENT_TASKS, () -> "" + port.commits());
        assertEquals(0, dispatcher.waiting());
    }

    @Test
    @DisplayName("a single transaction makes a single request, whatever the number of concurrent tasks")
    void oneRequestForOne() throws Exception {
        port.scheduled(false);
        submit(1);
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> port.inPort() == 1);
        port.scheduled(true);
        awaitServed(1);
        assertEquals(1, port.mostInQueue());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    @DisplayName(
            "no wake-up is lost: every transaction of many submitters is served once, with few triggers in the port")
    void stress(final int submitters) throws Exception {
        final int each = 4_000 / submitters;
        final ExecutorService threads = Executors.newFixedThreadPool(submitters);
        try {
            for (int i = 0; i < submitters; i++) {
                threads.submit(() -> {
                    for (int j = 0; j < each; j++) {
                        dispatcher.submit(transactions.ready(null, "packet"));
                        if (j % 50 == 0) {
                            // Long enough for the port to run empty now and then.
                            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                        }
                    }
                    return null;
                });
            }
            awaitServed(submitters * each);
        } finally {
            threads.shutdownNow();
        }
        assertEquals(submitters * each, port.committed().size());
        final var distinct = new HashSet<BufferedPush>();
        transactions.served().forEach(served -> distinct.add(served.transaction()));
        assertEquals(submitters * each, distinct.size());
        assertTrue(port.mostInQueue() <= CONCURRENT_TASKS, () -> port.mostInQueue() + " requests in the queue");
        awaitIdle();
    }

    @Test
    @DisplayName("a stopped port refuses all that waits for it")
    void stopped() throws Exception {
        port.running(false);
        submit(20);
        awaitServed(20);
        transactions
                .served()
                .forEach(served -> assertEquals(
                        ConnectionFault.Kind.PORT_NOT_RUNNING,
                        served.outcome().fault().kind()));
        port.running(true);
        submit(1);
        awaitServed(21);
        assertEquals(1, port.committed().size());
    }

    @Test
    @DisplayName("a port that refuses the peer of its request fails that transaction and serves the next")
    void refusedLead() throws Exception {
        port.allow("CN=alice"::equals);
        dispatcher.submit(transactions.ready("CN=mallory", "a"));
        awaitServed(1);
        assertEquals(
                ConnectionFault.Kind.NOT_AUTHORIZED,
                transactions.served().get(0).outcome().fault().kind());
        dispatcher.submit(transactions.ready("CN=alice", "b"));
        awaitServed(2);
        assertEquals(1, port.committed().size());
    }

    @Test
    @DisplayName("a full destination ends the run, and what waits is served when there is room")
    void destinationFull() throws Exception {
        port.scheduled(false);
        submit(35);
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> port.inPort() == CONCURRENT_TASKS);
        port.beforeCommit(flowFiles -> {
            port.full(true);
            port.scheduled(false);
        });
        port.scheduled(true);
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> port.commits() > 0);
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> transactions.served().stream()
                .anyMatch(served -> served.outcome().destinationFull()));
        assertTrue(dispatcher.waiting() > 0);
        port.beforeCommit(flowFiles -> {});
        port.full(false);
        port.scheduled(true);
        awaitServed(35);
        assertEquals(35, port.committed().size());
    }

    @Test
    @DisplayName(
            "a port that is stopped under steady traffic commits nothing behind the commit under way, and can be started")
    void stopsUnderSteadyTraffic() throws Exception {
        final AtomicBoolean submitting = new AtomicBoolean(true);
        final Thread traffic = Thread.ofPlatform().start(() -> {
            while (submitting.get()) {
                assertDoesNotThrow(() -> submit(1));
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        });
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> port.commits() > 50);
        port.running(false);
        final int atStop = port.commits();
        // NiFi's active threads leave without the sweep, which would come by a quarter of a second later.
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> port.activeThreads() == 0);
        assertTrue(
                port.commits() <= atStop + CONCURRENT_TASKS, () -> port.commits() - atStop + " commits after the stop");
        submitting.set(false);
        traffic.join();
        final int atRest = port.commits();
        port.running(true);
        submit(1);
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> port.commits() > atRest);
    }

    @Test
    @DisplayName(
            "a peer of another protocol at the same port is served among the transactions of ours, however warm they keep it")
    void beside() throws Exception {
        port.close();
        port = new RecordingPort(1);
        final PortDispatcher single = dispatchers.acquire(port.port());
        final AtomicBoolean submitting = new AtomicBoolean(true);
        final Thread traffic = Thread.ofPlatform().start(() -> {
            while (submitting.get()) {
                assertDoesNotThrow(() -> single.submit(transactions.ready(null, "packet")));
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        });
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> port.commits() > 50);
        final ServerProtocol http = mock(ServerProtocol.class);
        final AtomicInteger runs = new AtomicInteger();
        final AtomicInteger runsBefore = new AtomicInteger(Integer.MAX_VALUE);
        when(http.getRequestExpiration()).thenReturn(30_000L);
        when(http.getPreNegotiatedCodec()).thenReturn(new StandardFlowFileCodec());
        when(http.receiveFlowFiles(any(), any(), any(), any())).thenAnswer(invocation -> {
            runsBefore.set(runs.get());
            return 1;
        });
        port.scheduled(false);
        final Thread request = Thread.ofPlatform()
                .start(() -> assertDoesNotThrow(() -> port.port()
                        .receiveFlowFiles(transactions.received(null).peer().toPeer(() -> {}), http)));
        // It waits to be served only when it is in the queue of the port.
        await().pollInterval(POLL_INTERVAL)
                .atMost(DEADLINE)
                .until(() -> request.getState() == Thread.State.TIMED_WAITING);
        port.onTask(runs::incrementAndGet);
        port.scheduled(true);
        request.join();
        submitting.set(false);
        traffic.join();
        // A trigger that was in the queue before it, and itself.
        assertTrue(runsBefore.get() <= 2, () -> runsBefore + " runs until it was served");
        dispatchers.release(single);
    }

    @Test
    @DisplayName("a thread that hears late of its request's end holds up no further transaction")
    void lateThread() throws Exception {
        final CountDownLatch hears = new CountDownLatch(1);
        port.afterAnswer(() -> await().atMost(DEADLINE).until(() -> hears.getCount() == 0));
        try {
            for (int i = 1; i <= 2 * CONCURRENT_TASKS; i++) {
                submit(1);
                awaitServed(i);
            }
        } finally {
            hears.countDown();
        }
        assertTrue(port.mostInQueue() <= CONCURRENT_TASKS, () -> port.mostInQueue() + " requests in the queue");
    }

    @Test
    @DisplayName("an authorizer that takes long delays a request and fails nobody")
    void slowAuthorizer() throws Exception {
        final CountDownLatch decided = new CountDownLatch(1);
        final AtomicInteger asked = new AtomicInteger();
        port.allow(identity -> {
            asked.incrementAndGet();
            await().atMost(DEADLINE).until(() -> decided.getCount() == 0);
            return true;
        });
        submit(1);
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> asked.get() > 0);
        for (int i = 0; i < 100; i++) {
            dispatchers.sweep();
        }
        decided.countDown();
        awaitServed(1);
        assertNull(transactions.served().get(0).outcome().fault());
    }

    @Test
    @DisplayName("an abandoned transaction is neither committed nor reported")
    void abandoned() throws Exception {
        port.scheduled(false);
        submit(1);
        final BufferedPush transaction = transactions.ready(null, "gone");
        dispatcher.submit(transaction);
        assertTrue(transaction.abandon());
        dispatcher.withdraw(transaction);
        port.scheduled(true);
        awaitServed(1);
        awaitIdle();
        assertEquals(1, port.committed().size());
    }

    @Test
    @DisplayName("connections to one port share its dispatcher, which is forgotten with the last of them")
    void referenceCounting() {
        assertSame(dispatcher, dispatchers.acquire(port.port()));
        final PortDispatcher other = dispatchers.acquire(mock(PublicPort.class));
        assertNotSame(dispatcher, other);
        dispatchers.release(dispatcher);
        assertSame(dispatcher, dispatchers.acquire(port.port()));
        dispatchers.release(dispatcher);
        dispatchers.release(dispatcher);
        final PortDispatcher later = dispatchers.acquire(port.port());
        assertNotSame(dispatcher, later);
        dispatcher = later;
    }

    private void sweepUntil(final BooleanSupplier condition) {
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> {
            dispatchers.sweep();
            return condition.getAsBoolean();
        });
    }

    private void assertAllFailed(final ConnectionFault.Kind kind, final int count) {
        // After a run that failed only the sweep triggers another; as
        // often as in NiFi, otherwise requests would count as lost.
        await().pollInterval(SWEEP_INTERVAL).atMost(DEADLINE).until(() -> {
            dispatchers.sweep();
            return transactions.served().size() >= count;
        });
        awaitServed(count);
        transactions
                .served()
                .forEach(served -> assertEquals(kind, served.outcome().fault().kind()));
    }

    @Test
    @DisplayName("an Error in a commit fails its transactions, and the port serves the next")
    void errorInCommit() throws Exception {
        port.beforeCommit(flowFiles -> {
            throw new OutOfMemoryError("test");
        });
        submit(5);
        assertAllFailed(ConnectionFault.Kind.COMMIT_FAILED, 5);
        port.beforeCommit(flowFiles -> {});
        submit(5);
        awaitServed(10);
        assertEquals(5, port.committed().size());
        assertEquals(0, port.unanswered());
        awaitIdle();
    }

    @Test
    @DisplayName("an Error in a run, outside of any commit, fails what was claimed, and the port serves the next")
    void errorInVisit() throws Exception {
        final AtomicInteger asked = new AtomicInteger();
        port.allow(identity -> {
            // The port asks first, then the run.
            if (asked.incrementAndGet() == 2) {
                throw new OutOfMemoryError("test");
            }
            return true;
        });
        submit(1);
        assertAllFailed(ConnectionFault.Kind.COMMIT_FAILED, 1);
        submit(1);
        awaitServed(2);
        assertEquals(1, port.committed().size());
        assertEquals(0, port.unanswered());
        awaitIdle();
    }

    @Test
    @DisplayName("a request that a port task took and never answered is given up, and another one made")
    void errorInPort() throws Exception {
        final AtomicInteger tasks = new AtomicInteger();
        port.onTask(() -> {
            if (tasks.incrementAndGet() <= CONCURRENT_TASKS) {
                throw new OutOfMemoryError("test");
            }
        });
        for (int i = 0; i < CONCURRENT_TASKS; i++) {
            submit(11);
        }
        sweepUntil(() -> transactions.served().size() == 11 * CONCURRENT_TASKS);
        sweepUntil(() -> port.inPort() == 0 && dispatcher.isIdle());
        assertTrue(port.unanswered() > 0);
        assertTrue(
                port.committed().size() >= 10 * CONCURRENT_TASKS,
                () -> "" + port.committed().size());
    }

    @Test
    @DisplayName("a port that stops lets go of what waits, of the threads that stand for it, and is forgotten")
    void stopsUnderLoad() throws Exception {
        port.scheduled(false);
        submit(40);
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> port.inPort() == CONCURRENT_TASKS);
        port.running(false);
        sweepUntil(() -> transactions.served().size() == 40);
        assertAllFailed(ConnectionFault.Kind.PORT_NOT_RUNNING, 40);
        awaitIdle();
        assertEquals(0, port.requests());
        dispatchers.release(dispatcher);
        final PortDispatcher later = dispatchers.acquire(port.port());
        assertNotSame(dispatcher, later);
        dispatcher = later;
    }

    @Test
    @DisplayName("a request whose transactions have all gone is let go")
    void letGo() throws Exception {
        port.scheduled(false);
        final BufferedPush transaction = transactions.ready(null, "gone");
        dispatcher.submit(transaction);
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(() -> port.inPort() == 1);
        assertTrue(transaction.abandon());
        dispatcher.withdraw(transaction);
        awaitIdle();
        assertEquals(0, port.requests());
        port.scheduled(true);
        submit(1);
        awaitServed(1);
    }

    @Test
    @DisplayName("a peer that the port refuses loses its own transaction; the others of its batch are served")
    void refusedAmongOthers() throws Exception {
        port.allow(identity -> !"CN=mallory".equals(identity));
        port.scheduled(false);
        dispatcher.submit(transactions.ready("CN=mallory", "a"));
        dispatcher.submit(transactions.ready("CN=alice", "b"));
        dispatcher.submit(transactions.ready("CN=bob", "c"));
        port.scheduled(true);
        awaitServed(3);
        assertEquals(2, port.committed().size());
        transactions
                .served()
                .forEach(served -> assertEquals(
                        "CN=mallory".equals(served.transaction().peer().identity()),
                        served.outcome().fault() != null));
    }

    @Test
    @DisplayName("a port whose queue is full of requests of others is asked again, and nobody fails")
    void queueOfPortIsFull() throws Exception {
        port.refuseRequests(2);
        submit(1);
        sweepUntil(() -> !transactions.served().isEmpty());
        awaitServed(1);
        assertNull(transactions.served().get(0).outcome().fault());
        assertEquals(1, port.committed().size());
    }

    @Test
    @DisplayName("a port takes half of what all ports may stream and send at once, and each has one for itself")
    void halfForAPort() {
        try (PortRegistry narrow = new PortRegistry(
                ListenerSettings.from(new NiFiProperties(Map.of("nifi.remote.input.nio.streaming.transactions", "2"))),
                new MemoryBudget(1024 * 1024, NanoClock.SYSTEM),
                Runnable::run,
                metrics,
                NanoClock.SYSTEM)) {
            final List<PortLimits> ports = Stream.generate(
                            () -> narrow.acquire(mock(PublicPort.class)).limits())
                    .limit(3)
                    .toList();
            assertEquals(
                    List.of(1L, 1L, 1L),
                    ports.stream().map(limits -> had(limits.streaming())).toList());
            assertEquals(
                    List.of(4L, 2L, 1L),
                    ports.stream().map(limits -> had(limits.sending())).toList());
        }
    }

    @Test
    @DisplayName("where order counts, a port sends as many pulls at once as it has tasks now, and not as it had before")
    void sendsByTasks() {
        try (PortRegistry ordered = new PortRegistry(
                ListenerSettings.from(new NiFiProperties(Map.of("nifi.remote.input.nio.pulls.in.order", "true"))),
                new MemoryBudget(1024 * 1024, NanoClock.SYSTEM),
                Runnable::run,
                metrics,
                NanoClock.SYSTEM)) {
            final PublicPort output = mock(PublicPort.class);
            when(output.getMaxConcurrentTasks()).thenReturn(3);
            final SharedResource.Part sending = ordered.acquire(output).limits().sending();
            assertEquals(3, had(sending));
            final SharedResource.Grant next = sending.request(new TestHolder("peer"), () -> {});
            assertNull(sending.next());
            when(output.getMaxConcurrentTasks()).thenReturn(4);
            assertSame(next, sending.next());
            when(output.getMaxConcurrentTasks()).thenReturn(1);
            sending.request(new TestHolder("peer"), () -> {});
            next.close();
            assertNull(sending.next());
        }
    }

    /** @return how many of ten permits are there at once */
    private static long had(final SharedResource.Part permits) {
        permits.grantOnlyNext(() -> {}, () -> true);
        final List<SharedResource.Grant> requests = Stream.generate(
                        () -> permits.request(new TestHolder("peer"), () -> {}))
                .limit(10)
                .toList();
        while (permits.next() != null) {
            assertTrue(permits.held() <= 10);
        }
        requests.forEach(SharedResource.Grant::stopWaiting);
        return permits.held();
    }
}
