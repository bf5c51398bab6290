/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.harness.scenario;

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
