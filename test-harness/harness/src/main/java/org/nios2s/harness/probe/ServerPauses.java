// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.nifi.PerfCounters;
import org.nios2s.harness.target.MeasuredTarget;

/**
 * Measures how much of a run garbage collection paused the server's JVMs. A server that was restarted meanwhile has none of these
 * metrics, nor has one whose counters cannot be read. Used on the command's thread.
 */
final class ServerPauses implements Probe {

    private static final double PERCENT = 100;

    private final MeasuredTarget nifi;
    private Map<Long, Double> before = Map.of();

    ServerPauses(final MeasuredTarget nifi) {
        this.nifi = nifi;
    }

    @Override
    public void before(final Map<String, Double> metrics) {
        before = pauses(nifi.target().processes());
    }

    @Override
    public void after(final LoadOutcome outcome, final Map<String, Double> metrics) {
        metrics.putAll(metrics(before, pauses(nifi.target().processes()), outcome.wall()));
    }

    /** Their part of the time of a run; none when the JVMs are not the same ones. */
    static Map<String, Double> metrics(
            final Map<Long, Double> before, final Map<Long, Double> after, final Duration wall) {
        if (before.isEmpty() || !before.keySet().equals(after.keySet()) || wall.isZero()) {
            return Map.of();
        }
        final double millis = sum(after) - sum(before);
        return Map.of("gc-percent", PERCENT * millis / after.size() / wall.toMillis());
    }

    private static double sum(final Map<Long, Double> millis) {
        return millis.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    private static Map<Long, Double> pauses(final List<ProcessHandle> processes) {
        final Map<Long, Double> pauses = new HashMap<>();
        try {
            processes.forEach(process ->
                    pauses.put(process.pid(), PerfCounters.of(process).gcMillis()));
            return pauses;
        } catch (final HarnessException e) {
            // A JVM that keeps no counters, or has just ended: the run is none the worse, and nothing is said of its
            // pauses.
            return Map.of();
        }
    }
}
