// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.Contention;
import org.nios2s.listener.settings.IdleTimeout;

/** How slow a peer may be that holds what others wait for. Lives on the test's thread, with a clock of its own. */
class DeadlinesTest {
    private static final long FOR_EVER = 0;

    private final AtomicLong clock = new AtomicLong();
    private final AtomicReference<Contention> scarcity = new AtomicReference<>(Contention.CONTENDED);
    private final Deadlines deadlines = with(IdleTimeout.AUTO);
    private final Step step = mock(Step.class);

    @BeforeEach
    void withinRequest() {
        when(step.timeoutPolicy()).thenReturn(Step.TimeoutPolicy.WITHIN_REQUEST);
    }

    private Deadlines with(final IdleTimeout idleTimeout) {
        return new Deadlines(1_000, idleTimeout, scarcity::get, clock::get);
    }

    private void pass(final Duration time) {
        clock.addAndGet(time.toNanos());
    }

    private void check() throws ConnectionFault {
        deadlines.check(step, FOR_EVER, clock.get());
    }

    @Test
    @DisplayName("who moves too little in three seconds is too slow")
    void slow() {
        pass(Duration.ofMillis(2_900));
        deadlines.recordProgress(100);
        assertDoesNotThrow(this::check);
        pass(Duration.ofMillis(100));
        assertEquals(
                ConnectionFault.Kind.SLOW_PEER,
                assertThrows(ConnectionFault.class, this::check).kind());
    }

    @Test
    @DisplayName("who moves enough is not")
    void fastEnough() {
        for (int seconds = 0; seconds < 30; seconds++) {
            pass(Duration.ofSeconds(1));
            deadlines.recordProgress(2_000);
            assertDoesNotThrow(this::check);
        }
    }

    private void assertTooSlow() {
        assertEquals(
                ConnectionFault.Kind.SLOW_PEER,
                assertThrows(ConnectionFault.class, this::check).kind());
    }

    @Test
    @DisplayName("who holds more than its share, and keeps another peer waiting, has to move sixteen times as much")
    void beyondShare() throws Exception {
        pass(Duration.ofSeconds(3));
        deadlines.recordProgress(40_000);
        assertDoesNotThrow(this::check);
        scarcity.set(Contention.BEYOND_SHARE);
        assertTooSlow();
        pass(Duration.ofSeconds(3));
        deadlines.recordProgress(50_000);
        assertDoesNotThrow(this::check);
    }

    @Test
    @DisplayName("the longer a transaction lasts, the more it has to move, up to a bound")
    void age() {
        deadlines.startTransaction();
        pass(Duration.ofMinutes(3));
        deadlines.recordProgress(3 * 4_000);
        assertTooSlow();
        pass(Duration.ofSeconds(3));
        deadlines.recordProgress(3 * 4_200);
        assertDoesNotThrow(this::check);
        pass(Duration.ofHours(3));
        deadlines.recordProgress(3 * 8_200);
        assertDoesNotThrow(this::check);
        deadlines.endTransaction();
        pass(Duration.ofSeconds(3));
        deadlines.recordProgress(3 * 1_100);
        assertDoesNotThrow(this::check);
    }

    @Test
    @DisplayName("the time between transactions is not that of the next one")
    void idleBefore() {
        pass(Duration.ofMinutes(1));
        deadlines.startPeerTurn();
        deadlines.recordProgress(100);
        assertDoesNotThrow(this::check);
        pass(Duration.ofMillis(2_900));
        assertDoesNotThrow(this::check);
    }

    @Test
    @DisplayName("how slow it was does not count in a wait of ours, where it has three seconds again")
    void slowBeforeTheWait() {
        scarcity.set(Contention.NONE);
        pass(Duration.ofMinutes(1));
        assertDoesNotThrow(this::check);
        scarcity.set(Contention.CONTENDED);
        deadlines.startWait();
        pass(Duration.ofMillis(2_900));
        assertDoesNotThrow(this::check);
    }

    @Test
    @DisplayName("who is slow, and keeps nobody waiting, may be")
    void nobodyWaits() {
        scarcity.set(Contention.NONE);
        pass(Duration.ofMinutes(1));
        assertDoesNotThrow(this::check);
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
        scarcity.set(Contention.NONE);
        final Deadlines set = with(setting);
        pass(allowed);
        assertDoesNotThrow(() -> set.check(step, expirationMillis, clock.get()));
        pass(Duration.ofMillis(1));
        assertEquals(
                ConnectionFault.Kind.IDLE_TIMEOUT,
                assertThrows(ConnectionFault.class, () -> set.check(step, expirationMillis, clock.get()))
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
        scarcity.set(Contention.NONE);
        final Deadlines set = with(setting);
        pass(Duration.ofDays(365));
        assertDoesNotThrow(() -> set.check(step, expirationMillis, clock.get()));
    }
}
