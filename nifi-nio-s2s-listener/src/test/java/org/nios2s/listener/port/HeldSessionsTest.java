// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.CommitDeadline;
import org.nios2s.listener.transaction.HeldSessions;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;
import org.nios2s.listener.transaction.Outcome;
import org.nios2s.listener.transaction.SessionWaiter;

/** Sessions that a port task hands out end once, wherever that is. Lives on the test's thread. */
class HeldSessionsTest {
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(2);

    private final ExecutorService contentWorkers = Executors.newFixedThreadPool(2);
    private final Transactions transactions = new Transactions();
    private final List<Outcome> outcomes = new CopyOnWriteArrayList<>();
    private final AtomicInteger handedOut = new AtomicInteger();
    private PortRegistry dispatchers;
    private RecordingPort port;
    private PortDispatcher dispatcher;

    /** Wants a session, and keeps it or does something else with it. */
    private final class Taker {
        private final SessionWaiter request;
        private final Predicate<HeldSession> action;
        private volatile HeldSession held;
        private volatile ConnectionFault refused;

        Taker(final String identity, final Predicate<HeldSession> action) throws Exception {
            this.request =
                    new SessionWaiter(transactions.received(identity).peer(), this::take, fault -> refused = fault, 0);
            this.action = action;
        }

        private boolean take(final HeldSession session) {
            handedOut.incrementAndGet();
            final boolean kept = action.test(session);
            held = session;
            return kept;
        }
    }

    @BeforeEach
    void start() throws Exception {
        open(ConnectableType.INPUT_PORT);
    }

    private void open(final ConnectableType type) throws Exception {
        dispatchers = new PortRegistry(
                ListenerSettings.from(new NiFiProperties(Map.of())),
                new MemoryBudget(1024 * 1024, NanoClock.SYSTEM),
                contentWorkers,
                new ListenerMetrics(1, NanoClock.SYSTEM),
                NanoClock.SYSTEM);
        port = new RecordingPort(type, 1);
        dispatcher = dispatchers.acquire(port.port());
    }

    private void stopPort() {
        dispatchers.close();
        port.close();
    }

    @AfterEach
    void stop() {
        stopPort();
        contentWorkers.shutdownNow();
    }

    private static void until(final Callable<Boolean> condition) {
        await().pollInterval(POLL_INTERVAL).atMost(DEADLINE).until(condition);
    }

    private HeldSession handedOut(final String identity) throws Exception {
        final Taker taker = new Taker(identity, held -> true);
        dispatcher.awaitSession(taker.request);
        until(() -> taker.held != null);
        return taker.held;
    }

    private static void receive(final HeldSession held) {
        final ProcessSession session = held.session();
        session.transfer(session.create(), Relationship.ANONYMOUS);
    }

    /** @return the session of a push that has received a FlowFile */
    private HeldSession heldByPush() throws Exception {
        final HeldSession held = handedOut(null);
        receive(held);
        return held;
    }

    /** @return as {@link #heldByPush}, at a port that NiFi triggers no more */
    private HeldSession heldByWaitingPush() throws Exception {
        final HeldSession held = heldByPush();
        port.scheduled(false);
        return held;
    }

    /** @return the session of a pull that has sent a FlowFile, at a port that NiFi triggers no more */
    private HeldSession heldByWaitingPull() throws Exception {
        stopPort();
        open(ConnectableType.OUTPUT_PORT);
        port.queue(Map.of(), new byte[1]);
        final HeldSession held = handedOut(null);
        held.session().get();
        port.scheduled(false);
        return held;
    }

    private int ended() {
        return handedOut.get() - dispatcher.heldSessions().held();
    }

    private void assertOver() {
        until(dispatcher::isIdle);
        assertEquals(0, dispatcher.waiting());
    }

