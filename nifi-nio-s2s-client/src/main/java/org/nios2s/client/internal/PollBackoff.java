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

    private final RetryPolicy afterFailures;
    private Duration empty = FIRST_EMPTY;
    private int failed;

    PollBackoff(final RetryPolicy afterFailures) {
        this.afterFailures = afterFailures;
    }

    /** There were packets. */
    void received() {
        failed = 0;
        empty = FIRST_EMPTY;
    }

    /** There were none. */
    Duration afterNothing() {
        failed = 0;
        final Duration pause = empty;
        final Duration doubled = empty.multipliedBy(2);
        empty = doubled.compareTo(LONGEST_EMPTY) < 0 ? doubled : LONGEST_EMPTY;
        return pause;
    }

    Duration afterFailure() {
        failed++;
        return afterFailures.pause(failed);
    }
}
