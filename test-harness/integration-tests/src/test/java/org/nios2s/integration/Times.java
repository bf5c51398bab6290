// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How long each of a number of things took, for the log. For one thread. */
final class Times {

    private static final double NANOS_OF_A_MILLISECOND = 1_000_000;
    private static final double MEDIAN = 0.5;
    private static final double HIGH = 0.99;

    private final List<Long> nanos = new ArrayList<>();

    void add(final long value) {
        nanos.add(value);
    }

    Duration longest() {
        return Duration.ofNanos(Collections.max(nanos));
    }

    @Override
    public String toString() {
        return "%d, p50 %.1f ms, p99 %.1f ms, longest %.1f ms"
                .formatted(nanos.size(), millis(MEDIAN), millis(HIGH), millis(1));
    }

    private double millis(final double part) {
        final List<Long> sorted = nanos.stream().sorted().toList();
        final int rank = (int) Math.ceil(part * sorted.size());
        return sorted.get(Math.max(rank, 1) - 1) / NANOS_OF_A_MILLISECOND;
    }
}
