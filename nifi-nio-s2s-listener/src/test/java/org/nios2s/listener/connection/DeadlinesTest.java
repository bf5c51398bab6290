// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.fault.PeerFault;

/** How slow a peer may be that holds what others wait for. Lives on the test's thread, with a clock of its own. */
class DeadlinesTest {
    private static final long FOR_EVER = 0;

    private final AtomicLong clock = new AtomicLong();
    private final AtomicBoolean holdsScarce = new AtomicBoolean(true);
    private final Deadlines deadlines = new Deadlines(1_000, holdsScarce::get, clock::get);
    private final Step step = mock(Step.class);

    @BeforeEach
    void withinRequest() {
        when(step.patience()).thenReturn(Step.Patience.WITHIN_REQUEST);
    }

    private void pass(final Duration time) {
        clock.addAndGet(time.toNanos());
    }

    private void check() throws PeerFault {
        deadlines.check(step, FOR_EVER, clock.get());
    }

    @Test
    @DisplayName("who moves too little in three seconds is too slow")
    void slow() {
        pass(Duration.ofMillis(2_900));
        deadlines.moved(100);
        assertDoesNotThrow(this::check);
        pass(Duration.ofMillis(100));
        assertEquals(
                PeerFault.Kind.TOO_SLOW,
                assertThrows(PeerFault.class, this::check).kind());
    }

    @Test
    @DisplayName("who moves enough is not")
    void fastEnough() {
        for (int seconds = 0; seconds < 30; seconds++) {
            pass(Duration.ofSeconds(1));
            deadlines.moved(2_000);
            assertDoesNotThrow(this::check);
        }
    }

    @Test
    @DisplayName("the time between transactions is not that of the next one")
    void idleBefore() {
        pass(Duration.ofMinutes(1));
        deadlines.peersTurn();
        deadlines.moved(100);
        assertDoesNotThrow(this::check);
        pass(Duration.ofMillis(2_900));
        assertDoesNotThrow(this::check);
    }

    @Test
    @DisplayName("how slow it was does not count in a wait of ours, where it has three seconds again")
    void slowBeforeTheWait() {
        holdsScarce.set(false);
        pass(Duration.ofMinutes(1));
        assertDoesNotThrow(this::check);
        holdsScarce.set(true);
        deadlines.waitBegins();
        pass(Duration.ofMillis(2_900));
        assertDoesNotThrow(this::check);
    }

    @Test
    @DisplayName("who is slow, and keeps nobody waiting, may be")
    void nobodyWaits() {
        holdsScarce.set(false);
        pass(Duration.ofMinutes(1));
        assertDoesNotThrow(this::check);
    }
}
