// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.nios2s.harness.load.Arrivals;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadTotals;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.SteadyWindow;

/**
 * Every metric of one run. Immutable; any thread.
 *
 * @param place       where in its experiment it stands
 * @param settings    its load as it was asked for
 * @param execution   how it went
 * @param load        what its clients achieved
 * @param generator   what it cost the process of the clients
 * @param server      what it cost the server; null where the harness has not started the server
 * @param ledger      what became of the packets; null where nobody notes them
 * @param disturbance what else the machine did
 * @param series      how it went, second by second
 * @param probes      further metrics by key
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunResult(
        Place place,
        LoadSettings settings,
        Execution execution,
        LoadMetrics load,
        GeneratorMetrics generator,
        ServerMetrics server,
        LedgerMetrics ledger,
        Disturbance disturbance,
        TimeSeries series,
        Map<String, Double> probes) {

    /** A run that gets less than this of its pace does not keep it; the window's edges take part of a transaction each. */
    public static final double PACE_PERCENT = 98;

    /**
     * Where in an experiment a run stands.
     *
     * @param row    what the load is called; empty when there is only one
     * @param column what the target is called
     * @param round  from 1
     * @param repetition    of that measurement, from 1
     */
    public record Place(String row, String column, int round, int repetition) {

        /** The key of repeated runs: row and column. */
        public String kind() {
            return row.isEmpty() ? column : row + ", " + column;
        }

        @Override
        public String toString() {
            return kind() + " #" + round + (repetition > 1 ? "." + repetition : "");
        }
    }

    /**
     * How a run went. Immutable; any thread.
     *
     * @param run         its name, the first part of its packet ids
     * @param client      which client made the load
     * @param started     when its first client began
     * @param seconds     from there until its last client ended
     * @param window      when all clients were at work
     * @param interrupted whether it was stopped before its end
     * @param cold        whether it is the first of a server that had not been warmed up
     * @param served      by what; null in results from before that was looked at
     */
    public record Execution(
            String run,
            String client,
            Instant started,
            double seconds,
            SteadyWindow window,
            boolean interrupted,
            boolean cold,
            ObservedServer served) {}

    /**
     * The results of a run's clients. Immutable; any thread.
     *
     * @param transactions          acknowledged
     * @param transactionsPerSecond acknowledged, in the window
     * @param flowFiles             of the acknowledged transactions
     * @param bytes                 content of the acknowledged transactions
     * @param failures              failed transactions
     * @param failuresByCause       the same by cause
     * @param abandoned             transactions given up because the run was stopped
     * @param missed                transactions that the pace had asked for and no client came to
     * @param destinationFull       acknowledged transactions after which the destination was full
     * @param latencyMillis         their times in the window
     */
    public record LoadMetrics(
            long transactions,
            double transactionsPerSecond,
            long flowFiles,
            long bytes,
            long failures,
            Map<String, Long> failuresByCause,
            long abandoned,
            long missed,
            long destinationFull,
            Map<Phase, LatencySummary> latencyMillis) {

        /**
         * Sums up what clients saw.
         *
         * @param transactions how many were acknowledged, by what tells it best
         */
        public static LoadMetrics of(final LoadOutcome outcome, final long transactions) {
            final LoadTotals totals = outcome.totals();
            final Map<Phase, LatencySummary> latencies = new EnumMap<>(Phase.class);
            outcome.histograms().forEach((phase, histogram) -> latencies.put(phase, LatencySummary.of(histogram)));
            return new LoadMetrics(
                    transactions,
                    outcome.transactionsPerSecond(),
                    totals.flowFiles(),
                    totals.bytes(),
                    outcome.failed(),
                    totals.failures(),
                    totals.abandoned(),
                    totals.missed(),
                    totals.destinationFull(),
                    latencies);
        }

        private long begunOrDue() {
            return transactions + failures + missed + abandoned;
        }
    }

    /**
     * The machine's other work during a run. Immutable; any thread.
     *
     * @param foreignPercent processor time of processes that are neither the server nor the generator, in percent of one
     *                       processor
     * @param stolenPercent  processor time that the machine's host gave to others, likewise
     */
    public record Disturbance(double foreignPercent, double stolenPercent) {}

    /**
     * The metrics of a histogram that reports show, in milliseconds. Immutable; any thread.
     *
     * @param count   values
     * @param average their mean
     * @param p50     half are at most this
     * @param p95     95 %
     * @param p99     99 %
     * @param p999    99.9 %; null with fewer than 1,000 values, of which it would be the largest
     * @param max     all are at most this
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record LatencySummary(
            long count, double average, double p50, Double p95, double p99, Double p999, double max) {

        private static final long MIN_FOR_P999 = 1_000;
        private static final double MICROS_PER_MILLI = TimeUnit.MILLISECONDS.toMicros(1);

        /** Sums a histogram up: its metrics, all 0 when it is empty. */
        public static LatencySummary of(final Histogram micros) {
            return new LatencySummary(
                    micros.getTotalCount(),
                    micros.getMean() / MICROS_PER_MILLI,
                    millis(micros, 50),
                    millis(micros, 95),
                    millis(micros, 99),
                    micros.getTotalCount() < MIN_FOR_P999 ? null : millis(micros, 99.9),
                    micros.getMaxValue() / MICROS_PER_MILLI);
        }

        private static double millis(final Histogram micros, final double percentile) {
            return micros.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
        }
    }

    /**
     * The fate of the packets, by the sink's ledger, or of a pull by that of its clients. Immutable; any thread.
     *
     * @param acknowledged   packets of transactions that the server acknowledged
     * @param arrived        different packets of the run in the ledger
     * @param lost           acknowledged packets that are not in the ledger
     * @param duplicated     entries of the ledger beyond the first for the same packet
     * @param unacknowledged packets in the ledger whose transaction failed on the client's side: a client would send them
     *                       again, which the protocol allows
     * @param damaged        entries whose content or attributes are not those that were sent; null in results from before they were compared
     * @param damage         one of them, in words; null when there is none
     * @param settled        whether the ledger stood still when it was read; if not, lost packets may only be late
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record LedgerMetrics(
            long acknowledged,
            long arrived,
            long lost,
            long duplicated,
            long unacknowledged,
            Long damaged,
            String damage,
            boolean settled) {

        /** Whether every acknowledged packet arrived exactly once, as it was sent. */
        public boolean exact() {
            return lost == 0 && duplicated == 0 && (damaged == null || damaged == 0) && settled;
        }
    }

    /**
     * The cost of a run in the process that makes the load, and whether it kept up. Immutable; any thread.
     *
     * @param cpuMillisPerTransaction null where several loads share the process
     * @param cpuPercent              of one processor
     * @param busiestThreadPercent    likewise
     * @param lateP99Millis           how late transactions began; null where the clients do not tell
     * @param loopP99Millis           how late its threads came to what was due; null where nobody measured it
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record GeneratorMetrics(
            Double cpuMillisPerTransaction,
            double cpuPercent,
            double busiestThreadPercent,
            Double lateP99Millis,
            Double loopP99Millis) {}

    /**
     * The cost of a run in the server's process. Immutable; any thread.
     *
     * @param cpuMillis                 processor time from the first client's start until the sink's last packet
     * @param cpuMillisPerTransaction   of an acknowledged transaction; null when there was none
     * @param cpuPercent                of one processor, while the clients were at work: the clock of all processes
     * @param maxResidentBytes          most memory in RAM
     * @param maxThreads                most threads
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ServerMetrics(
            double cpuMillis,
            Double cpuMillisPerTransaction,
            double cpuPercent,
            long maxResidentBytes,
            int maxThreads) {}

    /**
     * How a run went, second by second. Immutable; any thread.
     *
     * @param samples one per second; the last may be that of a part of one, if it is half a second or more
     */
    public record TimeSeries(List<Sample> samples) {

        public TimeSeries {
            samples = List.copyOf(samples);
        }

        /** One second of a run. What is not known is null. */
        @JsonInclude(JsonInclude.Include.NON_NULL)
        public record Sample(
                double second,
                double transactionsPerSecond,
                Map<String, Long> failures,
                Double p50Millis,
                Double p99Millis,
                Double serverCpuPercent,
                Double generatorCpuPercent,
                Double serverResidentMebibytes,
                Integer serverThreads) {}
    }

    /** The same run at another place of another page. */
    public RunResult at(final Place other) {
        return new RunResult(other, settings, execution, load, generator, server, ledger, disturbance, series, probes);
    }

    /** Whether its times are those of a server at its work: not the first steps of one, and no queue that only grows. */
    public boolean timesTell() {
        return !execution.interrupted() && !execution.cold() && (!settings.paced() || pacePercent() >= PACE_PERCENT);
    }

    /** Acknowledged transactions in percent of what the pace asks for, at most 100: to catch up is no more than to keep it. */
    public double pacePercent() {
        if (!settings.paced()) {
            return 100;
        }
        if (settings.arrivals() == Arrivals.UNIFORM) {
            return Math.min(100, 100 * load.transactionsPerSecond() / settings.intendedPerSecond());
        }
        // By chance a window has more or fewer of them than on
        // average: what was due is what was begun or should have been.
        return 100.0 * load.transactions() / Math.max(1, load.begunOrDue());
    }

    /** Whether nothing failed, nothing was given up, and every packet arrived once. */
    public boolean flawless() {
        return load.failures() == 0
                && !execution.interrupted()
                && load.transactions() > 0
                && (ledger == null || ledger.exact());
    }
}
