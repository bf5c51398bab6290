// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.limits.Contention;

/** A peer that a rule slows down while others wait for what it holds. Lives on the test's thread. */
class OverShareDeadlineTest {
    private static final long NINE_SECONDS = Duration.ofSeconds(9).toNanos();
    private static final long ELEVEN_SECONDS = Duration.ofSeconds(11).toNanos();

    private final TransactionStep step = mock();
    private final TransactionContext transaction = mock();
    private final OverShareDeadline share = new OverShareDeadline();

    @BeforeEach
    void isSlowed() {
        when(step.transaction()).thenReturn(transaction);
        when(step.isDelayedByRate()).thenReturn(true);
        when(transaction.scarcity()).thenReturn(Contention.BEYOND_SHARE);
    }

    @Test
    @DisplayName("it may hold more than its share for a while, and then loses it")
    void loses() throws Exception {
        share.check(step, 0);
        share.check(step, NINE_SECONDS);
        final ConnectionFault fault = assertThrows(ConnectionFault.class, () -> share.check(step, ELEVEN_SECONDS));
        assertEquals(Kind.SLOW_PEER, fault.kind());
    }

    @Test
    @DisplayName("the time starts again as soon as nobody waits for it")
    void begins() throws Exception {
        share.check(step, 0);
        when(transaction.scarcity()).thenReturn(Contention.CONTENDED);
        share.check(step, NINE_SECONDS);
        when(transaction.scarcity()).thenReturn(Contention.BEYOND_SHARE);
        share.check(step, ELEVEN_SECONDS);
        share.check(step, ELEVEN_SECONDS + NINE_SECONDS);
    }

    @Test
    @DisplayName("where it is not the rate that takes the time, the other deadlines decide")
    void notSlowed() throws Exception {
        when(step.isDelayedByRate()).thenReturn(false);
        share.check(step, 0);
        share.check(step, ELEVEN_SECONDS);
    }
}
