// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.SteadyWindow;

/** Every figure of one run. Immutable, any thread. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunResult(
        Place place,
        String run,
        String client,
        Instant started,
        LoadSettings settings,
        double seconds,
        SteadyWindow window,
        boolean interrupted,
        long transactions,
        double transactionsPerSecond,
        long flowFiles,
        long bytes,
        long failures,
        Map<String, Long> failuresByCause,
        long abandoned,
        long unbegun,
        long destinationFull,
        Map<Phase, LatencySummary> latencyMillis,
        GeneratorFigures generator,
        ServerFigures server,
        LedgerFigures ledger,
        Disturbance disturbance,
        TimeSeries series,
        Map<String, Double> probes) {

    /**
     * Where in an experiment a run stands.
     *
     * @param row    what the load is called; empty when there is only one
     * @param column what the target is called
     * @param round  from 1
     * @param lap    of that measurement, from 1
     */
    public record Place(String row, String column, int round, int lap) {

        /** What is measured several times: row and column. */
        public String kind() {
            return row.isEmpty() ? column : row + ", " + column;
        }

        @Override
        public String toString() {
            return kind() + " #" + round + (lap > 1 ? "." + lap : "");
        }
    }

    /**
     * What else the machine did during a run. Immutable, any thread.
     *
     * @param foreignPercent processor time of processes that are neither the server nor the generator, in percent of one
     *                       processor
     * @param stolenPercent  processor time that the machine's host gave to others, likewise
     */
    public record Disturbance(double foreignPercent, double stolenPercent) {}

    /**
     * The figures of a histogram that reports show, in milliseconds. Immutable, any thread.
     *
     * @param count   values
     * @param average their mean
     * @param p50     half are at most this
     * @param p99     99 % are at most this
     * @param max     all are at most this
     */
    public record LatencySummary(long count, double average, double p50, double p99, double max) {

        private static final double MICROS_PER_MILLI = TimeUnit.MILLISECONDS.toMicros(1);

        /** Sums a histogram up: its figures, all 0 when it is empty. */
        public static LatencySummary of(final Histogram micros) {
            return new LatencySummary(
                    micros.getTotalCount(),
                    micros.getMean() / MICROS_PER_MILLI,
                    micros.getValueAtPercentile(50) / MICROS_PER_MILLI,
                    micros.getValueAtPercentile(99) / MICROS_PER_MILLI,
                    micros.getMaxValue() / MICROS_PER_MILLI);
        }
    }

    /**
     * What became of the packets, by the sink's ledger. Immutable, any thread.
     *
     * @param acknowledged   packets of transactions that the server acknowledged
     * @param arrived        different packets of the run in the ledger
     * @param lost           acknowledged packets that are not in the ledger
     * @param duplicated     entries of the ledger beyond the first for the same packet
     * @param unacknowledged packets in the ledger whose transaction failed on the client's side: a client would send them
     *                       again, which the protocol allows
     * @param settled        whether the ledger stood still when it was read; if not, lost packets may only be late
     */
    public record LedgerFigures(
            long acknowledged, long arrived, long lost, long duplicated, long unacknowledged, boolean settled) {

        /** Whether every acknowledged packet arrived exactly once: true when nothing is lost and nothing is there twice. */
        public boolean exact() {
            return lost == 0 && duplicated == 0 && settled;
        }
    }

    /** What a run cost the process that makes the load, and whether it kept up. Immutable, any thread. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record GeneratorFigures(
            double cpuMillisPerTransaction, double cpuPercent, double busiestThreadPercent, Double lateP99Millis) {}

    /** What a run cost the server's process. Immutable, any thread. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ServerFigures(
            double cpuMillis,
            double cpuMillisPerTransaction,
            double cpuPercent,
            Double idlePercent,
            Double netCpuMillisPerTransaction,
            long maxResidentBytes,
            int maxThreads) {}

    /**
     * How a run went, second by second. Immutable, any thread.
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
        final ObjectNode copy = ResultDirectory.JSON.valueToTree(this);
        return ResultDirectory.JSON.convertValue(copy.putPOJO("place", other), RunResult.class);
    }

    /** Whether nothing failed, nothing was given up, and every packet arrived once. */
    public boolean flawless() {
        return failures == 0 && !interrupted && transactions > 0 && (ledger == null || ledger.exact());
    }
}
