// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.nifi.Jcmd;
import org.nios2s.harness.nifi.Jcmd.GcPauses;
import org.nios2s.harness.target.MeasuredTarget;

/**
 * Measures how much of a run garbage collection paused the server's JVMs. A server that was restarted meanwhile has none of these
 * metrics, nor has one whose counters cannot be read. Used on the command's thread.
 */
final class ServerPauses implements Probe {

    private static final double PERCENT = 100;

    private final MeasuredTarget nifi;
    private Map<Long, GcPauses> before = Map.of();

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

    /** The metrics of a run: pauses of all JVMs, and their part of the time of one; none when they are not the same JVMs. */
    static Map<String, Double> metrics(
            final Map<Long, GcPauses> before, final Map<Long, GcPauses> after, final Duration wall) {
        if (before.isEmpty() || !before.keySet().equals(after.keySet()) || wall.isZero()) {
            return Map.of();
        }
        final List<GcPauses> during = new ArrayList<>();
        after.forEach((process, now) -> during.add(new GcPauses(
                now.count() - before.get(process).count(),
                now.millis() - before.get(process).millis())));
        final double millis = during.stream().mapToDouble(GcPauses::millis).sum() / during.size();
        return Map.of(
                "gc-pauses",
                (double) during.stream().mapToLong(GcPauses::count).sum(),
                "gc-percent",
                PERCENT * millis / wall.toMillis());
    }

    private static Map<Long, GcPauses> pauses(final List<ProcessHandle> processes) {
        final Map<Long, GcPauses> pauses = new HashMap<>();
        try {
            processes.forEach(process -> pauses.put(process.pid(), new Jcmd(process).gcPauses()));
            return pauses;
        } catch (final HarnessException e) {
            // A JVM that keeps no counters, or has just ended: the run is none the worse, and nothing is said of its
            // pauses.
            return Map.of();
        }
    }
}
