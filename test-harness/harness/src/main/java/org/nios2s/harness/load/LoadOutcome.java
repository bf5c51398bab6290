// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What a load run did, seen from its clients. Immutable but for the histograms, which nobody writes any more.
 *
 * @param run             name of the run, the first part of its packet ids
 * @param started         when the first client began
 * @param wall            from there until the last client ended
 * @param clients         what each client did
 * @param histograms      microseconds for each phase
 * @param failures        failed transactions by cause
 * @param abandoned       transactions given up because the run was stopped
 * @param destinationFull acknowledged transactions after which the destination was full
 */
public record LoadOutcome(
        String run,
        Instant started,
        Duration wall,
        List<ClientTally> clients,
        Map<Phase, Histogram> histograms,
        Map<String, Long> failures,
        long abandoned,
        long destinationFull) {

    /**
     * Takes what a meter and the clients' tallies hold at the end of a run.
     *
     * @param run     name of the run
     * @param started when the first client began
     * @param wall    from there until the last client ended
     * @param clients the tallies
     * @param meter   the meter
     * @return the outcome
     */
    public static LoadOutcome of(
            final String run,
            final Instant started,
            final Duration wall,
            final List<ClientTally> clients,
            final LoadMeter meter) {
        return new LoadOutcome(
                run,
                started,
                wall,
                List.copyOf(clients),
                meter.histograms(),
                meter.failuresByCause(),
                meter.abandonments(),
                meter.destinationFull());
    }

    /**
     * Transactions that the server acknowledged.
     *
     * @return their number
     */
    public long successes() {
        return clients.stream().mapToLong(ClientTally::successes).sum();
    }

    /**
     * Transactions that failed.
     *
     * @return their number
     */
    public long failed() {
        return clients.stream().mapToLong(ClientTally::failures).sum();
    }

    /**
     * Acknowledged transactions per second.
     *
     * @return the rate over the whole run, start jitter included
     */
    public double transactionsPerSecond() {
        final double nanos = wall.toNanos();
        return nanos == 0 ? 0 : successes() * (double) Duration.ofSeconds(1).toNanos() / nanos;
    }
}
