// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long a plan takes. Runs on the test's thread. */
class ScheduleTest {

    @Test
    void aLargeContentHasNoLeadingRun() {
        final Settings large = Settings.DEFAULTS.with("large", "true").with("clients", "1");

        assertEquals(estimate(large.with("lead", "0s")), estimate(large.with("lead", "100s")));
    }

    private static Duration estimate(final Settings settings) {
        return Schedule.of(new Experiment("x", "", settings, List.of(), List.of(), List.of()))
                .estimate();
    }
}
