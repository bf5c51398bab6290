// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is tried again, and when. */
class RetryPolicyTest {
    private static final RetryPolicy POLICY =
            RetryPolicy.standard().withMaxAttempts(4).withBackoff(Duration.ofMillis(100), Duration.ofMillis(300));

    private static TransactionException failure(final TransactionStep step, final FailureReason reason) {
        return TransactionException.builder(step, reason).build();
    }

    private static void assertPause(final int failed, final long most) {
        final long pause = POLICY.pauseAfter(failed, failure(TransactionStep.CONFIRM, FailureReason.CONNECTION_LOST))
                .orElseThrow()
                .toMillis();
        assertTrue(pause >= most / 2 && pause <= most, "paused " + pause);
    }

    @Test
    void pausesDoubleUpToTheLongestAndEndWithTheLastAttempt() {
        assertPause(1, 100);
        assertPause(2, 200);
        assertPause(3, 300);
        assertEquals(
                Optional.empty(),
                POLICY.pauseAfter(4, failure(TransactionStep.CONFIRM, FailureReason.CONNECTION_LOST)));
    }

    @Test
    void whatDoesNotPassIsNotTriedAgain() {
        assertEquals(
                Optional.empty(), POLICY.pauseAfter(1, failure(TransactionStep.HANDSHAKE, FailureReason.UNAUTHORIZED)));
    }

    @Test
    void whatMayHaveArrivedIsTriedAgainOnlyIfDuplicatesAreAccepted() {
        final TransactionException unknown = failure(TransactionStep.COMPLETE, FailureReason.CONNECTION_LOST);
        assertEquals(Optional.empty(), POLICY.pauseAfter(1, unknown));
        assertTrue(POLICY.acceptingDuplicates().pauseAfter(1, unknown).isPresent());
    }

    @Test
    void impossiblePoliciesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> POLICY.withMaxAttempts(0));
        assertThrows(
                IllegalArgumentException.class, () -> POLICY.withBackoff(Duration.ofSeconds(2), Duration.ofSeconds(1)));
    }
}
