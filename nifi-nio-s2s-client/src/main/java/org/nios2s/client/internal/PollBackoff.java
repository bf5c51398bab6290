// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.time.Duration;
import org.nios2s.client.RetryPolicy;

/**
 * How long to pause before NiFi is asked for packets again: longer each time that it had none, and longer each time that
 * it failed. Belongs to the thread that asks.
 */
final class PollBackoff {
    private static final Duration FIRST_EMPTY = Duration.ofMillis(10);
    private static final Duration LONGEST_EMPTY = Duration.ofSeconds(1);
    private static final Duration FIRST_REFUSED = Duration.ofSeconds(1);
    private static final Duration LONGEST_REFUSED = Duration.ofMinutes(1);

    private final RetryPolicy afterFailures;
    private Duration empty = FIRST_EMPTY;
    private int failed;
    private Duration refused = FIRST_REFUSED;

    PollBackoff(final RetryPolicy afterFailures) {
        this.afterFailures = afterFailures;
    }

    /** There were packets. */
    void received() {
        failed = 0;
        refused = FIRST_REFUSED;
        empty = FIRST_EMPTY;
    }

    /** There were none. */
    Duration afterNothing() {
        failed = 0;
        refused = FIRST_REFUSED;
        final Duration pause = empty;
        empty = doubled(empty, LONGEST_EMPTY);
        return pause;
    }

    private static Duration doubled(final Duration pause, final Duration longest) {
        final Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(longest) < 0 ? doubled : longest;
    }

    /** Each node refused us: what somebody has to put right takes longer than what passes. */
    Duration afterRefusal() {
        final Duration pause = refused;
        refused = doubled(refused, LONGEST_REFUSED);
        return pause;
    }

    Duration afterFailure() {
        failed++;
        return afterFailures.pause(failed);
    }
}
