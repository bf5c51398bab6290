// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Outcomes;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;

/** A pool whose connections fail as the test says. */
class ConnectionPoolTest {
    private static final int TOGETHER = 10;
    private static final Endpoint PORT = Endpoint.of("127.0.0.1", 1, "port-id");
    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    /** Above it are the pool's other tasks. */
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(900);

    private record Later(Runnable task, long nanos) {
        boolean isPause() {
            return nanos < LONGEST_PAUSE.toNanos();
        }
    }

    /** Counts and keeps what it is asked for. */
    private static final class Opener implements ConnectionPool.Opener {
        private final Deque<Later> later = new ArrayDeque<>();
        private int opened;
        private int failed;

        @Override
        public void open(final ConnectionPool pool) {
            opened++;
        }

        @Override
        public void retired(final ConnectionPool pool) {
            // The pool is in use.
        }

        @Override
        public boolean failed(final String peer) {
            failed++;
            return false;
        }

        @Override
        public void connected(final String peer) {
            // Nobody asks.
        }

        @Override
        public void later(final Runnable task, final long nanos) {
            later.add(new Later(task, nanos));
        }
    }

    /** Keeps the connection that it gets, and does nothing. */
    private final class WaitingAttempt extends Attempt {
        WaitingAttempt() {
            super(
                    PORT,
                    CallOptions.DEFAULTS.within(
                            new AttemptBudget(System.nanoTime(), Long.MAX_VALUE, () -> hasOtherPeer)));
        }

        @Override
        protected void run(final ClientConnection taken) {
            // It has begun.
        }

        @Override
        protected void abandon(final TransactionException failure) {
            // It says nothing.
        }
    }

    private boolean hasOtherPeer;
    private final Opener opener = new Opener();
    private final ConnectionPool pool = new ConnectionPool(
            PORT,
            ConnectionOptions.DEFAULTS.withReconnectBackoff(FIRST_PAUSE, Duration.ofMillis(800)),
            opener,
            ClientObserver.NONE);

    private List<Attempt> submit(final int attempts) {
        final List<Attempt> waiting = new ArrayList<>();
        for (int i = 0; i < attempts; i++) {
            final Attempt attempt = new WaitingAttempt();
            attempt.waitIn(pool, GlobalEventExecutor.INSTANCE);
            assertTrue(pool.submit(attempt));
            waiting.add(attempt);
        }
        return waiting;
    }

    private static TransactionException failure(final FailureReason reason) {
        return PORT.failure(TransactionStep.HANDSHAKE, reason, "planned", null);
    }

    private static long over(final List<Attempt> attempts) {
        return attempts.stream().filter(each -> each.result().isDone()).count();
    }

    @Test
    void aConnectionThatTheCloseEndsIsNoFailureOfItsPeer() {
        submit(1);
        pool.close();
        pool.openingFailed(failure(FailureReason.CONNECT_FAILED));
        assertEquals(0, opener.failed);
    }

    @Test
    void connectionsThatFailTogetherAreOneFailureInARow() {
        submit(TOGETHER);
        assertEquals(TOGETHER, opener.opened);
        for (int i = 0; i < TOGETHER; i++) {
            pool.openingFailed(failure(FailureReason.CONNECT_FAILED));
        }
        submit(1);
        // Each pause looks how much of it is left, and that is never more than the first one.
        for (int i = 0; i < TOGETHER && opener.opened == TOGETHER; i++) {
            final Later pause =
                    opener.later.stream().filter(Later::isPause).findFirst().orElseThrow();
            opener.later.remove(pause);
            assertTrue(pause.nanos() <= FIRST_PAUSE.toNanos(), "a pause of " + Duration.ofNanos(pause.nanos()));
            pause.task().run();
        }
    }

    @Test
    void noneWaitsForThePauseOfAPeerWhoseLastConnectionIsClosed() {
        hasOtherPeer = true;
        final List<Attempt> waiting = submit(TOGETHER);
        final ClientConnection connection = new ClientConnection(PORT, null, new EmbeddedChannel(), null, pool);
        pool.opened(connection);
        pool.openingFailed(failure(FailureReason.CONNECT_FAILED));
        assertEquals(0, over(waiting));
        pool.closed(connection);
        assertEquals(TOGETHER - 1, over(waiting));
    }

    @Test
    void oneThatWaitsFailsWithAConnectionThatWasOpenedForIt() {
        final List<Attempt> waiting = submit(TOGETHER);
        pool.openingFailed(failure(FailureReason.CONNECT_FAILED));
        assertEquals(1, over(waiting));
    }

    @ParameterizedTest
    @EnumSource(names = {"DESTINATION_FULL", "PORT_NOT_RUNNING"})
    void allThatWaitLearnWhatNiFiSaysOfThePort(final FailureReason reason) {
        final List<Attempt> waiting = submit(TOGETHER);
        pool.openingFailed(failure(reason));
        assertEquals(TOGETHER, over(waiting));
        waiting.forEach(
                each -> assertEquals(reason, Outcomes.failureOf(each.result()).reason()));
    }
}