    @Test
    @DisplayName("a push is committed in the run of a port task")
    void commits() throws Exception {
        final HeldSession held = heldByPush();
        held.commit(CommitDeadline.NONE, outcomes::add);
        until(() -> ended() == 1 && outcomes.size() == 1);
        assertEquals(List.of(new Outcome(null, false)), outcomes);
        assertEquals(1, port.committed().size());
        assertOver();
    }

    @Test
    @DisplayName("a push is rolled back though its port is never triggered")
    void rollsBackWithoutVisit() throws Exception {
        final HeldSession held = heldByWaitingPush();
        held.rollback();
        until(() -> ended() == 1);
        assertOver();
    }

    @Test
    @DisplayName("a commit that waits under back pressure is taken back by a rollback, and is not done later")
    void takesCommitBack() throws Exception {
        final HeldSession held = heldByWaitingPush();
        held.commit(CommitDeadline.NONE, outcomes::add);
        assertEquals(1, dispatcher.waiting());
        held.rollback();
        until(() -> ended() == 1 && outcomes.size() == 1);
        assertEquals(ConnectionFault.Kind.COMMIT_FAILED, outcomes.get(0).fault().kind());
        port.scheduled(true);
        assertOver();
        assertEquals(0, port.commits());
        held.commit(CommitDeadline.NONE, outcomes::add);
        assertEquals(2, outcomes.size());
    }

    @Test
    @DisplayName("a push whose port stops before its commit is rolled back, whether its connection is there or not")
    void pushOfStoppedPort() throws Exception {
        final HeldSession held = heldByWaitingPush();
        held.commit(CommitDeadline.NONE, outcomes::add);
        dispatchers.release(dispatcher);
        port.running(false);
        until(() -> {
            dispatchers.sweep();
            return outcomes.size() == 1;
        });
        assertEquals(
                ConnectionFault.Kind.PORT_NOT_RUNNING, outcomes.get(0).fault().kind());
        assertEquals(1, ended());
        assertOver();
        assertEquals(0, port.commits());
    }

    @Test
    @DisplayName("a pull whose port stops before its commit is committed, since its peer has the FlowFiles")
    void pullOfStoppedPort() throws Exception {
        heldByWaitingPull().commit(CommitDeadline.NONE, outcomes::add);
        port.running(false);
        until(() -> {
            dispatchers.sweep();
            return outcomes.size() == 1;
        });
        assertNull(outcomes.get(0).fault());
        assertEquals(1, port.sent().size());
        assertOver();
    }

    @Test
    @DisplayName("a pull whose peer has finished is committed though its port is not triggered")
    void pullWithoutVisit() throws Exception {
        heldByWaitingPull().commit(CommitDeadline.NONE, outcomes::add);
        until(() -> outcomes.size() == 1);
        assertNull(outcomes.get(0).fault());
        assertEquals(1, port.sent().size());
        assertOver();
    }

    @Test
    @DisplayName("a rollback of a pull puts its FlowFiles back without a port task")
    void pullRollsBack() throws Exception {
        heldByWaitingPull().rollback();
        until(() -> port.queued() == 1);
        assertOver();
    }

    @Test
    @DisplayName("a peer that the port refuses at its commit loses its session, and no other peer does")
    void refusedAmongOthers() throws Exception {
        final HeldSession mallory = handedOut("CN=mallory");
        final HeldSession alice = handedOut("CN=alice");
        receive(mallory);
        receive(alice);
        port.scheduled(false);
        port.allow(identity -> !"CN=mallory".equals(identity));
        final List<Outcome> refused = new CopyOnWriteArrayList<>();
        mallory.commit(CommitDeadline.NONE, refused::add);
        alice.commit(CommitDeadline.NONE, outcomes::add);
        port.scheduled(true);
        until(() -> outcomes.size() == 1 && refused.size() == 1);
        assertEquals(ConnectionFault.Kind.NOT_AUTHORIZED, refused.get(0).fault().kind());
        assertNull(outcomes.get(0).fault());
        assertEquals(1, port.committed().size());
        assertOver();
    }

