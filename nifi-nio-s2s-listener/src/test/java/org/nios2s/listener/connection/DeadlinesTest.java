// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.PeerTurn;
import org.nios2s.listener.settings.IdleTimeout;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.tls.TlsTasks;

/** How long a peer may take, and how its time is counted. Lives on the test's thread, with a clock of its own. */
class DeadlinesTest {
    private static final long FOR_EVER = 0;

    private final AtomicLong clock = new AtomicLong();
    private final PeerConnection connection = mock(PeerConnection.class);
    private final ReadGate reading = mock(ReadGate.class);
    private final PeerTurn turn = new PeerTurn();
    private final TransactionContext transaction = mock(TransactionContext.class);
    private final TransactionStep step = mock(TransactionStep.class);
    private Deadlines deadlines;

    @BeforeEach
    void withinRequest() {
        when(connection.clock()).thenReturn(clock::get);
        when(connection.turn()).thenReturn(turn);
        when(step.timeoutPolicy()).thenReturn(Step.TimeoutPolicy.WITHIN_REQUEST);
        when(step.transaction()).thenReturn(transaction);
        deadlines = with(IdleTimeout.AUTO);
    }

    private Deadlines with(final IdleTimeout idleTimeout) {
        return new Deadlines(
                connection,
                reading,
                new TlsTasks(),
                new ListenerSettings.Connections(1, 0, 1, Duration.ofSeconds(1), idleTimeout));
    }

    private void pass(final Duration time) {
        clock.addAndGet(time.toNanos());
    }

    /** Counts as a worker that looks every quarter of a second. */
    private void count(final int seconds, final boolean isPeers) throws Exception {
        when(step.isPeersTurn()).thenReturn(isPeers);
        for (int i = 0; i < 4 * seconds; i++) {
            pass(Duration.ofMillis(250));
            deadlines.check(step, clock.get());
        }
    }

    private long silentSeconds() {
        return TimeUnit.NANOSECONDS.toSeconds(turn.silentNanos());
    }

    @Test
    @DisplayName("a wait of ours stops the peer's clock, and does not restart it")
    void stops() throws Exception {
        count(2, true);
        count(60, false);
        assertEquals(2, silentSeconds());
        count(1, true);
        assertEquals(3, silentSeconds());
    }

    @Test
    @DisplayName("a byte is a sign of life, but not from a peer that has us write very many")
    void signOfLife() throws Exception {
        count(2, true);
        deadlines.recordProgress();
        count(1, true);
        assertEquals(1, silentSeconds());
        deadlines.recordProgress();
        when(transaction.inflatesAbnormally()).thenReturn(true);
        count(2, true);
        assertEquals(3, silentSeconds());
    }

    @Test
    @DisplayName("a peer that is not read because of its rate is not silent")
    void excused() throws Exception {
        count(2, true);
        when(step.isDelayed()).thenReturn(true);
        count(60, true);
        assertEquals(0, silentSeconds());
    }

    @Test
    @DisplayName("a new transaction has a clock of its own")
    void newTransaction() throws Exception {
        count(2, true);
        deadlines.entered(step, mock(Step.class));
        count(1, true);
        assertEquals(1, silentSeconds());
    }

    private static Stream<Arguments> betweenRequests() {
        return Stream.of(
                Arguments.of(IdleTimeout.AUTO, 30_000, Duration.ofSeconds(60)),
                Arguments.of(IdleTimeout.after(Duration.ofMinutes(10)), 30_000, Duration.ofMinutes(10)),
                Arguments.of(IdleTimeout.after(Duration.ofMinutes(10)), FOR_EVER, Duration.ofMinutes(10)));
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("between requests a peer may be silent for twice its expiration, or as the setting says")
    void betweenRequests(final IdleTimeout setting, final long expirationMillis, final Duration allowed) {
        when(step.timeoutPolicy()).thenReturn(Step.TimeoutPolicy.BETWEEN_REQUESTS);
        when(connection.requestExpirationMillis()).thenReturn(expirationMillis);
        final Deadlines set = with(setting);
        pass(allowed);
        assertDoesNotThrow(() -> set.check(step, clock.get()));
        pass(Duration.ofMillis(1));
        assertEquals(
                ConnectionFault.Kind.IDLE_TIMEOUT,
                assertThrows(ConnectionFault.class, () -> set.check(step, clock.get()))
                        .kind());
    }

    private static Stream<Arguments> neverTooLong() {
        return Stream.of(Arguments.of(IdleTimeout.AUTO, FOR_EVER), Arguments.of(IdleTimeout.NEVER, 30_000));
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("between requests a peer may be silent for ever if it asked for that, or the setting says so")
    void neverTooLong(final IdleTimeout setting, final long expirationMillis) {
        when(step.timeoutPolicy()).thenReturn(Step.TimeoutPolicy.BETWEEN_REQUESTS);
        when(connection.requestExpirationMillis()).thenReturn(expirationMillis);
        final Deadlines set = with(setting);
        pass(Duration.ofDays(365));
        assertDoesNotThrow(() -> set.check(step, clock.get()));
    }
}
