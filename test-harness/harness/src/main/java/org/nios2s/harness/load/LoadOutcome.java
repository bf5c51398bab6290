// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The outcome of a load run, seen from its clients. Immutable but for the histograms, which nobody writes any more.
 *
 * @param run        name of the run, the first part of its packet ids
 * @param started    when it began
 * @param wall       from there until the last client ended
 * @param clients    what each client did
 * @param window     when all of them were at work
 * @param histograms times in that window in microseconds
 * @param totals     what all of them achieved, over the whole run
 */
public record LoadOutcome(
        String run,
        Instant started,
        Duration wall,
        List<ClientStats> clients,
        SteadyWindow window,
        Map<Phase, Histogram> histograms,
        LoadTotals totals) {

    /** Acknowledged transactions of all clients. */
    public long successes() {
        return clients.stream().mapToLong(ClientStats::successes).sum();
    }

    public long failed() {
        return clients.stream().mapToLong(ClientStats::failures).sum();
    }

    /** Acknowledged transactions per second of the steady window, or of the whole run when that is too short. */
    public double transactionsPerSecond() {
        final double nanos = Math.max(1, wall.toNanos());
        return window.usable()
                ? window.perSecond()
                : successes() * (double) Duration.ofSeconds(1).toNanos() / nanos;
    }
}