    @Test
    @DisplayName("an Error in a commit ends the session once, and the port goes on")
    void errorInCommit() throws Exception {
        final HeldSession held = heldByPush();
        port.beforeCommit(flowFiles -> {
            throw new OutOfMemoryError("test");
        });
        held.commit(CommitDeadline.NONE, outcomes::add);
        until(() -> outcomes.size() == 1);
        assertEquals(ConnectionFault.Kind.COMMIT_FAILED, outcomes.get(0).fault().kind());
        assertEquals(1, ended());
        port.beforeCommit(flowFiles -> {});
        final HeldSession next = heldByPush();
        next.commit(CommitDeadline.NONE, outcomes::add);
        until(() -> outcomes.size() == 2);
        assertNull(outcomes.get(1).fault());
        assertOver();
    }

    @Test
    @DisplayName("a pull whose commit has returned is committed, also if memory runs out behind the commit")
    void errorAfterCommit() throws Exception {
        final AtomicBoolean outOfMemory = new AtomicBoolean();
        final NanoClock clock = () -> {
            if (outOfMemory.get()) {
                throw new OutOfMemoryError("test");
            }
            return 0;
        };
        final ProcessSession session = mock(ProcessSession.class);
        doAnswer(commit -> {
                    outOfMemory.set(true);
                    return null;
                })
                .when(session)
                .commit();
        final ProcessContext context = mock(ProcessContext.class);
        when(context.getAvailableRelationships()).thenThrow(new OutOfMemoryError("test"));
        final HeldSessions closer =
                new HeldSessions(true, Runnable::run, () -> {}, new ListenerMetrics(1, clock), clock);
        closer.handOut(session, context, transactions.received(null).peer(), () -> {})
                .commit(CommitDeadline.NONE, outcomes::add);
        assertEquals(List.of(new Outcome(null, false)), outcomes);
        verify(session, never()).rollback();
    }

    @Test
    @DisplayName("an Error in what hears of the end keeps nothing else from ending")
    void errorInReport() throws Exception {
        final HeldSession held = handedOut(null);
        final HeldSession other = handedOut(null);
        held.commit(CommitDeadline.NONE, outcome -> {
            throw new OutOfMemoryError("test");
        });
        other.commit(CommitDeadline.NONE, outcomes::add);
        until(() -> outcomes.size() == 1 && ended() == 2);
        assertOver();
    }

    @Test
    @DisplayName("a taker that fails with an Error is refused, its session is rolled back, and the next is served")
    void errorInTaker() throws Exception {
        final Taker faulty = new Taker(null, held -> {
            receive(held);
            throw new OutOfMemoryError("test");
        });
        dispatcher.awaitSession(faulty.request);
        final HeldSession next = handedOut(null);
        until(() -> faulty.refused != null);
        assertEquals(1, ended());
        next.commit(CommitDeadline.NONE, outcomes::add);
        until(() -> outcomes.size() == 1);
        assertEquals(0, port.committed().size());
        assertOver();
    }

    @Test
    @DisplayName("a session that is not kept goes to the next")
    void notKept() throws Exception {
        final Taker left = new Taker(null, held -> false);
        dispatcher.awaitSession(left.request);
        until(() -> left.held != null && ended() == 1);
        assertOver();
    }

    @Test
    @DisplayName("commit, rollback and a stopping port race for the end of a session, which ends once")
    void endsOnce() throws Exception {
        final int rounds = 300;
        for (int i = 0; i < rounds; i++) {
            final HeldSession held = heldByPush();
            contentWorkers.execute(() -> held.commit(CommitDeadline.NONE, outcomes::add));
            contentWorkers.execute(held::rollback);
            dispatcher.portStopped();
        }
        until(() -> ended() == rounds && outcomes.size() == rounds);
        assertTrue(port.commits() <= rounds);
        assertEquals(
                port.commits(),
                outcomes.stream().filter(outcome -> outcome.fault() == null).count());
        assertOver();
    }
}
