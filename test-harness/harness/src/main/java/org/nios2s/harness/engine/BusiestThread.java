// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How busy this process's busiest thread is: one that is always busy is a limit of the generator, however many processors
 * are idle. For one thread at a time.
 */
final class BusiestThread {

    private static final double PERCENT = 100;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final List<Double> percents = new ArrayList<>();
    private Map<Long, Long> lastNanos = cpuNanos();
    private long lastLook = System.nanoTime();

    /** Takes the processor times of all threads since the last look. */
    void look() {
        final Map<Long, Long> nanos = cpuNanos();
        final long now = System.nanoTime();
        final long wall = Math.max(1, now - lastLook);
        double busiest = 0;
        for (final Map.Entry<Long, Long> entry : nanos.entrySet()) {
            final long used = entry.getValue() - lastNanos.getOrDefault(entry.getKey(), 0L);
            busiest = Math.max(busiest, PERCENT * used / wall);
        }
        percents.add(busiest);
        lastNanos = nanos;
        lastLook = now;
    }

    /** Of the busiest thread of each look, the median in percent of one processor; 0 before the first look. */
    double medianPercent() {
        if (percents.isEmpty()) {
            return 0;
        }
        final List<Double> sorted = new ArrayList<>(percents);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    private Map<Long, Long> cpuNanos() {
        final Map<Long, Long> nanos = new HashMap<>();
        for (final long id : threads.getAllThreadIds()) {
            final long used = threads.getThreadCpuTime(id);
            if (used > 0) {
                nanos.put(id, used);
            }
        }
        return nanos;
    }
}
